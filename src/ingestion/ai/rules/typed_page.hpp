// typed_page.hpp — for tests: a page typed as text, each character a fixed step wide, as a till prints it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

// Lines at newlines, words at spaces; empty lines are left out.
inline media::Page typed_page(std::string_view typed) {
    constexpr double kWide = 10, kHigh = 16, kLine = 24;
    media::Page page{.width = 800};
    int line = 0;
    while (!typed.empty()) {
        const std::size_t end = std::min(typed.find('\n'), typed.size());
        const std::string_view text = typed.substr(0, end);
        typed.remove_prefix(std::min(typed.size(), end + 1));
        bool any = false;
        for (std::size_t i = 0; i < text.size();) {
            if (text[i] == ' ') {
                ++i;
                continue;
            }
            const std::size_t stop = std::min(text.find(' ', i), text.size());
            page.words.push_back({.text = std::string{text.substr(i, stop - i)},
                                  .box = {static_cast<double>(i) * kWide, line * kLine,
                                          static_cast<double>(stop - i) * kWide, kHigh},
                                  .line = line});
            any = true;
            i = stop;
        }
        if (any) ++line;
    }
    page.height = line * kLine;
    return page;
}

}  // namespace belay::ai::rules
