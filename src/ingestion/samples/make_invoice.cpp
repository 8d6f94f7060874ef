// make_invoice.cpp — an invoice: letterhead, facts on the right, items over pages, sums.
#include <fmt/format.h>

#include "ingestion/samples/vocabulary.hpp"

namespace belay::samples {
namespace {

struct Words {
    std::string_view title, number, date, due, customer, item, quantity, price, rate, amount,
        carried, net, vat, total, page, bank;
};
constexpr Words kSwedish{"Faktura",    "Fakturanummer", "Fakturadatum", "Förfallodatum",
                         "Kundnummer", "Benämning",     "Antal",        "À-pris",
                         "Moms",       "Belopp",        "Transport",    "Summa exkl. moms",
                         "Moms 25 %",  "Att betala",    "Sida",         "Bankgiro"};
constexpr Words kEnglish{
    "Invoice", "Invoice number", "Invoice date", "Due date", "Customer no.",    "Description",
    "Qty",     "Unit price",     "VAT",          "Amount",   "Carried forward", "Subtotal",
    "VAT 20%", "Total due",      "Page",         "IBAN"};
constexpr Words kGerman{"Rechnung",     "Rechnungsnummer", "Rechnungsdatum", "Fällig am",
                        "Kundennummer", "Bezeichnung",     "Menge",          "Einzelpreis",
                        "MwSt.",        "Gesamtpreis",     "Übertrag",       "Nettobetrag",
                        "MwSt. 19 %",   "Gesamtbetrag",    "Seite",          "IBAN"};

const Words& words_of(Language language) {
    return language == Language::Swedish   ? kSwedish
           : language == Language::English ? kEnglish
                                           : kGerman;
}

std::string text(std::string_view view) { return std::string{view}; }

struct Head {
    const Words& words;
    Language language;
    Company seller, buyer;
    std::string number, currency, payment;
    Day issued, due;
};

// Returns where the items may begin.
double draw_head(Sheet& sheet, const Head& head, bool first, Chance& chance) {
    sheet.put(50, 60, head.seller.name, 16, Align::Left, true);
    sheet.put(50, 74, head.seller.street, 8);
    sheet.put(50, 84, head.seller.town, 8);
    sheet.put(380, 60, text(head.words.title), 18, Align::Left, true);
    if (!first) return 120;
    const auto fact = [&](double y, std::string_view label, const std::string& value) {
        sheet.put(330, y, text(label) + (head.language == Language::English ? ":" : ""));
        sheet.put(440, y, value);
    };
    fact(100, head.words.number, head.number);
    fact(114, head.words.date, printed_day(head.issued, head.language));
    fact(128, head.words.due, printed_day(head.due, head.language));
    fact(142, head.words.customer, chance.digits(5));
    sheet.put(60, 140, head.buyer.name);
    sheet.put(60, 152, head.buyer.street);
    sheet.put(60, 164, head.buyer.town);
    return 220;
}

void draw_columns(Sheet& sheet, const Words& words, double y) {
    sheet.put(50, y, text(words.item), 9, Align::Left, true);
    sheet.right(340, y, text(words.quantity), 9, true);
    sheet.right(420, y, text(words.price), 9, true);
    sheet.right(470, y, text(words.rate), 9, true);
    sheet.right(545, y, text(words.amount), 9, true);
    sheet.rule(50, y + 4, 545);
}

void draw_foot(Sheet& sheet, const Head& head, int page) {
    sheet.rule(50, 780, 545);
    sheet.put(50, 794, head.seller.name, 7);
    sheet.put(50, 804, head.seller.street + ", " + head.seller.town, 7);
    sheet.put(250, 794, fmt::format("{} {}", head.words.bank, head.payment), 7);
    if (!head.seller.orgnr.empty()) sheet.put(250, 804, "Org.nr " + head.seller.orgnr, 7);
    sheet.put(420, 794,
              (head.language == Language::Swedish  ? "Momsreg.nr "
               : head.language == Language::German ? "USt-IdNr. "
                                                   : "VAT no. ") +
                  head.seller.vat,
              7);
    sheet.put(420, 804, head.seller.web, 7);
    sheet.right(545, 820, fmt::format("{} {}", head.words.page, page), 7);
}

}  // namespace

Sample<InvoiceTruth> make_invoice(std::uint64_t seed, Language language, int line_count) {
    Chance chance{seed * 3 + 1};
    const auto& words = words_of(language);
    const int rate = language == Language::Swedish ? 25 : language == Language::English ? 20 : 19;
    const Day issued{2025, static_cast<int>(chance.between(1, 12)),
                     static_cast<int>(chance.between(1, 28))};
    Head head{words, language, any_company(chance, language, true), any_company(chance, language, false),
              chance.one_in(2) ? chance.digits(6) : fmt::format("{}-{}", chance.between(2020, 2025), chance.digits(4)),
              language == Language::Swedish ? "SEK" : language == Language::English ? "GBP" : "EUR",
              language == Language::Swedish ? [&] { const auto bg = with_luhn_digit(chance.digits(7)); return bg.substr(0, 4) + "-" + bg.substr(4); }()
                                            : std::string{language == Language::English ? "GB82 WEST 1234 5698 7654 32" : "DE89 3704 0044 0532 0130 00"},
              issued, issued.plus(30)};

    Sample<InvoiceTruth> sample{
        fmt::format("invoice-{}-{}", words.title, seed), "invoice", {Sheet{}}, {}};
    auto y = draw_head(sample.sheets.back(), head, true, chance);
    draw_columns(sample.sheets.back(), words, y);
    y += 20;
    std::int64_t net = 0;
    for (int i = 0; i < line_count; ++i) {
        if (y > 730) {
            sample.sheets.back().put(50, y, text(words.carried));
            sample.sheets.back().right(545, y, printed_money(net, language));
            draw_foot(sample.sheets.back(), head, static_cast<int>(sample.sheets.size()));
            sample.sheets.emplace_back();
            y = draw_head(sample.sheets.back(), head, false, chance);
            draw_columns(sample.sheets.back(), words, y);
            y += 20;
        }
        auto& sheet = sample.sheets.back();
        const auto quantity = chance.between(1, 24), price = chance.between(150, 900000);
        const auto amount = quantity * price;
        const auto ware = any_ware(chance, language);
        sheet.put(50, y, ware);
        sheet.right(340, y, std::to_string(quantity));
        sheet.right(420, y, printed_money(price, language));
        sheet.right(470, y, fmt::format("{} %", rate));
        sheet.right(545, y, printed_money(amount, language));
        sample.truth.lines.push_back(
            {ware, std::to_string(quantity), plain_money(price), plain_money(amount)});
        net += amount;
        y += 17;
    }
    auto& sheet = sample.sheets.back();
    const auto vat = (net * rate + 50) / 100;
    sheet.rule(330, y - 6, 545);
    const auto sum = [&](std::string_view label, std::int64_t cents, bool bold) {
        y += 14;
        sheet.put(330, y, text(label), 9, Align::Left, bold);
        sheet.right(545, y, printed_money(cents, language) + (bold ? " " + head.currency : ""), 9,
                    bold);
    };
    sum(words.net, net, false);
    sum(words.vat, vat, false);
    sum(words.total, net + vat, true);
    if (language == Language::Swedish) {
        sheet.put(50, y + 24, "OCR-nummer " + with_luhn_digit(chance.digits(9)), 8);
    }
    draw_foot(sheet, head, static_cast<int>(sample.sheets.size()));

    sample.truth.invoice_number = head.number;
    sample.truth.issue_date = head.issued.iso();
    sample.truth.due_date = head.due.iso();
    sample.truth.seller_name = head.seller.name;
    sample.truth.buyer_name = head.buyer.name;
    sample.truth.net_total = plain_money(net);
    sample.truth.tax_total = plain_money(vat);
    sample.truth.grand_total = plain_money(net + vat);
    sample.truth.currency = head.currency;
    return sample;
}

}  // namespace belay::samples
