// field.hpp — a value that was found: what it is, how sure, and where on which page.
#pragma once

#include <optional>
#include <utility>

#include <boost/describe.hpp>

#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

// Nothing found is a value too: `value` is empty and `confidence` says nothing. A rule that cannot
// decide between two readings leaves it empty rather than guess.
template <class T>
struct Found {
    std::optional<T> value{};
    double confidence = 0;  // 0 to 1
    int page = 0;           // the page's number; 0 if it was worked out, not read
    media::Box box{};

    Found() = default;
    Found(T v, double sure, int on_page = 0, media::Box where = {})
        : value(std::move(v)), confidence(sure), page(on_page), box(where) {}

    explicit operator bool() const { return value.has_value(); }
    const T& operator*() const { return *value; }
    const T* operator->() const { return &*value; }

    BOOST_DESCRIBE_CLASS(Found, (), (value, confidence, page, box), (), ())
};

}  // namespace belay::ai::rules
