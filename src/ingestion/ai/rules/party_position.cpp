#include "ingestion/ai/rules/party_position.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "ingestion/ai/rules/company.hpp"
#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

// "Lieferant GmbH Lieferantenstraße 20 80333 München": the name ends with its legal form.
std::optional<PartyName> sender_without_marks(const Line& line, const Segment& segment) {
    // A name and an address; a line with more words is text, of which every beginning would be looked at.
    constexpr std::size_t kWordsMax = 30;
    if (segment.count > kWordsMax) return {};
    for (std::size_t n = segment.count; n-- > 2;) {
        const auto name = line.text(segment.first, n);
        const bool ends_in_form =
            has_legal_form(name) && !has_legal_form(line.text(segment.first, n - 1));
        if (!ends_in_form || has_digit(name) || !is_name_like(name)) continue;
        const auto rest = fold_words(line.text(segment.first + n, segment.count - n));
        const bool postal = std::any_of(rest.begin(), rest.end(), [](const auto& word) {
            return word.size() == 5 && digit_count(word) == 5;
        });
        if (postal && rest.size() >= 3)
            return PartyName{clean_name(name), 0.8, line.page, line.box_of(segment.first, n)};
    }
    return {};
}

// The parts of "Name - Street 1 - 12345 Town": the line of the sender above an address, or a
// letterhead in one line.
std::optional<PartyName> sender_line(const Line& line, const Segment& segment) {
    const auto text = line.text(segment.first, segment.count);
    std::vector<std::string> parts{""};
    std::size_t first_words = 0;
    for (auto i = segment.first; i < segment.first + segment.count; ++i) {
        auto word = line.words[i].text;
        const bool mark = word == "-" || word == "\u2013" || word == "\u00B7" || word == "\u2022" ||
                          word == "|" || word == "*" || word == "\u2014" || word == "\u25CF";
        if (mark) {
            parts.emplace_back();
            continue;
        }
        const bool comma = word.ends_with(',');
        if (comma) word.pop_back();
        parts.back() += parts.back().empty() ? word : " " + word;
        if (parts.size() == 1) first_words = i - segment.first + 1;
        if (comma) parts.emplace_back();
    }
    std::erase_if(parts, [](const std::string& part) { return part.empty(); });
    if (parts.size() == 1) return sender_without_marks(line, segment);
    if (parts.size() < 3 || parts.size() > 8 || !is_name_like(parts[0]) ||
        parts[0].find(':') != std::string::npos) {
        return {};
    }
    const auto addresses = std::count_if(parts.begin() + 1, parts.end(),
                                         [](const auto& part) { return is_address_line(part); });
    if (addresses < 2) return {};
    return PartyName{clean_name(parts[0]), 0.88, line.page,
                     line.box_of(segment.first, first_words)};
}

// Names that web and mail addresses of the document speak for: "aubonmoulin" in www.aubonmoulin.fr.
std::vector<std::string> web_names(const Document& document) {
    std::vector<std::string> names;
    for (const auto& line : document.lines) {
        for (const auto& word : line.words) {
            auto text = fold(word.text);
            auto at = text.find('@');
            if (at == std::string::npos)
                at = text.find("www.") == std::string::npos ? std::string::npos
                                                            : text.find("www.") + 3;
            if (at == std::string::npos) continue;
            auto host = text.substr(at + 1);
            const auto dot = host.rfind('.');
            if (dot == std::string::npos || dot < 3) continue;
            names.push_back(fold_alnum(host.substr(0, dot)));
        }
    }
    return names;
}

double web_support(const std::string& name, const std::vector<std::string>& web) {
    const auto whole = fold_alnum(name);
    double most = 0;
    for (const auto& host : web) {
        if (host.size() < 4) continue;
        if (whole.starts_with(host) || (whole.size() >= 4 && host.starts_with(whole)))
            most = std::max(most, 0.25);
        const auto first = fold_words(name);
        if (!first.empty() && first[0].size() >= 4 && host.starts_with(first[0]))
            most = std::max(most, 0.15);
    }
    return most;
}

}  // namespace

std::vector<PartyName> sellers_by_position(const Document& document,
                                           const std::vector<PartyName>& buyers) {
    std::vector<PartyName> sellers;
    const auto web = web_names(document);
    std::map<std::string, int> seen;
    std::vector<PartyName> found;
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        const auto& line = document.lines[l];
        if (line.page != document.first_page) continue;
        const double y = line.box.y / std::max(1.0, document.page_height);
        for (const auto& segment : segments_of(line, 1.6)) {
            if (auto name = sender_line(line, segment)) {
                name->score += web_support(name->text, web);
                ++seen[fold_alnum(name->text)];
                found.push_back(*name);
                continue;
            }
            auto text = line.text(segment.first, segment.count);
            if (!is_name_like(text)) continue;
            auto box = segment.box;
            const bool top = y<0.25, foot = y> 0.8;
            const auto below = block_below(document, l, segment.box, 1.2);
            bool company = has_legal_form(text);
            if (!company && top && !below.empty() && has_legal_form(below[0].text) &&
                is_name_like(below[0].text) &&
                std::abs(below[0].box.height - box.height) < 0.3 * box.height) {
                text += " " + below[0].text;
                box = joined(box, below[0].box);
                company = true;
            }
            const bool addressed = std::any_of(
                below.begin(),
                below.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, below.size())),
                [](const BlockLine& row) {
                    return is_address_line(row.text) || is_contact_line(row.text);
                });
            // A seller says how to reach or pay it; a buyer's block does not.
            const bool contact = std::any_of(below.begin(), below.end(), [](const BlockLine& row) {
                return is_contact_line(row.text);
            });
            double score = 0.1;
            if (company) score += 0.3;
            if (top) score += 0.15;
            if (foot && company) score += 0.2;
            if (l <= 2 && top) score += 0.15;
            if (addressed) score += 0.1;
            if (contact) score += 0.2;
            if (box.height > 1.3 * document.height) score += 0.1;
            score += web_support(text, web);
            if (!top && !foot && !contact) score -= 0.25;
            ++seen[fold_alnum(text)];
            found.push_back({clean_name(text), score, line.page, box});
        }
    }
    // The second line of a name in two lines is no name of its own.
    const auto all = found;
    std::erase_if(found, [&](const PartyName& name) {
        const auto text = fold_alnum(name.text);
        return std::any_of(all.begin(), all.end(), [&](const PartyName& other) {
            const auto whole = fold_alnum(other.text);
            return whole.size() > text.size() && whole.ends_with(text) &&
                   overlap_y(other.box, name.box) > 0.9;
        });
    });
    for (auto& name : found) {
        if (seen[fold_alnum(name.text)] > 1) name.score += 0.1;
        const bool is_buyer =
            std::any_of(buyers.begin(), buyers.end(), [&](const PartyName& buyer) {
                return fold_alnum(buyer.text) == fold_alnum(name.text);
            });
        if (is_buyer) continue;
        name.score = std::min(name.score, 0.9);
        sellers.push_back(name);
    }
    return sellers;
}

std::vector<PartyName> buyers_by_position(const Document& document, const std::string& seller) {
    std::vector<PartyName> buyers;
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        const auto& line = document.lines[l];
        if (line.page != document.first_page || line.box.y > 0.45 * document.page_height) continue;
        for (const auto& segment : segments_of(line, 1.6)) {
            const auto text = line.text(segment.first, segment.count);
            const auto below = block_below(document, l, segment.box, 1.3);
            std::vector<BlockLine> block{{text, segment.box, l, segment}};
            block.insert(block.end(), below.begin(), below.end());
            if (!is_name_like(text) && !is_salutation(text)) continue;
            const auto addresses = std::count_if(
                block.begin() + 1,
                block.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(6, block.size())),
                [](const BlockLine& row) { return is_address_line(row.text); });
            const bool contact =
                std::any_of(block.begin() + 1, block.end(),
                            [](const BlockLine& row) { return is_contact_line(row.text); });
            const bool town = std::any_of(block.begin() + 1, block.end(), [](const BlockLine& row) {
                return is_town_line(row.text);
            });
            if (addresses < 2 || !town) continue;
            auto name = name_of(document, block);
            if (!name || (!seller.empty() &&
                          fold_alnum(name->text).find(fold_alnum(seller)) != std::string::npos))
                continue;
            // The first line of its block, not a line within it.
            if (l > 0) {
                const auto& above = document.lines[l - 1];
                bool within = false;
                for (const auto& piece : segments_of(above, 1.6)) {
                    within =
                        within ||
                        (above.page == line.page && std::abs(piece.box.x - segment.box.x) < 3 &&
                         segment.box.y - piece.box.bottom() < 0.9 * document.height &&
                         (is_name_like(above.text(piece.first, piece.count)) ||
                          is_salutation(above.text(piece.first, piece.count))) &&
                         std::abs(piece.box.height - segment.box.height) <
                             0.2 * segment.box.height);
                }
                if (within) continue;
            }
            name->score = contact ? 0.5 : 0.65;
            buyers.push_back(*name);
        }
    }
    return buyers;
}

}  // namespace belay::ai::rules
