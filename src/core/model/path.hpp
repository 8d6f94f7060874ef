// path.hpp — where in a workflow's code a step stands: "4.2.1" is the first in the second in the
// fourth.
//
// Numbers are given in the order the code asks for steps, so the order of paths is the order of the
// code: 4.10 comes after 4.9, a scope before what is inside it. Marks that are not positions in
// that order, such as "patch:name", are no paths.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::model {

class Path {
public:
    // The path above all: the workflow's own code. Its text is empty.
    Path() = default;

    // Nothing if `text` is not numbers from 1, without leading zeros, joined by dots, at most
    // kPathDepthMax of them. The empty text is the root.
    static std::optional<Path> parse(std::string_view text);

    // This path's n-th child, from 1.
    Path child(std::int64_t n) const;

    // The path that this one is inside of; the root's parent is the root.
    Path parent() const;

    // Whether `other` is inside this path, at any depth. No path is an ancestor of itself.
    bool is_ancestor_of(const Path& other) const;

    // The longest path that both are inside of, or equal to.
    Path common_with(const Path& other) const;

    bool is_root() const { return numbers_.empty(); }
    std::size_t depth() const { return numbers_.size(); }
    std::string text() const;

    // The order of the code, number by number.
    friend auto operator<=>(const Path&, const Path&) = default;
    friend bool operator==(const Path&, const Path&) = default;

private:
    std::vector<std::int64_t> numbers_;
};

}  // namespace belay::model
