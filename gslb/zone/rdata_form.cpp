// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/rdata_form.hpp"

#include <optional>

#include "wire/dns/message.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

namespace {

namespace type = wire::dns::type;

/// Walks over rdata part by part; once something does not fit it stays broken.
class Walk {
public:
    explicit Walk(std::span<const std::uint8_t> rdata) : rdata_(rdata) {}

    Walk& bytes(std::size_t count) {
        sound_ = sound_ && rdata_.size() - at_ >= count;
        if (sound_) at_ += count;
        return *this;
    }
    Walk& name() {
        std::size_t offset = at_;
        const auto name = sound_ ? wire::dns::decode_name(rdata_, offset)
                                 : base::Result<wire::dns::Name>(wire::dns::Name());
        // Another size than that of the name: a compression pointer was followed.
        sound_ = sound_ && name && offset - at_ == name->size_bytes();
        if (sound_) at_ = offset;
        return *this;
    }
    Walk& string() {
        sound_ = sound_ && at_ < rdata_.size();
        return sound_ ? bytes(std::size_t{1} + rdata_[at_]) : *this;
    }
    std::optional<std::uint16_t> number() {
        bytes(2);
        if (!sound_) return std::nullopt;
        return static_cast<std::uint16_t>(rdata_[at_ - 2] << 8 | rdata_[at_ - 1]);
    }
    bool sound() const { return sound_; }
    bool at_end() const { return at_ == rdata_.size(); }

private:
    std::span<const std::uint8_t> rdata_;
    std::size_t at_ = 0;
    bool sound_ = true;
};

/// Keys must rise strictly (RFC 9460 section 2.2).
std::string service_parameters_problem(Walk walk) {
    int last = -1;
    walk.bytes(2).name();
    while (walk.sound() && !walk.at_end()) {
        const auto key = walk.number();
        const auto size = walk.number();
        if (!size || !walk.bytes(*size).sound()) break;
        if (*key == last) return "SvcParam key " + std::to_string(*key) + " stands twice";
        if (*key < last) return "SvcParam keys are not in order";
        last = *key;
    }
    return walk.sound() ? "" : "malformed SVCB rdata";
}

Walk strings_to_the_end(Walk walk) {
    do walk.string();
    while (walk.sound() && !walk.at_end());
    return walk;
}

Walk walked(std::uint16_t rr_type, Walk walk, std::size_t size) {
    switch (rr_type) {
        case type::a:
            return walk.bytes(4);
        case type::aaaa:
            return walk.bytes(16);
        case type::ns:
        case type::cname:
        case type::ptr:
        case type::dname:
            return walk.name();
        case type::soa:
            return walk.name().name().bytes(20);
        case type::mx:
            return walk.bytes(2).name();
        case type::srv:
            return walk.bytes(6).name();
        case type::txt:
            return strings_to_the_end(walk);
        case type::naptr:
            return walk.bytes(4).string().string().string().name();
        case type::caa:
            return size > 2 ? walk.bytes(size) : walk.bytes(size + 1);
        default:
            return walk.bytes(size);
    }
}

}  // namespace

std::string rdata_form_problem(std::uint16_t rr_type, std::span<const std::uint8_t> rdata) {
    const Walk begin(rdata);
    if (rr_type == type::svcb || rr_type == type::https) return service_parameters_problem(begin);
    const Walk end = walked(rr_type, begin, rdata.size());
    if (end.sound() && end.at_end()) return "";
    return "malformed " + wire::dns::type_to_string(rr_type) + " rdata";
}

}  // namespace twinsite::gslb::zone
