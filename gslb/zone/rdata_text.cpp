// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/rdata_text.hpp"

#include <algorithm>
#include <optional>

#include "base/error/check.hpp"
#include "base/text/text.hpp"
#include "gslb/zone/master_text.hpp"
#include "gslb/zone/rdata_form.hpp"
#include "wire/dns/message.hpp"

// After the standard library: it defines macros that break libstdc++'s headers.
#include <ldns/ldns.h>

namespace twinsite::gslb::zone {

namespace {

/// ldns cuts longer text short without a word (its buffers hold 65535 bytes).
constexpr std::size_t kMaxRdataText = 65'000;

bool all_digits(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The largest value of a number field, nullopt for fields that are no numbers.
std::optional<std::uint64_t> largest(ldns_rdf_type field) {
    switch (field) {
        case LDNS_RDF_TYPE_INT8:
        case LDNS_RDF_TYPE_ALG:
        case LDNS_RDF_TYPE_CERTIFICATE_USAGE:
        case LDNS_RDF_TYPE_SELECTOR:
        case LDNS_RDF_TYPE_MATCHING_TYPE:
            return 0xff;
        case LDNS_RDF_TYPE_INT16:
        case LDNS_RDF_TYPE_CERT_ALG:
            return 0xffff;
        case LDNS_RDF_TYPE_INT32:
            return 0xffff'ffff;
        default:
            return std::nullopt;
    }
}

/// Fields where a word in place of the number is right, too.
bool has_mnemonics(ldns_rdf_type field) {
    return field != LDNS_RDF_TYPE_INT8 && field != LDNS_RDF_TYPE_INT16 &&
           field != LDNS_RDF_TYPE_INT32;
}

std::string shown(std::string_view word) {
    return "'" + base::text::printable(word.substr(0, 60)) + "'";
}

/// ldns takes the low bits of a number that is too large, and of one below zero.
std::string number_problem(ldns_rdf_type field, const std::string& word) {
    if (field == LDNS_RDF_TYPE_PERIOD) {
        if (!parse_ttl(word)) return shown(word) + " is not a time of 0..2147483647 s";
        return "";
    }
    const auto most = largest(field);
    if (!most || (has_mnemonics(field) && !all_digits(word))) return "";
    const auto value = base::text::parse_number<std::uint64_t>(word);
    if (value && all_digits(word) && *value <= *most) return "";
    return shown(word) + " is not a number of 0.." + std::to_string(*most);
}

std::string numbers_problem(std::uint16_t type, std::span<const std::string> words) {
    const ldns_rr_descriptor* const descriptor = ldns_rr_descript(type);
    // Past this minimum come fields that repeat, none of them numbers.
    const std::size_t fields = std::min(ldns_rr_descriptor_minimum(descriptor), words.size());
    for (std::size_t i = 0; i < fields; ++i) {
        std::string problem =
            number_problem(ldns_rr_descriptor_field_type(descriptor, i), words[i]);
        if (!problem.empty()) return problem;
    }
    const bool service = type == wire::dns::type::svcb || type == wire::dns::type::https;
    for (const std::string& word : service ? words : words.first(0)) {
        if (!word.starts_with("port=")) continue;
        std::string_view number = std::string_view(word).substr(5);
        if (number.size() >= 2 && number.front() == '"')
            number = number.substr(1, number.size() - 2);
        if (!base::text::parse_number<std::uint16_t>(number))
            return shown(word) + " is not a port of 0..65535";
    }
    return "";
}

struct FreeRr {
    void operator()(ldns_rr* rr) const { ldns_rr_free(rr); }
};
struct FreeRdf {
    void operator()(ldns_rdf* rdf) const { ldns_rdf_deep_free(rdf); }
};
struct FreeBuffer {
    void operator()(ldns_buffer* buffer) const { ldns_buffer_free(buffer); }
};

}  // namespace

std::uint16_t parse_rr_type(std::string_view word) {
    if (word.size() > 4 && base::text::equals_ignoring_case(word.substr(0, 4), "TYPE") &&
        all_digits(word.substr(4)))
        return base::text::parse_number<std::uint16_t>(word.substr(4)).value_or(0);
    const std::string name(word);
    return static_cast<std::uint16_t>(ldns_get_rr_type_by_name(name.c_str()));
}

std::string rr_type_name(std::uint16_t type) {
    const ldns_rr_descriptor* const descriptor = ldns_rr_descript(type);
    const bool known =
        descriptor != nullptr && descriptor->_type == type && descriptor->_name != nullptr;
    return known ? descriptor->_name : "TYPE" + std::to_string(type);
}

struct RdataParser::Ldns {
    std::unique_ptr<ldns_rdf, FreeRdf> origin;
    std::unique_ptr<ldns_buffer, FreeBuffer> buffer{ldns_buffer_new(LDNS_MAX_PACKETLEN)};
};

RdataParser::RdataParser(const wire::dns::Name& origin) : ldns_(std::make_unique<Ldns>()) {
    BASE_CHECK(ldns_->buffer != nullptr);
    set_origin(origin);
}

RdataParser::~RdataParser() = default;

void RdataParser::set_origin(const wire::dns::Name& origin) {
    const auto wire = origin.wire();
    ldns_->origin.reset(ldns_rdf_new_frm_data(LDNS_RDF_TYPE_DNAME, wire.size(), wire.data()));
    BASE_CHECK(ldns_->origin != nullptr);
}

std::vector<std::uint8_t> RdataParser::parse(
    std::uint16_t type, std::span<const std::string> words, std::string& problem
) {
    const bool generic = !words.empty() && words[0] == "\\#";
    if (!generic) problem = numbers_problem(type, words);
    if (!problem.empty()) return {};

    line_ = ". 0 IN TYPE" + std::to_string(type);
    const std::size_t prefix = line_.size();
    for (const std::string& word : words) (line_ += ' ') += word;
    if (line_.size() - prefix > kMaxRdataText) {
        problem = "rdata of more than " + std::to_string(kMaxRdataText) + " characters";
        return {};
    }
    ldns_rr* parsed = nullptr;
    const ldns_status status =
        ldns_rr_new_frm_str(&parsed, line_.c_str(), 0, ldns_->origin.get(), nullptr);
    const std::unique_ptr<ldns_rr, FreeRr> rr(parsed);
    if (status != LDNS_STATUS_OK || rr == nullptr) {
        problem = rr_type_name(type) + " rdata: " + ldns_get_errorstr_by_id(status);
        return {};
    }
    ldns_buffer_clear(ldns_->buffer.get());
    if (ldns_rr_rdata2buffer_wire(ldns_->buffer.get(), rr.get()) != LDNS_STATUS_OK) {
        problem = rr_type_name(type) + " rdata of more than 65535 bytes";
        return {};
    }
    const std::uint8_t* const begin = ldns_buffer_begin(ldns_->buffer.get());
    std::vector<std::uint8_t> out(begin, begin + ldns_buffer_position(ldns_->buffer.get()));
    problem = rdata_form_problem(type, out);
    if (!problem.empty()) out.clear();
    return out;
}

}  // namespace twinsite::gslb::zone
