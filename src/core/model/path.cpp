#include "core/model/path.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace belay::model {

namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    // "07" would be a second text for the same path.
    if (!whole || number < 1 || text.front() == '0') return std::nullopt;
    return number;
}

}  // namespace

std::optional<Path> Path::parse(std::string_view text) {
    Path path;
    if (text.empty()) return path;
    while (true) {
        const auto dot = text.find('.');
        const auto number = parse_number(text.substr(0, dot));
        if (!number || path.depth() == base::kPathDepthMax) return std::nullopt;
        path.numbers_.push_back(*number);
        if (dot == std::string_view::npos) return path;
        text.remove_prefix(dot + 1);
    }
}

Path Path::child(std::int64_t n) const {
    BELAY_ASSERT(n >= 1, "children are numbered from 1, not {}", n);
    Path path = *this;
    path.numbers_.push_back(n);
    return path;
}

Path Path::parent() const {
    Path path = *this;
    if (!path.is_root()) path.numbers_.pop_back();
    return path;
}

bool Path::is_ancestor_of(const Path& other) const {
    return depth() < other.depth() &&
           std::equal(numbers_.begin(), numbers_.end(), other.numbers_.begin());
}

Path Path::common_with(const Path& other) const {
    const auto [mine, theirs] = std::mismatch(numbers_.begin(), numbers_.end(),
                                              other.numbers_.begin(), other.numbers_.end());
    Path path;
    path.numbers_.assign(numbers_.begin(), mine);
    return path;
}

std::string Path::text() const {
    std::string out;
    for (const auto number : numbers_) {
        if (!out.empty()) out += '.';
        out += std::to_string(number);
    }
    return out;
}

}  // namespace belay::model
