// date_text.hpp — finds a date in what people and machines write.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belay::media::html {

// The first date in `text` as YYYY-MM-DD: ISO 8601, 2020/01/31, 31.01.2020, 31/01/2020, 31 January 2020,
// January 31, 2020, 2020年1月31日, and the months of a dozen languages. Where day and month could be
// either, day first unless `month_first` (American pages). Nothing without a year, for a date that
// does not exist, or one outside 1990 to 2100.
std::optional<std::string> find_date(std::string_view text, bool month_first = false);

// The date that an address carries: /2020/01/31/, /2020-01-31-…, …_20200131.html.
std::optional<std::string> date_in_url(std::string_view url);

}  // namespace belay::media::html
