// total_label.cpp — the words of sums: German, English, Swedish, French, Dutch; some of Danish, Norwegian, Spanish and
// Italian.
//
// Words and not whole labels, because labels are put together freely ("Rechnungssumme ohne USt.", "Total
// HT", "Summa exkl. moms", "Gesamtbetrag inkl. 19 % MwSt."): what they share are a few telling words.
#include "ingestion/ai/rules/total_label.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

using Words = std::vector<std::string>;

// A stem that ends in '*' matches the beginning of a word, one that begins with '*' its end, with both
// its inside; otherwise the whole word. Folded.
bool matches(std::string_view word, std::string_view stem) {
    const bool tail = stem.ends_with('*'), head = stem.starts_with('*');
    if (tail) stem.remove_suffix(1);
    if (head) stem.remove_prefix(1);
    if (head && tail) return word.find(stem) != std::string_view::npos;
    if (tail) return word.starts_with(stem);
    if (head) return word.ends_with(stem);
    return word == stem || (stem.size() >= 7 && nearly_equal(word, stem));
}

bool has(const Words& words, std::span<const std::string_view> stems) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return std::any_of(stems.begin(), stems.end(),
                           [&](std::string_view stem) { return matches(word, stem); });
    });
}

constexpr auto kTax = std::to_array<std::string_view>({"*steuer",    "*steuerbetrag",
                                                       "*mwst*",     "ust",
                                                       "ustbetrag",  "*mehrwertsteuer*",
                                                       "vat",        "tax",
                                                       "taxes",      "tva",
                                                       "btw",        "moms",
                                                       "momsbelopp", "mva",
                                                       "gst",        "hst",
                                                       "cgst",       "sgst",
                                                       "igst",       "iva",
                                                       "taxe",       "*umsatzsteuer*",
                                                       "imposta",    "mvabelop",
                                                       "momsbelob",  "impuesto",
                                                       "alv"});
constexpr auto kNotTax = std::to_array<std::string_view>(
    {"*nummer",     "*nr",     "*satz",       "reg",  "registration", "id",       "idnr",
     "number",      "*basis*", "basisbetrag", "base", "*grundlage",   "underlag", "momsunderlag",
     "*pflichtig*", "befreit", "*befreit",    "frei", "exempt",       "momsfritt"});
constexpr auto kWithin = std::to_array<std::string_view>(
    {"enthaltene", "enthalten", "enthalt", "darin", "davon", "varav", "darav", "hiervon", "whereof",
     "dont", "waarvan", "included"});
constexpr auto kIncluding =
    std::to_array<std::string_view>({"inkl", "inklusive", "incl", "including", "inc", "inclusief",
                                     "inclusive", "brutto*", "ttc", "gross"});
constexpr auto kOnTop =
    std::to_array<std::string_view>({"zzgl", "zuzuglich", "plus", "tillkommer"});
constexpr auto kExcluding = std::to_array<std::string_view>(
    {"exkl",    "exklusive", "excl",   "excluding", "exclusive",  "exclusief", "ex",   "ohne",
     "netto*",  "net",       "ht",     "imponible", "imponibile", "uden",      "uten", "hors",
     "untaxed", "utan",      "before", "without",   "excl",       "nettosumme"});
constexpr auto kLineSum = std::to_array<std::string_view>(
    {"positionssumme", "warenwert", "zwischensumme", "subtotal", "subtotaal", "delsumma",
     "warensumme", "soustotal", "sub", "artikelsumma", "line", "lines"});
constexpr auto kTotal = std::to_array<std::string_view>(
    {"total",  "totals", "totalt",  "totaal",  "totale",  "gesamt*",  "summe",
     "*summe", "summa",  "*summa",  "*betrag", "montant", "*gesamt",  "amount",
     "sum",    "belopp", "*belopp", "bedrag",  "*bedrag", "endsumme", "somme",
     "*total", "belob",  "belop",   "importe", "importo", "yhteensa"});
constexpr auto kGross = std::to_array<std::string_view>(
    {"rechnungsbetrag", "endbetrag", "endsumme", "rechnungssumme", "gesamtbetrag", "gesamtsumme",
     "gesamtpreis", "grand", "totalsumma", "fakturabelopp", "rechnungsendbetrag",
     "rechnungsgesamtbetrag", "fakturasumma", "totalbelopp", "slutsumma", "factuurbedrag",
     "eindtotaal"});
constexpr auto kDue = std::to_array<std::string_view>({"zahlbetrag",
                                                       "zahlen",
                                                       "zahlende",
                                                       "zahlender",
                                                       "zahlendes",
                                                       "due",
                                                       "betala",
                                                       "payer",
                                                       "payable",
                                                       "betalen",
                                                       "balance",
                                                       "solde",
                                                       "restbetrag",
                                                       "offener",
                                                       "pay",
                                                       "uberweisungsbetrag",
                                                       "forderungsbetrag",
                                                       "saldo",
                                                       "voldoen",
                                                       "betale",
                                                       "pagar",
                                                       "pagare"});
constexpr auto kPaid = std::to_array<std::string_view>({"*anzahlung*",
                                                        "*vorauszahlung*",
                                                        "deposit",
                                                        "prepaid",
                                                        "paid",
                                                        "received",
                                                        "betald",
                                                        "betalt",
                                                        "bezahlt",
                                                        "erhaltene",
                                                        "acompte",
                                                        "regle",
                                                        "payment",
                                                        "payments",
                                                        "aanbetaling",
                                                        "gezahlt",
                                                        "abschlagszahlung*",
                                                        "inbetalt",
                                                        "credits",
                                                        "reglement"});
constexpr auto kOther = std::to_array<std::string_view>(
    {"*rabatt*",      "*skonto*",   "*abschlag*", "*zuschlag*",  "discount",
     "*fracht*",      "*versand*",  "shipping",   "frakt",       "*porto*",
     "remise",        "delivery",   "freight",    "handling",    "korting",
     "verzendkosten", "avgift",     "*gebuhr*",   "*avgift",     "previous",
     "ausstehende",   "charge",     "charges",    "*preis",      "unit",
     "price",         "stuckpreis", "a-pris",     "kurs",        "rate",
     "valutakurs",    "kapital",    "capital",    "teilzahlung", "selbstbeteiligung"});
constexpr auto kRounding = std::to_array<std::string_view>(
    {"rundung", "*rundung", "rounding", "avrundning", "oresavrundning", "*avrundning",
     "oresutjamning", "arrondi", "afronding"});

constexpr std::size_t kWordsMax = 9;

}  // namespace

TotalLabel total_label(std::string_view text) {
    auto words = fold_words(text);
    // Percentages and counts say nothing about the kind.
    std::erase_if(words, [](const std::string& word) { return has_digit(word); });
    if (words.empty() || words.size() > kWordsMax) return {};
    const bool tax = has(words, kTax) && !has(words, kNotTax);
    const bool tax_word = has(words, kTax);
    const bool including = has(words, kIncluding), excluding = has(words, kExcluding);
    const bool total = has(words, kTotal), due = has(words, kDue), gross = has(words, kGross);
    // A long row of words with one telling one among them is more likely prose or an item.
    const double brevity = words.size() <= 4 ? 1 : words.size() <= 6 ? 0.8 : 0.6;
    const auto is = [&](TotalKind kind, double strength) {
        return TotalLabel{kind, strength * brevity};
    };

    if (has(words, kRounding)) return is(TotalKind::Rounding, 0.9);
    if (has(words, kPaid) && !due) return is(TotalKind::Paid, 0.8);
    if (tax_word && has(words, kWithin)) return is(TotalKind::TaxWithin, 0.85);
    // "zzgl. 19 % USt. 37,62" is the tax, "Summe zzgl. USt. 198,00" is what it is added to.
    if (tax_word && has(words, kOnTop)) {
        return is(total ? TotalKind::Net : TotalKind::Tax, 0.85);
    }
    if (tax_word && excluding) return is(TotalKind::Net, 0.95);
    if (tax_word && including)
        return is(due ? TotalKind::Due : TotalKind::Gross, total || gross || due ? 0.95 : 0.8);
    if (has(words, kOther) && !gross && !due) return is(TotalKind::Other, 0.8);
    if (tax) return is(TotalKind::Tax, total ? 0.95 : 0.85);
    if (tax_word) return is(TotalKind::Other, 0.7);
    if (due) return is(TotalKind::Due, total ? 0.95 : 0.85);
    if (has(words, kLineSum)) return is(TotalKind::LineSum, 0.8);
    if (excluding && (total || words.size() <= 2)) return is(TotalKind::Net, 0.9);
    if (including && (total || words.size() <= 2)) return is(TotalKind::Gross, 0.95);
    if (gross) return is(TotalKind::Gross, 0.95);
    if (total) return is(TotalKind::Gross, words.size() <= 3 ? 0.75 : 0.5);
    return {};
}

}  // namespace belay::ai::rules
