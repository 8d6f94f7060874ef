#include "ingestion/media/language.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace belay::media {
namespace {

// Words that are frequent in one of the languages and mean nothing in the others. Spelt without dots
// and rings: a reader with the wrong model loses them.
constexpr std::array kSwedish{
    "och",    "att",       "det",   "som",       "inte",    "till",    "av",      "for",
    "kvitto", "moms",      "summa", "totalt",    "betala",  "kontant", "kort",    "kassa",
    "org",    "orgnr",     "oppet", "valkommen", "tack",    "kopet",   "varav",   "belopp",
    "kronor", "kr",        "sek",   "faktura",   "datum",   "antal",   "pris",    "butik",
    "kund",   "stockholm", "ater",  "spara",     "kvittot", "konto",   "moms%",   "netto",
    "brutto", "kortkop",   "ej",    "telefon",   "med",     "vid",     "aterkop", "oresavrundning"};
constexpr std::array kGerman{
    "und",         "der",     "die",           "das",      "mit",          "fur",    "ihr",
    "ihre",        "nicht",   "wir",           "sie",      "bei",          "von",    "summe",
    "mwst",        "eur",     "euro",          "gesamt",   "betrag",       "bar",    "ruckgeld",
    "gegeben",     "steuer",  "ust",           "rechnung", "datum",        "uhr",    "uhrzeit",
    "beleg",       "kasse",   "filiale",       "danke",    "einkauf",      "vielen", "dank",
    "strasse",     "str",     "gmbh",          "tel",      "bon",          "netto",  "brutto",
    "kundenbeleg", "zahlung", "kartenzahlung", "posten",   "zwischensumme"};
constexpr std::array kEnglish{
    "the",    "and",     "of",    "for",  "you",      "total",    "cash",        "change",
    "tax",    "invoice", "thank", "date", "receipt",  "amount",   "sales",       "price",
    "qty",    "item",    "tel",   "no",   "subtotal", "customer", "card",        "your",
    "please", "with",    "are",   "sold", "goods",    "payment",  "balance",     "rounding",
    "gst",    "from",    "this",  "time", "cashier",  "table",    "description", "quantity"};

template <std::size_t N>
int in(const std::array<const char*, N>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end() ? 1 : 0;
}

// Lower-case ASCII letters only; letters with marks lose them where UTF-8 makes that easy.
std::string plain(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 0x80) {
            if (std::isalpha(c)) out += static_cast<char>(std::tolower(c));
            continue;
        }
        if (c != 0xc3 || i + 1 >= text.size()) continue;
        const auto next = static_cast<unsigned char>(text[++i]) | 0x20u;  // lower case
        if (next >= 0xa0 && next <= 0xa5)
            out += 'a';
        else if (next >= 0xa8 && next <= 0xab)
            out += 'e';
        else if (next >= 0xb2 && next <= 0xb6)
            out += 'o';
        else if (next >= 0xb9 && next <= 0xbc)
            out += 'u';
    }
    return out;
}

}  // namespace

std::string guess_language(const std::vector<Word>& words) {
    int swedish = 0, german = 0, english = 0;
    for (const Word& word : words) {
        const std::string said = plain(word.text);
        swedish += in(kSwedish, said);
        german += in(kGerman, said);
        english += in(kEnglish, said);
    }
    const int most = std::max({swedish, german, english});
    if (most < 3) return {};
    // Receipts mix languages (a German one says "Total", a Swedish one "TAX INVOICE"): a tie says nothing.
    if (swedish == most && swedish > std::max(german, english)) return "swe";
    if (german == most && german > std::max(swedish, english)) return "deu";
    if (english == most && english > std::max(swedish, german)) return "eng";
    return {};
}

}  // namespace belay::media
