// make_receipt.cpp — a till receipt on a narrow sheet.

#include <fmt/format.h>

#include "ingestion/samples/vocabulary.hpp"

namespace belay::samples {
namespace {

struct Words {
    std::string_view receipt, total, card, paid, vat, of_which, thanks;
};
constexpr Words kSwedish{"KVITTO", "TOTALT",     "Kontokort",      "Betalat",
                         "Moms",   "Varav moms", "Välkommen åter!"};
constexpr Words kEnglish{"RECEIPT", "TOTAL", "Card", "Paid", "VAT", "Including VAT", "Thank you!"};
constexpr Words kGerman{"BELEG", "SUMME",           "Karte",       "Gegeben",
                        "MwSt",  "enthaltene MwSt", "Vielen Dank!"};

constexpr std::array<std::string_view, 8> kSwedishFood{
    "Kaffe", "Smörgås ost", "Mjölk 1 l", "Bananer", "Bröd", "Apelsinjuice", "Choklad", "Yoghurt"};
constexpr std::array<std::string_view, 8> kEnglishFood{
    "Coffee", "Cheese sandwich", "Milk 1 l",  "Bananas",
    "Bread",  "Orange juice",    "Chocolate", "Yoghurt"};
constexpr std::array<std::string_view, 8> kGermanFood{
    "Kaffee", "Käsebrot", "Milch 1 l", "Bananen", "Brot", "Orangensaft", "Schokolade", "Joghurt"};

}  // namespace

Sample<ReceiptTruth> make_receipt(std::uint64_t seed, Language language) {
    Chance chance{seed * 11 + 5};
    const auto& words = language == Language::Swedish   ? kSwedish
                        : language == Language::English ? kEnglish
                                                        : kGerman;
    const int rate = language == Language::Swedish ? 12 : language == Language::English ? 20 : 7;
    const auto shop = any_company(chance, language, true);
    const Day day{2025, static_cast<int>(chance.between(1, 12)),
                  static_cast<int>(chance.between(1, 28))};
    const std::string currency = language == Language::Swedish   ? "SEK"
                                 : language == Language::English ? "GBP"
                                                                 : "EUR";

    Sample<ReceiptTruth> sample{
        fmt::format("receipt-{}-{}", words.receipt, seed), "receipt", {Sheet{}}, {}};
    auto& sheet = sample.sheets.back();
    sheet.width = 226;  // 80 mm
    sheet.put(113, 30, shop.name, 11, Align::Center, true);
    sheet.put(113, 44, shop.street, 8, Align::Center);
    sheet.put(113, 54, shop.town, 8, Align::Center);
    if (!shop.orgnr.empty()) sheet.put(113, 64, "Org.nr " + shop.orgnr, 8, Align::Center);
    sheet.put(14, 86, std::string{words.receipt} + " " + chance.digits(5), 8);
    sheet.right(212, 86,
                printed_day(day, language) +
                    fmt::format(" {:02}:{:02}", chance.between(8, 20), chance.between(0, 59)),
                8);
    double y = 108;
    std::int64_t total = 0;
    for (auto i = chance.between(2, 9); i > 0; --i) {
        const auto name = chance.pick(language == Language::Swedish   ? kSwedishFood
                                      : language == Language::English ? kEnglishFood
                                                                      : kGermanFood);
        const auto cents = chance.between(190, 12900);
        sheet.put(14, y, name);
        sheet.right(212, y, printed_money(cents, language));
        sample.truth.items.push_back({name, "1", plain_money(cents)});
        total += cents;
        y += 13;
    }
    const auto vat = (total * rate * 10 / (100 + rate) + 5) / 10;
    sheet.rule(14, y - 6, 212);
    y += 10;
    sheet.put(14, y, std::string{words.total} + " " + currency, 12, Align::Left, true);
    sheet.right(212, y, printed_money(total, language), 12, true);
    y += 20;
    sheet.put(14, y, fmt::format("{} {} %", words.of_which, rate), 8);
    sheet.right(212, y, printed_money(vat, language), 8);
    y += 14;
    sheet.put(14, y, std::string{words.card} + " ************" + chance.digits(4), 8);
    sheet.right(212, y, printed_money(total, language), 8);
    y += 24;
    sheet.put(113, y, std::string{words.thanks}, 9, Align::Center);
    sheet.height = y + 30;

    sample.truth.merchant = shop.name;
    if (!shop.orgnr.empty()) sample.truth.orgnr = shop.orgnr;
    sample.truth.date = day.iso();
    sample.truth.total = plain_money(total);
    sample.truth.currency = currency;
    sample.truth.payment_type = "card";
    sample.truth.vat.push_back({std::to_string(rate), plain_money(vat)});
    return sample;
}

}  // namespace belay::samples
