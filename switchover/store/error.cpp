// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/error.hpp"

namespace twinsite::switchover::store {
namespace {

const char* to_text(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::not_leader:
            return "another server leads; nothing was written";
        case Errc::conflict:
            return "it changed meanwhile; nothing was written";
        case Errc::in_use:
            return "another process has the store open";
        case Errc::full:
            return "no space left on the disk; nothing was written";
        case Errc::damaged:
            return "the file is damaged or is not a store";
        case Errc::newer_schema:
            return "written by a later version of the program";
        case Errc::unavailable:
            return "the store cannot be read or written";
        case Errc::invalid:
            return "a key or value beyond its bounds";
    }
    return "unknown error of the store";
}

constexpr base::Category kCategory("store", to_text);

}  // namespace

const boost::system::error_category& category() noexcept {
    return kCategory;
}

}  // namespace twinsite::switchover::store
