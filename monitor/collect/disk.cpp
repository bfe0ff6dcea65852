// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/disk.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text/text.hpp"

namespace twinsite::monitor::collect {
namespace {

constexpr std::array<std::string_view, 12> kRealTypes = {
    "ext2",
    "ext3",
    "ext4",
    "xfs",
    "btrfs",
    "f2fs",
    "zfs",
    "jfs",
    "reiserfs",
    "vfat",
    "overlay",
    "bcachefs"
};

bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

// mountinfo writes blank, tab, newline and backslash as \ooo.
std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escaped = text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) &&
                             is_octal(text[i + 2]) && is_octal(text[i + 3]);
        if (!escaped) {
            out += text[i];
            continue;
        }
        const int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
        out += static_cast<char>(value);
        i += 3;
    }
    return out;
}

bool has_option(std::string_view options, std::string_view wanted) {
    const auto list = base::text::split(options, ',');
    return std::find(list.begin(), list.end(), wanted) != list.end();
}

bool contains(const std::vector<std::string>& list, const std::string& point) {
    return std::find(list.begin(), list.end(), point) != list.end();
}

bool is_real(const Mount& mount) {
    return std::find(kRealTypes.begin(), kRealTypes.end(), mount.type) != kRealTypes.end();
}

// Rounded up, as df does: 0 only for nothing at all.
unsigned percent_up(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return 0;
    const auto exact = static_cast<long double>(part) * 100 / static_cast<long double>(whole);
    auto out = static_cast<unsigned>(exact);
    if (static_cast<long double>(out) < exact) ++out;
    return std::min(out, 100U);
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
    std::vector<Mount> out;
    for (const auto line : base::text::split(text, '\n')) {
        // id parent major:minor root point options [optional ...] - type source super-options
        const auto words = base::text::words(line);
        const auto dash = std::find(words.begin(), words.end(), "-");
        if (words.size() < 6 || words.end() - dash < 4) continue;
        Mount mount;
        mount.device = words[2];
        mount.point = unescape(words[4]);
        mount.type = dash[1];
        mount.source = unescape(dash[2]);
        mount.read_only = has_option(words[5], "ro") || has_option(dash[3], "ro") ||
                          has_option(dash[3], "emergency_ro");
        out.push_back(std::move(mount));
    }
    return out;
}

std::vector<Mount> choose_mounts(
    const std::vector<Mount>& all,
    const std::vector<std::string>& include,
    const std::vector<std::string>& exclude
) {
    std::map<std::string, Mount> by_device;
    for (const auto& mount : all) {
        const bool wanted = include.empty() ? is_real(mount) : contains(include, mount.point);
        if (!wanted || contains(exclude, mount.point)) continue;
        const auto [at, fresh] = by_device.emplace(mount.device, mount);
        // Of several mounts of a device the shortest path; of several on one path the last, which
        // lies over the others.
        if (!fresh && mount.point.size() <= at->second.point.size()) at->second = mount;
    }
    std::vector<Mount> out;
    for (auto& [device, mount] : by_device) out.push_back(mount);
    std::sort(out.begin(), out.end(), [](const Mount& a, const Mount& b) {
        return a.point < b.point;
    });
    return out;
}

DiskUse measure_disk(const FileSystemCounts& counts) {
    DiskUse out;
    const auto sane = [&](std::uint64_t part, std::uint64_t whole) {
        if (part <= whole) return part;
        out.flagged = true;
        return std::uint64_t{0};
    };
    const auto free = sane(counts.free, counts.blocks);
    const auto available = sane(counts.available, counts.blocks);
    const auto inodes_free = sane(counts.inodes_free, counts.inodes);
    const auto used = counts.blocks - free;
    out.size_bytes = counts.blocks * counts.block_bytes;
    out.used_bytes = used * counts.block_bytes;
    out.available_bytes = available * counts.block_bytes;
    out.used_percent = percent_up(used, used + available);
    out.inodes_used_percent = percent_up(counts.inodes - inodes_free, counts.inodes);
    return out;
}

}  // namespace twinsite::monitor::collect
