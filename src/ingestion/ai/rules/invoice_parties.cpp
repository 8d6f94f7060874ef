// invoice_parties.cpp — labelled names first, then those that stand where a party's name stands.
#include "ingestion/ai/rules/invoice_parties.hpp"

#include <algorithm>

#include "ingestion/ai/rules/company.hpp"
#include "ingestion/ai/rules/layout.hpp"
#include "ingestion/ai/rules/party_labels.hpp"
#include "ingestion/ai/rules/party_position.hpp"

namespace belay::ai::rules {
namespace {

Found<std::string> best_of(const std::vector<PartyName>& names, double least) {
    const PartyName* best = nullptr;
    for (const auto& name : names) {
        if (!name.text.empty() && (best == nullptr || name.score > best->score)) best = &name;
    }
    if (best == nullptr || best->score < least) return {};
    return {best->text, std::min(0.97, best->score), best->page, best->box};
}

// Marks between the parts of a sender's line: "Name · Street 1 · 12345 Town".
bool is_mark(const std::string& word) {
    return word == "-" || word == "\u2013" || word == "\u00B7" || word == "\u2022" || word == "|" ||
           word == "*" || word == "\u2014" || word == "\u25CF";
}

// The parts of the name's own line behind it that are an address.
std::vector<std::string> address_behind(const Line& line, const media::Box& name) {
    std::vector<std::string> parts{""};
    for (const media::Word& word : line.words) {
        if (word.box.x < name.right()) continue;
        if (is_mark(word.text)) {
            parts.emplace_back();
            continue;
        }
        parts.back() += (parts.back().empty() ? "" : " ") + word.text;
        if (parts.back().ends_with(',')) {
            parts.back().pop_back();
            parts.emplace_back();
        }
    }
    std::erase_if(parts, [](const std::string& part) { return !is_address_line(part); });
    return parts;
}

// The lines of an address under the name, or beside it. One line alone is none: it could be anything with a number.
Found<std::string> address_of(const Document& document, const Found<std::string>& name) {
    constexpr std::size_t kLinesMax = 6;
    if (!name) return {};
    const auto line = std::ranges::find_if(document.lines, [&](const Line& one) {
        return one.page == name.page && overlap_y(one.box, name.box) > 0.5;
    });
    if (line == document.lines.end()) return {};
    std::vector<std::string> parts = address_behind(*line, name.box);
    media::Box box = name.box;
    if (parts.size() < 2) {
        parts.clear();
        const auto at = static_cast<std::size_t>(line - document.lines.begin());
        const auto block = block_below(document, at, name.box, 1.5);
        for (std::size_t i = 0; i < std::min(block.size(), kLinesMax); ++i) {
            const bool ended =
                !parts.empty() && is_town_line(parts.back()) && !is_town_line(block[i].text);
            if (ended || is_contact_line(block[i].text) ||
                block[i].text.find(':') != std::string::npos)
                break;
            if (!is_address_line(block[i].text)) continue;
            box = parts.empty() ? block[i].box : joined(box, block[i].box);
            parts.push_back(block[i].text);
        }
    }
    if (parts.size() < 2 || std::ranges::none_of(parts, is_town_line)) return {};
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return {text, 0.9 * name.confidence, name.page, box};
}

}  // namespace

Parties read_parties(const Document& document) {
    auto [sellers, buyers] = labelled_parties(document);
    if (sellers.empty()) sellers = sellers_by_position(document, buyers);
    Parties parties;
    // Under this it would be a guess.
    parties.seller = best_of(sellers, 0.6);
    if (buyers.empty())
        buyers = buyers_by_position(document, parties.seller ? *parties.seller : std::string{});
    parties.buyer = best_of(buyers, 0.4);
    parties.seller_address = address_of(document, parties.seller);
    parties.buyer_address = address_of(document, parties.buyer);
    return parties;
}

}  // namespace belay::ai::rules
