#include "ingestion/ai/rules/party_block.hpp"

#include <cmath>

#include "ingestion/ai/rules/company.hpp"
#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

// "Name: X" in a block, with X in the next column; a first line of X may stand above the label.
std::optional<PartyName> named_row(const Document& document, const BlockLine& row) {
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
    return PartyName{clean_name(text), 0.95, line.page, box};
}

}  // namespace

std::vector<BlockLine> block_below(const Document& document, std::size_t line,
                                   const media::Box& box, double gap) {
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

std::optional<PartyName> name_of(const Document& document, const std::vector<BlockLine>& block) {
    for (const auto& row : block) {
        if (auto name = named_row(document, row)) return name;
    }
    for (std::size_t i = 0; i < block.size() && i < 4; ++i) {
        const auto& row = block[i];
        if (is_salutation(row.text) && i + 1 < block.size()) {
            return PartyName{clean_name(row.text + " " + block[i + 1].text), 0.9,
                             document.lines[row.line].page, joined(row.box, block[i + 1].box)};
        }
        // Numbers of the party ("Nummer: 549910", "GLN 433…") stand above its name.
        if (!is_name_like(row.text) || row.text.find(':') != std::string::npos) continue;
        PartyName name{row.text, 0.9, document.lines[row.line].page, row.box};
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

}  // namespace belay::ai::rules
