// invoice_lines.cpp — rows of an item table: anchored by their amount, filled from the lines around it.
#include "ingestion/ai/rules/invoice_lines.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/table.hpp"
#include "ingestion/ai/rules/total_label.hpp"

namespace belay::ai::rules {
namespace {

constexpr Decimal kCent{1, 2};

struct Cell {
    Decimal value{};
    double confidence = 0;
    media::Box box{};
    bool decimals = false, currency = false;
};

// One printed line of a table, by columns.
struct Row {
    std::size_t line = 0;
    std::optional<Cell> quantity{}, price{}, discount{}, rate{}, amount{};
    std::string text{};
    media::Box text_box{};
};

bool has_section_word(const Line& line) {
    static constexpr auto kSections = std::to_array<Label>({{"zahlungsbedingungen", 1},
                                                            {"zahlungsbedingung", 1},
                                                            {"zahlungsart", 1},
                                                            {"steueraufschlusselung", 1},
                                                            {"umsatzsteueraufschlusselung", 1},
                                                            {"belegsummen", 1},
                                                            {"zuundabschlage", 1},
                                                            {"paymentterms", 1},
                                                            {"paymentdetails", 1},
                                                            {"paymentinformation", 1},
                                                            {"bankdetails", 1},
                                                            {"betalningsvillkor", 1},
                                                            {"momsspecifikation", 1},
                                                            {"betalningsinformation", 1},
                                                            {"vatsummary", 1},
                                                            {"taxsummary", 1},
                                                            {"bankverbindung", 1},
                                                            {"conditionsdepaiement", 1},
                                                            {"mwstaufstellung", 1},
                                                            {"rechnungsbegleitendeunterlagen", 1},
                                                            {"betalingsvoorwaarden", 1},
                                                            {"summary", 1}});
    const auto found = find_labels({line}, kSections);
    return !found.empty() && found.front().first == 0;
}

bool is_carried_over(std::string_view text) {
    for (const auto& word : fold_words(text)) {
        for (const auto* carried : {"ubertrag", "transport", "carried", "brought", "overforing",
                                    "report", "zwischensumme", "transporteren"}) {
            if (word == carried) return true;
        }
    }
    return false;
}

// What a space before three digits is where nothing in the line tells: "2 520,50" may be one amount, or a
// quantity and an amount in narrow columns. The headings say it unless only another way gives the printed sum.
enum class Spaces { ByHeading, Group, Part };

class Table {
public:
    Table(const Document& document, const TableHeading& heading, Spaces spaces)
        : document_(document), heading_(heading), spaces_(spaces) {
        for (const auto& column : heading.columns) {
            if (column.kind == ColumnKind::Amount) last_ = &column;  // the rightmost
        }
        if (last_ == nullptr) {
            for (const auto& column : heading.columns) {
                if (column.kind == ColumnKind::UnitPrice) last_ = &column;
            }
        }
    }

    Row row_of(std::size_t l) const {
        const auto& line = document_.lines[l];
        Row row;
        row.line = l;
        std::vector<bool> used(line.words.size(), false);
        for (const auto& at : amounts_of(l)) {
            const auto* column = heading_.column_of(at.box);
            if (is_in_text(line, at) && heading_.distance_of(at.box) > 1.5 * document_.height)
                continue;
            const Cell cell{at.amount.value, at.amount.confidence, at.box, at.amount.decimals,
                            !at.amount.currency.empty()};
            const auto take = [&](std::optional<Cell>& into) {
                if (into) return;
                into = cell;
                for (auto i = at.first; i < at.first + at.count; ++i) used[i] = true;
            };
            if (at.amount.percent) {
                if (column->kind == ColumnKind::Discount)
                    take(row.discount);
                else if (column->kind != ColumnKind::Description)
                    take(row.rate);
                continue;
            }
            if (column == last_ && at.amount.confidence >= 0.3) {
                // The last number in the column is the row's own.
                if (row.amount) row.amount.reset();
                take(row.amount);
                continue;
            }
            switch (column->kind) {
                case ColumnKind::Quantity:
                    take(row.quantity);
                    break;
                case ColumnKind::UnitPrice:
                    take(row.price);
                    break;
                case ColumnKind::Discount:
                    take(row.discount);
                    break;
                case ColumnKind::VatRate:
                    take(row.rate);
                    break;
                default:
                    break;
            }
        }
        // What is no number and stands left of the first one after the description is the text.
        for (std::size_t i = 0; i < line.words.size(); ++i) {
            if (used[i]) continue;
            const auto* column = heading_.column_of(line.words[i].box);
            const bool left = row.text.empty() ||
                              line.words[i].box.x - row.text_box.right() < 1.6 * document_.height;
            const bool textual =
                column->kind == ColumnKind::Description || column->kind == ColumnKind::Other ||
                (left &&
                 (column->kind == ColumnKind::Quantity || column->kind == ColumnKind::UnitPrice) &&
                 !row.text.empty() && has_letter(line.words[i].text));
            if (!textual) continue;
            row.text_box =
                row.text.empty() ? line.words[i].box : joined(row.text_box, line.words[i].box);
            row.text += row.text.empty() ? line.words[i].text : " " + line.words[i].text;
        }
        return row;
    }

private:
    std::vector<AmountAt> amounts_of(std::size_t l) const {
        const auto& whole = document_.amounts[l];
        if (spaces_ == Spaces::Group) return whole;
        std::vector<AmountAt> amounts;
        for (const auto& at : whole) {
            const auto parts = column_parts(document_.lines[l].words, at, document_.numbers);
            const bool apart =
                !parts.empty() && (spaces_ == Spaces::Part || is_quantity(whole, at, parts[0].box));
            if (apart)
                amounts.insert(amounts.end(), parts.begin(), parts.end());
            else
                amounts.push_back(at);
        }
        return amounts;
    }

    // Whether what stands at `box`, the first part of `at`, is the row's quantity: below that heading, and
    // nothing else in the row is.
    bool is_quantity(const std::vector<AmountAt>& row, const AmountAt& at,
                     const media::Box& box) const {
        const bool headed =
            std::any_of(heading_.columns.begin(), heading_.columns.end(), [&](const Column& c) {
                return c.kind == ColumnKind::Quantity && overlap_x(c.heading, box) > 0.5;
            });
        return headed && std::none_of(row.begin(), row.end(), [&](const AmountAt& other) {
                   return other.first != at.first &&
                          heading_.column_of(other.box)->kind == ColumnKind::Quantity;
               });
    }

    // A number right behind a word is part of the text: "Typkl. 21".
    bool is_in_text(const Line& line, const AmountAt& at) const {
        if (at.first == 0) return false;
        const auto& before = line.words[at.first - 1];
        return at.box.x - before.box.right() < 0.8 * document_.height && has_letter(before.text) &&
               currency_word(before.text).empty();
    }

    const Document& document_;
    const TableHeading& heading_;
    Spaces spaces_;
    const Column* last_ = nullptr;
};

bool fits(const Row& row) {
    if (!row.quantity || !row.price || !row.amount) return false;
    auto product = row.quantity->value * row.price->value;
    if (row.discount && !row.discount->value.is_negative() &&
        row.discount->value <= Decimal{100, 0}) {
        const auto rest = product * (Decimal{100, 0} - row.discount->value) * Decimal{1, 2};
        if (near(rest.abs(), row.amount->value.abs(), Decimal{2, 2})) return true;
    }
    // A price printed with two decimals is rounded: the more pieces, the more the product may be off.
    const auto half = Decimal{5, std::min(6, row.price->value.scale() + 1)};
    const auto slack = row.quantity->value.abs() * half + Decimal{1, 2};
    return near(product.abs(), row.amount->value.abs(),
                slack < Decimal{1, 0} ? slack : Decimal{2, 2});
}

InvoiceLine item_of(const Document& document, const Row& row) {
    InvoiceLine item;
    const int page = document.lines[row.line].page;
    const bool proved = fits(row);
    const auto found = [&](const std::optional<Cell>& cell) {
        return cell ? Found<Decimal>{cell->value,
                                     std::min(0.98, cell->confidence * (proved ? 1 : 0.85)), page,
                                     cell->box}
                    : Found<Decimal>{};
    };
    if (!row.text.empty()) item.description = {row.text, 0.8, page, row.text_box};
    item.quantity = found(row.quantity);
    item.unit_price = found(row.price);
    item.amount = found(row.amount);
    item.amount.value = item.amount.value->rescaled(2);
    item.vat_rate = found(row.rate);
    return item;
}

// Whether a row is a sum, a tax or a balance and no item.
TotalKind sum_kind(const Document& document, const Row& row) {
    const auto& line = document.lines[row.line];
    const auto& amounts = document.amounts[row.line];
    if (amounts.empty()) return TotalKind::None;
    auto first = amounts.size();
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        if (!amounts[i].amount.percent &&
            (amounts[i].amount.decimals || !amounts[i].amount.currency.empty())) {
            first = i;
            break;
        }
    }
    if (first == amounts.size()) return TotalKind::None;
    const auto label = total_label(line.text(0, amounts[first].first));
    const bool sum = label.strength >= 0.6 && label.kind != TotalKind::Other;
    return sum ? label.kind : TotalKind::None;
}

std::vector<InvoiceLine> under_heading(const Document& document, const TableHeading& heading,
                                       std::size_t end, Spaces spaces) {
    const Table table{document, heading, spaces};
    std::vector<InvoiceLine> items;
    std::optional<Row> waiting;  // a price whose amount is printed a little lower
    for (auto l = heading.last_line + 1; l < end && items.size() < kInvoiceLinesMax; ++l) {
        if (has_section_word(document.lines[l])) break;
        auto row = table.row_of(l);
        // Amounts are in cents, and stand under one another.
        const bool aligned =
            row.amount && row.amount->value.scale() <= 2 &&
            (items.empty() || std::abs(row.amount->box.right() - items.back().amount.box.right()) <
                                  2.5 * document.height);
        const bool money =
            aligned && (row.amount->decimals || row.amount->currency || row.quantity || row.price);
        if (!money) {
            if (row.price && row.price->decimals)
                waiting = row;
            else if (!items.empty() && !row.text.empty() && !row.quantity && !row.price &&
                     !waiting && items.back().description &&
                     document.lines[l].page == items.back().description.page &&
                     row.text_box.y - items.back().description.box.bottom() <
                         0.9 * document.height &&
                     std::abs(row.text_box.x - items.back().description.box.x) <
                         1.2 * document.height &&
                     char_count(*items.back().description) < 300) {
                items.back().description.value = *items.back().description + " " + row.text;
                items.back().description.box = joined(items.back().description.box, row.text_box);
            } else if (!items.empty() && !row.text.empty() && !items.back().description &&
                       !row.quantity && !row.price) {
                items.back().description = {row.text, 0.7, document.lines[l].page, row.text_box};
            }
            continue;
        }
        const bool alone = !row.quantity && !row.price;
        if (alone && waiting && document.lines[l].page == document.lines[waiting->line].page &&
            document.lines[l].box.y - document.lines[waiting->line].box.bottom() <
                1.5 * document.height) {
            const auto extra = row.text;
            waiting->amount = row.amount;
            if (!extra.empty()) waiting->text += " " + extra;
            items.push_back(item_of(document, *waiting));
            waiting.reset();
            continue;
        }
        waiting.reset();
        if (!fits(row) && !(row.quantity && row.price)) {
            const auto sum = sum_kind(document, row);
            if (sum == TotalKind::LineSum || sum == TotalKind::Net || sum == TotalKind::Rounding ||
                is_carried_over(document.lines[l].text()))
                continue;
            if (sum != TotalKind::None) break;
            // An amount without a word or a number beside it is a total without a label.
            if (alone && row.text.empty()) continue;
        }
        items.push_back(item_of(document, row));
    }
    return items;
}

Decimal sum_of(const std::vector<InvoiceLine>& items) {
    Decimal sum;
    for (const auto& item : items) sum = sum + *item.amount;
    return sum;
}

bool is_printed(Decimal sum, const std::vector<Decimal>& printed) {
    return !sum.is_zero() && std::any_of(printed.begin(), printed.end(), [&](Decimal p) {
        return near(p.abs(), sum.abs(), Decimal{2, 2});
    });
}

// Leaves out one row, or two, if only then the rest adds up: a note with an amount, a sum without a
// label, a part of the row above.
bool drop_strangers(std::vector<InvoiceLine>& items, const std::vector<Decimal>& printed) {
    const auto sum = sum_of(items);
    const auto proved = [](const InvoiceLine& item) {
        return item.quantity && item.unit_price &&
               near((*item.quantity * *item.unit_price).abs(), item.amount->abs(), Decimal{2, 2});
    };
    for (const bool spare_proved : {true, false}) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (spare_proved && proved(items[i])) continue;
            if (is_printed(sum - *items[i].amount, printed)) {
                items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
                return true;
            }
        }
    }
    if (items.size() > 200) return false;
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (std::size_t k = i + 1; k < items.size(); ++k) {
            if (proved(items[i]) || proved(items[k])) continue;
            if (is_printed(sum - *items[i].amount - *items[k].amount, printed)) {
                items.erase(items.begin() + static_cast<std::ptrdiff_t>(k));
                items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
                return true;
            }
        }
    }
    return false;
}

// Without a heading: rows "text … amount" right above the first total, in its column, as many as add
// up to a printed sum.
std::vector<InvoiceLine> above_totals(const Document& document, const Totals& totals,
                                      Spaces spaces) {
    if (totals.first_line == SIZE_MAX || totals.first_line == 0) return {};
    const auto& anchor = document.amounts[totals.first_line];
    if (anchor.empty()) return {};
    const double edge = anchor.back().box.right();
    std::vector<InvoiceLine> items;
    for (auto l = totals.first_line; l-- > 0;) {
        if (document.lines[l].page != document.lines[totals.first_line].page) break;
        const auto& amounts = document.amounts[l];
        if (amounts.empty()) continue;
        auto last = amounts.back();
        if (spaces == Spaces::Part) {
            const auto parts = column_parts(document.lines[l].words, last, document.numbers);
            if (!parts.empty()) last = parts.back();
        }
        if (last.amount.percent || (!last.amount.decimals && last.amount.currency.empty()))
            continue;
        if (std::abs(last.box.right() - edge) > 1.2 * document.height || last.first == 0) continue;
        const auto text = document.lines[l].text(0, last.first);
        if (!has_letter(text)) continue;
        InvoiceLine item;
        item.description = {text, 0.7, document.lines[l].page,
                            document.lines[l].box_of(0, last.first)};
        item.amount = {last.amount.value.rescaled(2), 0.75 * last.amount.confidence,
                       document.lines[l].page, last.box};
        items.insert(items.begin(), std::move(item));
        if (is_printed(sum_of(items), totals.line_sums)) return items;
        if (items.size() > 100) break;
    }
    return {};
}

}  // namespace

ItemLines read_item_lines(const Document& document, const Totals& totals) {
    ItemLines result;
    auto printed = totals.line_sums;
    if (totals.net) printed.push_back(*totals.net);
    if (totals.gross) printed.push_back(*totals.gross);
    const auto headings = item_headings(document);
    const auto read = [&](Spaces spaces) {
        std::vector<InvoiceLine> lines;
        for (std::size_t h = 0; h < headings.size(); ++h) {
            const auto end =
                h + 1 < headings.size() ? headings[h + 1].first_line : document.lines.size();
            auto items = under_heading(document, headings[h], end, spaces);
            lines.insert(lines.end(), std::make_move_iterator(items.begin()),
                         std::make_move_iterator(items.end()));
        }
        if (lines.size() > kInvoiceLinesMax) lines.resize(kInvoiceLinesMax);
        return lines;
    };
    result.lines = read(Spaces::ByHeading);
    if (!result.lines.empty()) {
        result.sum_known = is_printed(sum_of(result.lines), printed);
        for (const auto spaces : {Spaces::Group, Spaces::Part}) {
            if (result.sum_known) break;
            auto lines = read(spaces);
            result.sum_known = is_printed(sum_of(lines), printed);
            if (result.sum_known) result.lines = std::move(lines);
        }
        if (!result.sum_known) result.sum_known = drop_strangers(result.lines, printed);
    } else {
        result.lines = above_totals(document, totals, Spaces::Group);
        if (result.lines.empty()) result.lines = above_totals(document, totals, Spaces::Part);
        result.sum_known = !result.lines.empty();
    }
    for (auto& item : result.lines) {
        item.amount.confidence = result.sum_known ? std::max(item.amount.confidence, 0.95)
                                                  : std::min(item.amount.confidence, 0.75);
    }
    return result;
}

}  // namespace belay::ai::rules
