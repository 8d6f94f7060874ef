// vocabulary.hpp — invented companies, wares and places, and how each language writes money and dates.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingestion/samples/chance.hpp"
#include "ingestion/samples/sample.hpp"

namespace belay::samples {

struct Day {
    int year = 2025, month = 1, day = 1;
    std::string iso() const;
    std::string yymmdd() const;
    Day plus(int days) const;
};

// How dates are printed: ISO for Swedish, "3 March 2025" or 03/15/2025 for English, 03.03.2025 for German.
std::string printed_day(const Day& day, Language language, int style = 0);

// 257980 as "2 579,80", "2,579.80" or "2.579,80".
std::string printed_money(std::int64_t cents, Language language);
// As First Card prints it: 2.579,80 and 2.579,80-.
std::string first_card_money(std::int64_t cents);
// 257980 as "2579.80": how truth is written.
std::string plain_money(std::int64_t cents);

struct Company {
    std::string name{}, street{}, town{}, orgnr{}, vat{}, web{};
};
Company any_company(Chance& chance, Language language, bool seller);
std::string any_ware(Chance& chance, Language language);
struct Shop {
    std::string name{}, city{}, currency{};  // currency empty: the statement's own
};
Shop any_shop(Chance& chance, Language language);

}  // namespace belay::samples
