#include "core/env/time_zones.hpp"

#include <algorithm>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/utf8.hpp"

namespace belay::env {

namespace {

namespace fs = std::filesystem;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
    std::string out{text};
    std::transform(out.begin(), out.end(), out.begin(), to_lower);
    return out;
}

// Letters, digits, `_`, `+`, `-` in parts between slashes, each part beginning with a letter: so it can
// be no path that leads out of the folder.
bool is_zone_name(std::string_view name) {
    if (name.empty() || name.size() > base::kTimeZoneNameCharsMax) return false;
    bool part_begins = true;
    for (const char c : name) {
        if (part_begins && !is_letter(c)) return false;
        part_begins = c == '/';
        const bool known =
            is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-' || c == '/';
        if (!known) return false;
    }
    return !part_begins;
}

std::string shown(std::string_view name) {
    return base::truncate(base::to_valid_utf8(name), base::kTimeZoneNameCharsMax);
}

// Nothing if it is not there, or not a file.
std::optional<std::string> file_bytes(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return std::nullopt;
    std::ifstream in{file, std::ios::binary};
    std::string bytes(base::kTimeZoneBytesMax + 1, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return bytes;
}

}  // namespace

std::shared_ptr<const base::TimeZone> TimeZones::find(std::string_view name) {
    const std::lock_guard lock{mutex_};
    if (const auto known = zones_.find(name); known != zones_.end()) return known->second;
    if (!is_zone_name(name)) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` is not the name of a time zone: names are like "
                                "Europe/Stockholm, America/New_York or UTC",
                                shown(name)));
    }
    auto zone = read(std::string{name});
    return zones_.emplace(std::string{name}, std::move(zone)).first->second;
}

std::shared_ptr<const base::TimeZone> TimeZones::read(const std::string& name) const {
    if (name == "UTC") return std::make_shared<const base::TimeZone>(base::TimeZone::utc());
    const auto bytes = file_bytes(folder_ / name);
    if (bytes && bytes->starts_with("TZif"))
        return std::make_shared<const base::TimeZone>(base::TimeZone::parse(name, *bytes));
    // Every tzdata has London. A folder without it is a machine without tzdata.
    std::error_code error;
    if (!fs::exists(folder_ / "Europe/London", error)) {
        throw Error(
            ErrorCode::StoreUnavailable,
            fmt::format("this machine has no time zones ({} is missing or empty), and {} is "
                        "asked for: install the package tzdata, or use UTC",
                        folder_.string(), name));
    }
    const std::string like = one_like(name);
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("there is no time zone `{}`{}", shown(name),
                    like.empty() ? "; names are like Europe/Stockholm, America/New_York or UTC"
                                 : fmt::format(". Is {} meant?", like)));
}

// A zone that differs only in upper and lower case, or whose city is what was given.
std::string TimeZones::one_like(std::string_view name) const {
    const std::string wanted = lower(name);
    std::string best;
    std::error_code error;
    for (fs::recursive_directory_iterator at{folder_, error}, end; !error && at != end;
         at.increment(error)) {
        const std::string file = at->path().lexically_relative(folder_).generic_string();
        // Copies of all zones in other forms.
        if (file == "posix" || file == "right") at.disable_recursion_pending();
        if (!is_zone_name(file) || !at->is_regular_file(error)) continue;
        const std::string known = lower(file);
        if (known == wanted) return file;
        if (known.ends_with("/" + wanted) && (best.empty() || file < best)) best = file;
    }
    return best;
}

}  // namespace belay::env
