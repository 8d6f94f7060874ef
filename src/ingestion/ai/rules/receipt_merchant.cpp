#include "ingestion/ai/rules/receipt_merchant.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/seller.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::size_t kHeadLinesMax = 14;

std::size_t letters_in(std::string_view text) {
    const std::string folded = fold_alnum(text);
    return static_cast<std::size_t>(std::count_if(folded.begin(), folded.end(), [](char c) {
        return std::isalpha(static_cast<unsigned char>(c));
    }));
}

double confidence_of(const Line& line) {
    double sum = 0, weight = 0;
    for (const media::Word& word : line.words) {
        sum += word.confidence * static_cast<double>(word.text.size());
        weight += static_cast<double>(word.text.size());
    }
    return weight > 0 ? sum / weight : 0;
}

// Where the head ends: what follows is about the purchase, not the seller.
bool ends_head(const ReceiptLine& line) {
    if (line.role != Role::None && line.role != Role::Table) return line.last() != nullptr;
    return says_any(line.said, {"invoiceno", "receiptno", "billno", "docno", "documentno",
                                "cashier", "description", "tableno", "orderno", "qty", "kassorer",
                                "bonnr", "belegnr", "datetime"});
}

bool is_title(const ReceiptLine& line) {
    return says_any(
        line.said,
        {"taxinvoice", "cashbill",       "cashsale",   "officialreceipt", "kvitto",  "kundenbeleg",
         "kassenbon",  "quittung",       "guestcheck", "thankyou",        "welcome", "valkommen",
         "willkommen", "invoice",        "rechnung",   "faktura",         "receipt", "copy",
         "duplicate",  "offnungszeiten", "oppettider", "openinghours",    "customer"});
}

bool is_contact(const ReceiptLine& line) {
    const std::string_view said = line.said;
    const auto starts = [&](std::string_view word) { return said.rfind(word, 0) == 0; };
    return starts("tel") || starts("fax") || starts("hp") || starts("phone") || starts("www") ||
           starts("http") || starts("email") || starts("hotline") ||
           says_any(said, {"gstreg", "gstno", "gstid", "telefon", "uhr", "orgnr", "companyno",
                           "registrationno"});
}

bool looks_handwritten(const ReceiptLine& line) { return confidence_of(line.line) < 0.3; }

// How much of a line is words that were read surely: a logo read as letters is specks and short pieces.
double clean_share(const Line& line) {
    double clean = 0, all = 0;
    for (const media::Word& word : line.words) {
        const auto size = static_cast<double>(char_count(word.text));
        all += size;
        if (word.confidence >= 0.5 && (letters_in(word.text) >= 2 || word.text == "&"))
            clean += size;
    }
    return all > 0 ? clean / all : 0;
}

// "www.name.de" gives "name"; empty if the line has no such address.
std::string site_in(const Line& line) {
    const std::string text = line.text();
    std::string joined;  // OCR puts spaces into addresses
    for (const char c : fold(text)) {
        if (c != ' ') joined += c;
    }
    const std::size_t at = joined.find("www.");
    if (at == std::string::npos) return {};
    const std::size_t end = joined.find('.', at + 4);
    if (end == std::string::npos || end < at + 7 || end > at + 40) return {};
    const std::string name = joined.substr(at + 4, end - at - 4);
    return letters_in(name) == name.size() ? name : std::string{};
}

struct Named {
    double score = 0;
    std::string name{};
    std::size_t line = 0;
    std::size_t last_line = 0;
};

// Words and a house number right above the postcode and town, however the word for "street" was read.
bool is_street_above_town(const ReceiptText& text, std::size_t index) {
    if (index + 1 >= text.lines.size()) return false;
    const auto& words = text.lines[index].line.words;
    const auto& below = text.lines[index + 1].line.words;
    if (words.size() < 2 || below.empty()) return false;
    const std::string& number = words.back().text;
    const bool house = number.size() <= 4 && digit_count(number) > 0 &&
                       std::isdigit(static_cast<unsigned char>(number.front()));
    const std::string& town = below.front().text;
    return house && town.size() == 5 && digit_count(town) == 5 && below.size() > 1;
}

// "(JALAN KLANG LAMA)" on a line of its own below the name says which branch, as it does on the name's own.
bool is_branch(const ReceiptLine& line) {
    const std::string whole{trim(line.line.text())};
    return whole.size() > 4 && whole.front() == '(' && whole.back() == ')' &&
           digit_count(whole) == 0 && letters_in(whole) >= 3;
}

// The name stands above the street, with perhaps a branch or what kind of place it is in between.
bool stands_above_address(const ReceiptText& text, std::size_t index) {
    for (std::size_t i = index + 1; i < text.lines.size() && i <= index + 2; ++i) {
        if (is_address(text.lines[i].line.text())) return true;
        if (is_contact(text.lines[i]) || is_title(text.lines[i])) return false;
    }
    return false;
}

double name_score(const ReceiptText& text, std::size_t index, std::size_t rank) {
    const ReceiptLine& line = text.lines[index];
    const std::string whole = line.line.text();
    const std::size_t letters = letters_in(whole);
    if (letters < 3) return 0;
    double score = 1.2 - 0.3 * static_cast<double>(std::min<std::size_t>(rank, 4));
    if (has_firm_form(whole))
        score += 2.5;
    else if (has_trade_word(line.said))
        score += 0.25;
    if (stands_above_address(text, index)) score += 0.5;
    score += std::clamp((line.line.box.height / text.height - 1.2) * 0.5, 0.0, 0.6);
    const double digits = static_cast<double>(digit_count(whole));
    score -=
        std::min(1.5, 2.5 * digits / static_cast<double>(std::max<std::size_t>(1, whole.size())));
    // A logo read as letters is not a name.
    score *= std::clamp((confidence_of(line.line) - 0.2) / 0.5, 0.1, 1.0);
    if (whole.find_first_of("?!|") != std::string::npos) score *= 0.6;  // a slogan, or specks
    score *= std::clamp(0.3 + clean_share(line.line), 0.3, 1.0);
    return score;
}

}  // namespace

Merchant find_merchant(const ReceiptText& text) {
    Merchant found;
    Named best;
    std::size_t rank = 0, head_end = 0;
    for (std::size_t i = 0; i < text.lines.size() && i < kHeadLinesMax; ++i) {
        const ReceiptLine& line = text.lines[i];
        head_end = i;
        if (ends_head(line) && i > 1) break;
        head_end = i + 1;
        const std::string whole = line.line.text();
        if (is_title(line) || is_contact(line) || is_address(whole) || looks_handwritten(line) ||
            is_street_above_town(text, i)) {
            // An address that ends with the company's form in it is still the company.
            if (!has_firm_form(whole) || is_contact(line)) continue;
        }
        if (letters_in(whole) < 3) continue;
        const double score = name_score(text, i, rank);
        if (clean_share(line.line) > 0.5) ++rank;
        if (score > best.score) best = {score, company_name(whole), i, i};
    }
    // In some countries the head is a logo, and the foot says who it is. A seller without a legal form in
    // its head gives way to one with it; a form of many makers of tills does not count.
    if (!has_firm_form(best.name)) {
        for (std::size_t i = head_end; i < text.lines.size(); ++i) {
            const ReceiptLine& line = text.lines[i];
            const std::string whole = line.line.text();
            if (!has_firm_form(whole) || is_contact(line) ||
                says_any(line.said, {"powered", "software", "system"}))
                continue;
            const bool firm = has_seller_form(whole) && !says_any(line.said, {"sdnbhd"});
            const double score = (firm ? 3.2 : 1.0) * confidence_of(line.line);
            if (score > best.score) best = {score, company_name(whole), i, i};
        }
    }
    if (best.score < 1.3) {
        for (const ReceiptLine& line : text.lines) {
            const std::string site = site_in(line.line);
            if (!site.empty() && confidence_of(line.line) > 0.3) {
                best = {1.4, site, static_cast<std::size_t>(&line - text.lines.data()), 0};
                break;
            }
        }
    }
    if (best.score <= 0 || best.name.empty()) return found;

    // "WESTERN EASTERN / STATIONERY SDN. BHD": a form with one word before it goes on from the line above.
    const Line& line = text.lines[best.line].line;
    if (best.line > 0 && best.line < head_end && has_firm_form(best.name) &&
        words_before_form(best.name) <= 1) {
        const ReceiptLine& above = text.lines[best.line - 1];
        const double gap = line.box.y - above.line.box.bottom();
        if (letters_in(above.line.text()) >= 3 && gap < 1.2 * line.box.height && !is_title(above) &&
            !is_contact(above) && digit_count(above.line.text()) == 0 &&
            !looks_handwritten(above)) {
            best.name = std::string{trim(above.line.text())} + " " + best.name;
        }
    }
    if (best.line + 1 < head_end && has_firm_form(best.name) && best.name.back() != ')' &&
        is_branch(text.lines[best.line + 1]))
        best.name += " " + std::string{trim(text.lines[best.line + 1].line.text())};
    found.name = {best.name, std::clamp(best.score / 3.5, 0.0, 0.99), line.page, line.box};

    // The address stands below the name.
    std::string address;
    media::Box box{};
    double sure = 1;
    for (std::size_t i = best.line + 1; i < text.lines.size() && i <= best.line + 8; ++i) {
        const ReceiptLine& next = text.lines[i];
        const std::string whole = next.line.text();
        const bool part =
            !is_title(next) && !is_contact(next) && !ends_head(next) && is_address(whole);
        if (!part) {
            // The registration number may stand between; anything else ends it.
            if (!address.empty()) break;
            if (is_title(next) || ends_head(next)) break;
            continue;
        }
        box = address.empty() ? next.line.box : joined(box, next.line.box);
        address += (address.empty() ? "" : " ") + whole;
        sure = std::min(sure, confidence_of(next.line));
    }
    if (!address.empty()) found.address = {address, sure, line.page, box};

    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const std::string number = organisation_number(text.lines[i].line.text());
        if (number.empty()) continue;
        const Line& at = text.lines[i].line;
        found.orgnr = {number, confidence_of(at), at.page, at.box};
        break;
    }
    return found;
}

}  // namespace belay::ai::rules
