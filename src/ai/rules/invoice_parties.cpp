// invoice_parties.cpp — labelled blocks first, then letterheads, footers and web addresses.
#include "ai/rules/invoice_parties.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "ai/rules/company.hpp"
#include "ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

enum Meaning { Seller = 1, Buyer = 2, OtherParty = 3 };

constexpr auto kLabels = std::to_array<Label>({
    {"verkaufer", Seller},
    {"lieferant", Seller},
    {"seller", Seller},
    {"supplier", Seller},
    {"vendor", Seller},
    {"saljare", Seller},
    {"leverantor", Seller},
    {"rechnungssteller", Seller},
    {"rechnungsaussteller", Seller},
    {"vendeur", Seller},
    {"fournisseur", Seller},
    {"verkoper", Seller},
    {"leverancier", Seller},
    {"from", Seller},
    {"billfrom", Seller},
    {"invoicefrom", Seller},
    {"avsandare", Seller},
    {"leistungserbringer", Seller},
    {"auftragnehmer", Seller},
    {"kaufer", Buyer},
    {"kauferleistungsempfanger", Buyer},
    {"leistungsempfanger", Buyer},
    {"rechnungsempfanger", Buyer},
    {"kunde", Buyer},
    {"buyer", Buyer},
    {"customer", Buyer},
    {"billto", Buyer},
    {"billedto", Buyer},
    {"soldto", Buyer},
    {"invoiceto", Buyer},
    {"client", Buyer},
    {"kopare", Buyer},
    {"kund", Buyer},
    {"fakturaadress", Buyer},
    {"faktureringsadress", Buyer},
    {"rechnungsadresse", Buyer},
    {"rechnungsanschrift", Buyer},
    {"acheteur", Buyer},
    {"facturea", Buyer},
    {"adressedefacturation", Buyer},
    {"factuuradres", Buyer},
    {"klant", Buyer},
    {"auftraggeber", Buyer},
    {"fakturamottagare", Buyer},
    {"invoiceaddress", Buyer},
    {"billingaddress", Buyer},
    {"to", Buyer},
    {"shipto", OtherParty},
    {"deliveryaddress", OtherParty},
    {"lieferadresse", OtherParty},
    {"leveransadress", OtherParty},
    {"warenempfanger", OtherParty},
    {"abweichenderwarenempfanger", OtherParty},
    {"abweichenderzahlungsempfanger", OtherParty},
    {"abweichenderrechnungsempfanger", OtherParty},
    {"steuerbevollmachtigterdesverkaufers", OtherParty},
    {"lieferanschrift", OtherParty},
    {"adressedelivraison", OtherParty},
    {"afleveradres", OtherParty},
    {"deliverto", OtherParty},
    {"payee", OtherParty},
    {"zahlungsempfanger", OtherParty},
    {"contactcommercial", OtherParty},
});

struct Name {
    std::string text{};
    double score = 0;
    int page = 0;
    media::Box box{};
};

// A line of a block: the piece of a line that stands in the block's column.
struct BlockLine {
    std::string text{};
    media::Box box{};
    std::size_t line = 0;
    Segment segment{};
};

// The pieces below `box` whose left edge stands in its column, until a gap of `gap` text heights.
std::vector<BlockLine> block_below(const Document& document, std::size_t line,
                                   const media::Box& box, double gap = 3.6) {
    std::vector<BlockLine> block;
    double bottom = box.bottom();
    for (auto l = line + 1; l < document.lines.size() && block.size() < 10; ++l) {
        if (document.lines[l].page != document.lines[line].page) break;
        if (document.lines[l].box.y - bottom > (gap + 3) * document.height) break;
        for (const auto& segment : segments_of(document.lines[l], 1.6)) {
            if (std::abs(segment.box.x - box.x) > 2.5 * document.height) continue;
            if (segment.box.y - bottom > gap * document.height) return block;
            block.push_back(
                {document.lines[l].text(segment.first, segment.count), segment.box, l, segment});
            bottom = segment.box.bottom();
            break;
        }
    }
    return block;
}

// "Name: X" in a block, with X in the next column; a first line of X may stand above the label.
std::optional<Name> named_row(const Document& document, const BlockLine& row) {
    const auto folded = fold_alnum(document.lines[row.line].words[row.segment.first].text);
    if (folded != "name" && folded != "firma" && folded != "namn" && folded != "nom") return {};
    const auto& line = document.lines[row.line];
    const auto from = row.segment.first + 1;
    if (from >= line.words.size()) return {};
    Line rest{
        line.page, {}, {line.words.begin() + static_cast<std::ptrdiff_t>(from), line.words.end()}};
    const auto segments = segments_of(rest, 1.6);
    auto text = rest.text(segments[0].first, segments[0].count);
    auto box = segments[0].box;
    if (row.line > 0) {
        const auto& above = document.lines[row.line - 1];
        if (above.page == line.page && !above.words.empty() &&
            std::abs(above.box.x - box.x) < 0.5 * document.height &&
            box.y - above.box.bottom() < 0.9 * document.height && !has_digit(above.text())) {
            text = above.text() + " " + text;
            box = joined(box, above.box);
        }
    }
    return Name{clean_name(text), 0.95, line.page, box};
}

// The name at the head of an address block.
std::optional<Name> name_of(const Document& document, const std::vector<BlockLine>& block) {
    for (const auto& row : block) {
        if (auto name = named_row(document, row)) return name;
    }
    for (std::size_t i = 0; i < block.size() && i < 4; ++i) {
        const auto& row = block[i];
        if (is_salutation(row.text) && i + 1 < block.size()) {
            return Name{clean_name(row.text + " " + block[i + 1].text), 0.9,
                        document.lines[row.line].page, joined(row.box, block[i + 1].box)};
        }
        // Numbers of the party ("Nummer: 549910", "GLN 433…") stand above its name.
        if (!is_name_like(row.text) || row.text.find(':') != std::string::npos) continue;
        Name name{row.text, 0.9, document.lines[row.line].page, row.box};
        // A long name goes on in the next line, where its legal form is.
        if (!has_legal_form(row.text) && i + 1 < block.size() &&
            has_legal_form(block[i + 1].text) && !is_address_line(block[i + 1].text) &&
            !is_contact_line(block[i + 1].text)) {
            name.text += " " + block[i + 1].text;
            name.box = joined(name.box, block[i + 1].box);
        }
        name.text = clean_name(name.text);
        return name;
    }
    return {};
}

// Labelled names: below the label, or right of it.
void from_labels(const Document& document, std::vector<Name>& sellers, std::vector<Name>& buyers) {
    for (const auto& label : find_labels(document.lines, kLabels)) {
        if (label.meaning == OtherParty) continue;
        const auto& line = document.lines[label.line];
        // A label stands alone or ends in a colon; inside a sentence it is a word.
        const auto segments = segments_of(line, 1.6);
        const auto own = std::find_if(segments.begin(), segments.end(), [&](const Segment& s) {
            return s.first <= label.first && label.first < s.first + s.count;
        });
        const bool begins = own != segments.end() && own->first == label.first;
        const auto last = label.first + label.count;
        const bool ends = own != segments.end() && own->first + own->count == last;
        const bool colon = line.words[last - 1].text.ends_with(':') ||
                           (last < line.words.size() && line.words[last].text == ":");
        if (!begins || (!ends && !colon)) continue;
        const bool weak =
            line.text(label.first, label.count).size() <= 5;  // "From", "To": only with a colon
        if (weak && !colon) continue;
        std::optional<Name> name;
        if (colon && !ends) {
            auto first = last;
            if (first < line.words.size() && line.words[first].text == ":") ++first;
            const auto text = line.text(first, own->first + own->count - first);
            if (is_name_like(text))
                name = Name{clean_name(text), 0.9, line.page,
                            line.box_of(first, own->first + own->count - first)};
        }
        if (!name) name = name_of(document, block_below(document, label.line, label.box));
        if (!name && colon && ends && own + 1 != segments.end()) {
            const auto text = line.text((own + 1)->first, (own + 1)->count);
            if (is_name_like(text)) name = Name{clean_name(text), 0.85, line.page, (own + 1)->box};
        }
        if (!name) continue;
        name->score *= label.exact ? 1 : 0.95;
        name->score -= 0.05 * (name->page - document.first_page);
        (label.meaning == Seller ? sellers : buyers).push_back(*name);
    }
}

// "Lieferant GmbH Lieferantenstraße 20 80333 München": the name ends with its legal form.
std::optional<Name> sender_without_marks(const Line& line, const Segment& segment) {
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
            return Name{clean_name(name), 0.8, line.page, line.box_of(segment.first, n)};
    }
    return {};
}

// The parts of "Name - Street 1 - 12345 Town": the line of the sender above an address, or a
// letterhead in one line.
std::optional<Name> sender_line(const Line& line, const Segment& segment) {
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
    return Name{clean_name(parts[0]), 0.88, line.page, line.box_of(segment.first, first_words)};
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

// Unlabelled names: letterhead, sender's line, footer.
void from_position(const Document& document, const std::vector<Name>& buyers,
                   std::vector<Name>& sellers) {
    const auto web = web_names(document);
    std::map<std::string, int> seen;
    std::vector<Name> found;
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
    std::erase_if(found, [&](const Name& name) {
        const auto text = fold_alnum(name.text);
        return std::any_of(all.begin(), all.end(), [&](const Name& other) {
            const auto whole = fold_alnum(other.text);
            return whole.size() > text.size() && whole.ends_with(text) &&
                   overlap_y(other.box, name.box) > 0.9;
        });
    });
    for (auto& name : found) {
        if (seen[fold_alnum(name.text)] > 1) name.score += 0.1;
        const bool is_buyer = std::any_of(buyers.begin(), buyers.end(), [&](const Name& buyer) {
            return fold_alnum(buyer.text) == fold_alnum(name.text);
        });
        if (is_buyer) continue;
        name.score = std::min(name.score, 0.9);
        sellers.push_back(name);
    }
}

// The addressee of a letter: a block with an address, in the upper half, that is not the seller's.
void buyer_from_position(const Document& document, const std::string& seller,
                         std::vector<Name>& buyers) {
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
}

Found<std::string> best_of(const std::vector<Name>& names, double least) {
    const Name* best = nullptr;
    for (const auto& name : names) {
        if (!name.text.empty() && (best == nullptr || name.score > best->score)) best = &name;
    }
    if (best == nullptr || best->score < least) return {};
    return {best->text, std::min(0.97, best->score), best->page, best->box};
}

}  // namespace

Parties read_parties(const Document& document) {
    std::vector<Name> sellers, buyers;
    from_labels(document, sellers, buyers);
    if (sellers.empty()) from_position(document, buyers, sellers);
    Parties parties;
    // Under this it would be a guess.
    parties.seller = best_of(sellers, 0.6);
    if (buyers.empty())
        buyer_from_position(document, parties.seller ? *parties.seller : std::string{}, buyers);
    parties.buyer = best_of(buyers, 0.4);
    return parties;
}

}  // namespace belay::ai::rules
