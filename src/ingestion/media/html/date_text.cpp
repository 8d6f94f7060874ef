#include "ingestion/media/html/date_text.hpp"

#include <array>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

struct MonthName {
    std::string_view stem;  // a word that starts with it is the month
    int month;
};

// Stems of English, German, French, Spanish, Italian, Portuguese, Dutch, the Nordic languages, Polish,
// Czech, Croatian, Hungarian, Romanian, Turkish, Russian, Ukrainian, Greek. The first stem that fits
// decides, so a longer one stands before the shorter that it begins with.
constexpr auto kMonths = std::to_array<MonthName>({
    {"januar", 1},   {"jan", 1},        {"jän", 1},     {"janv", 1},      {"enero", 1},
    {"ene", 1},      {"genn", 1},       {"gen", 1},     {"stycz", 1},     {"leden", 1},
    {"ledna", 1},    {"ianuarie", 1},   {"ocak", 1},    {"январ", 1},     {"янв", 1},
    {"січ", 1},      {"ιαν", 1},        {"tammik", 1},  {"sije", 1},      {"feb", 2},
    {"fév", 2},      {"fev", 2},        {"febbr", 2},   {"luty", 2},      {"lutego", 2},
    {"únor", 2},     {"şubat", 2},      {"феврал", 2},  {"фев", 2},       {"лют", 2},
    {"φεβ", 2},      {"helmik", 2},     {"velja", 2},   {"mars", 3},      {"march", 3},
    {"mär", 3},      {"maer", 3},       {"mrz", 3},     {"marzo", 3},     {"març", 3},
    {"maart", 3},    {"marzec", 3},     {"marca", 3},   {"březn", 3},     {"břez", 3},
    {"már", 3},      {"март", 3},       {"берез", 3},   {"μαρ", 3},       {"maalis", 3},
    {"ožuj", 3},     {"mar", 3},        {"apr", 4},     {"avr", 4},       {"abr", 4},
    {"kwie", 4},     {"dubn", 4},       {"duben", 4},   {"április", 4},   {"ápr", 4},
    {"nisan", 4},    {"апр", 4},        {"квіт", 4},    {"απρ", 4},       {"huhti", 4},
    {"travnja", 4},  {"mai", 5},        {"may", 5},     {"maj", 5},       {"mag", 5},
    {"mei", 5},      {"květ", 5},       {"máj", 5},     {"mayıs", 5},     {"мая", 5},
    {"май", 5},      {"трав", 5},       {"μαΐ", 5},     {"μάι", 5},       {"touko", 5},
    {"svib", 5},     {"jun", 6},        {"juin", 6},    {"giu", 6},       {"czerw", 6},
    {"červn", 6},    {"červen", 6},     {"jún", 6},     {"iun", 6},       {"haziran", 6},
    {"июн", 6},      {"черв", 6},       {"ιουν", 6},    {"kesä", 6},      {"jul", 7},
    {"juil", 7},     {"lug", 7},        {"lipiec", 7},  {"lipca", 7},     {"červenec", 7},
    {"července", 7}, {"júl", 7},        {"iul", 7},     {"temmuz", 7},    {"июл", 7},
    {"лип", 7},      {"ιουλ", 7},       {"heinä", 7},   {"srpnja", 7},    {"aug", 8},
    {"aoû", 8},      {"aou", 8},        {"ago", 8},     {"sierp", 8},     {"srpen", 8},
    {"srpna", 8},    {"ağustos", 8},    {"август", 8},  {"авг", 8},       {"серп", 8},
    {"αυγ", 8},      {"elo", 8},        {"kolovoz", 8}, {"sep", 9},       {"set", 9},
    {"wrze", 9},     {"září", 9},       {"szept", 9},   {"eylül", 9},     {"сент", 9},
    {"верес", 9},    {"σεπ", 9},        {"syys", 9},    {"rujna", 9},     {"oct", 10},
    {"okt", 10},     {"ott", 10},       {"out", 10},    {"paźdz", 10},    {"říj", 10},
    {"ekim", 10},    {"октяб", 10},     {"окт", 10},    {"жовт", 10},     {"οκτ", 10},
    {"loka", 10},    {"listopada", 11}, {"nov", 11},    {"listopad", 11}, {"kasım", 11},
    {"нояб", 11},    {"листоп", 11},    {"νοε", 11},    {"marras", 11},   {"studen", 11},
    {"dec", 12},     {"dez", 12},       {"déc", 12},    {"dic", 12},      {"des", 12},
    {"grud", 12},    {"prosin", 12},    {"aralık", 12}, {"декаб", 12},    {"дек", 12},
    {"груд", 12},    {"δεκ", 12},       {"joulu", 12},
});

int month_of(std::string_view word) {
    if (word.size() < 3) return 0;
    for (const auto& one : kMonths)
        if (word.starts_with(one.stem) && (one.stem.size() > 3 || word.size() <= 12)) {
            // "červenec" begins like "červen"; "maybe" begins like "may".
            if (one.stem == "červen" && word.starts_with("července")) return 7;
            if (one.stem == "červen" && word.starts_with("červenec")) return 7;
            if (one.month == 5 && word.starts_with("mayo") && word != "mayo") return 0;
            if (word == "maybe" || word == "marketing" || word == "second" || word == "august's" ||
                word == "generally" || word == "general")
                return 0;
            return one.month;
        }
    return 0;
}

struct Piece {
    bool number = false;
    int value = 0;  // of a number, at most 8 digits
    std::size_t digits = 0;
    std::string_view text{};     // of a word
    std::string_view between{};  // what stands before it
};

std::vector<Piece> pieces_of(std::string_view text) {
    std::vector<Piece> pieces;
    std::size_t gap = 0;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
    };
    for (std::size_t at = 0; at < text.size() && pieces.size() < 400;) {
        const std::size_t begin = at;
        if (is_digit(text[at])) {
            while (at < text.size() && is_digit(text[at])) ++at;
            Piece piece{.number = true,
                        .digits = at - begin,
                        .text = text.substr(begin, at - begin),
                        .between = text.substr(gap, begin - gap)};
            if (piece.digits <= 8)
                for (const char c : piece.text) piece.value = piece.value * 10 + (c - '0');
            pieces.push_back(piece);
            gap = at;
        } else if (is_letter(text[at])) {
            while (at < text.size() && is_letter(text[at])) ++at;
            pieces.push_back(
                {.text = text.substr(begin, at - begin), .between = text.substr(gap, begin - gap)});
            gap = at;
        } else {
            ++at;
        }
    }
    return pieces;
}

std::optional<std::string> make(int year, int month, int day) {
    using namespace std::chrono;
    if (year < 1990 || year > 2100) return std::nullopt;
    const year_month_day date{std::chrono::year{year},
                              std::chrono::month{static_cast<unsigned>(month)},
                              std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) return std::nullopt;
    return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

bool is_year(const Piece& p) {
    return p.number && p.digits == 4 && p.value >= 1990 && p.value <= 2100;
}
bool is_day(const Piece& p) { return p.number && p.digits <= 2 && p.value >= 1 && p.value <= 31; }

bool tight(std::string_view between) { return between.size() <= 2; }

// Three pieces that are a date, if they are.
std::optional<std::string> date_at(const Piece& a, const Piece& b, const Piece& c,
                                   bool month_first) {
    const bool numbers = a.number && b.number && c.number;
    if (numbers && tight(b.between) && tight(c.between)) {
        const bool marks = b.between.find_first_of("-/.") != std::string_view::npos &&
                           c.between.find_first_of("-/.") != std::string_view::npos;
        if (is_year(a) && marks && b.digits <= 2 && c.digits <= 2)
            return make(a.value, b.value, c.value);
        const bool short_year =
            c.digits == 2 && b.between == "." && c.between == "." && a.digits == 2;
        if ((is_year(c) || short_year) && marks && a.digits <= 2 && b.digits <= 2) {
            const int year = short_year ? 2000 + c.value : c.value;
            // Dots and dashes are European; only slashes are ambiguous.
            const bool american = month_first && b.between.find('/') != std::string_view::npos;
            if (american || b.value > 12) return make(year, a.value, b.value);
            return make(year, b.value, a.value);
        }
        return std::nullopt;
    }
    if (is_day(a) && !b.number && is_year(c) && b.between.size() <= 5 && c.between.size() <= 4)
        if (const int month = month_of(b.text)) return make(c.value, month, a.value);
    if (!a.number && is_day(b) && is_year(c) && b.between.size() <= 3 && c.between.size() <= 5)
        if (const int month = month_of(a.text)) return make(c.value, month, b.value);
    if (is_year(a) && !b.number && is_day(c))
        if (const int month = month_of(b.text)) return make(a.value, month, c.value);
    return std::nullopt;
}

// "2020年1月31日", "2020년 1월 31일": number, one sign, number, one sign, number.
std::optional<std::string> date_with_signs(const Piece& a, const Piece& b, const Piece& c,
                                           const Piece& d, const Piece& e) {
    if (!is_year(a) || b.number || !c.number || d.number || !e.number) return std::nullopt;
    if ((b.text == "年" && d.text == "月") || (b.text == "년" && d.text == "월"))
        return make(a.value, c.value, e.value);
    return std::nullopt;
}

bool is_ordinal_or_filler(std::string_view word) {
    return word == "st" || word == "nd" || word == "rd" || word == "th" || word == "de" ||
           word == "of" || word == "er" || word == "del" || word == "a";
}

}  // namespace

std::optional<std::string> find_date(std::string_view text, bool month_first) {
    const std::string low = lower(text.substr(0, 4000));
    std::vector<Piece> pieces = pieces_of(low);
    // "31st of January" and "31 de enero de 2020" without the little words.
    std::vector<Piece> kept;
    for (const Piece& piece : pieces)
        if (piece.number || !is_ordinal_or_filler(piece.text)) kept.push_back(piece);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (i + 4 < kept.size())
            if (const auto date =
                    date_with_signs(kept[i], kept[i + 1], kept[i + 2], kept[i + 3], kept[i + 4]))
                return date;
        if (i + 2 < kept.size())
            if (const auto date = date_at(kept[i], kept[i + 1], kept[i + 2], month_first))
                return date;
        if (kept[i].number && kept[i].digits == 8) {
            const int value = kept[i].value;
            if (const auto date = make(value / 10000, value / 100 % 100, value % 100)) return date;
        }
    }
    return std::nullopt;
}

std::optional<std::string> date_in_url(std::string_view url) {
    if (const auto scheme = url.find("://"); scheme != std::string_view::npos) {
        const auto path = url.find('/', scheme + 3);
        if (path == std::string_view::npos) return std::nullopt;
        url.remove_prefix(path);
    }
    const std::vector<Piece> pieces = pieces_of(url);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!pieces[i].number) continue;
        if (pieces[i].digits == 8) {
            const int value = pieces[i].value;
            if (const auto date = make(value / 10000, value / 100 % 100, value % 100)) return date;
            if (const auto date = make(value % 10000, value / 10000 % 100, value / 1000000))
                return date;
        }
        if (i + 2 < pieces.size() && is_year(pieces[i]) && pieces[i + 1].number &&
            pieces[i + 2].number && pieces[i + 1].digits <= 2 && pieces[i + 2].digits <= 2 &&
            pieces[i + 1].between.size() == 1 && pieces[i + 2].between.size() == 1)
            if (const auto date = make(pieces[i].value, pieces[i + 1].value, pieces[i + 2].value))
                return date;
    }
    return std::nullopt;
}

}  // namespace belay::media::html
