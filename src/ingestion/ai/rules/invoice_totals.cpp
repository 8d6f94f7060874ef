// invoice_totals.cpp — collects what labels call totals, then lets arithmetic choose.
#include "ingestion/ai/rules/invoice_totals.hpp"

#include <algorithm>
#include <set>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

constexpr Decimal kCent{1, 2};

// Totals have decimals or a currency; a bare whole number is a count, a year or a code.
bool is_money(const Amount& amount) {
    return !amount.percent && amount.confidence >= 0.3 &&
           (amount.decimals || !amount.currency.empty()) && amount.value.scale() <= 2;
}

// A total's label may stand in the heading above it: the nearest text above that shares its columns.
TotalLabel heading_above(const Document& document, std::size_t line, const media::Box& box) {
    for (std::size_t up = 1; up <= 4 && up <= line; ++up) {
        const auto& above = document.lines[line - up];
        if (above.page != document.lines[line].page) break;
        if (box.y - above.box.bottom() > 5 * document.height) break;
        for (const auto& segment : segments_of(above, 0.9)) {
            if (overlap_x(segment.box, box) < 0.3) continue;
            const auto text = above.text(segment.first, segment.count);
            if (!has_letter(text) || digit_count(text) > 2) continue;
            auto label = total_label(text);
            label.strength *= 0.8;
            return label;
        }
    }
    return {};
}

void add_candidate(std::vector<TotalCandidate>& out, const Document& document, std::size_t line,
                   const AmountAt& at, TotalLabel label) {
    if (label.kind == TotalKind::None) return;
    TotalCandidate candidate{label.kind,
                             at.amount.value.rescaled(2),
                             label.strength * std::min(1.0, 0.3 + at.amount.confidence),
                             {},
                             line,
                             document.lines[line].page,
                             at.box};
    for (const auto& other : document.amounts[line]) {
        if (other.amount.percent && other.first < at.first) candidate.rate = other.amount.value;
    }
    out.push_back(candidate);
}

// Numbers and currencies only: the row of values under a row of headings.
bool is_bare(const Line& line) {
    return std::all_of(line.words.begin(), line.words.end(), [](const media::Word& word) {
        return !has_letter(word.text) || !currency_word(word.text).empty() || has_digit(word.text);
    });
}

struct Choice {
    const TotalCandidate* net = nullptr;
    const TotalCandidate* gross = nullptr;
    Decimal tax{};
    const TotalCandidate* tax_at = nullptr;
    bool has_tax = false;
    double score = 0;
};

// How well a candidate serves as `kind`, though its label may say something close to it.
double as_net(const TotalCandidate& c) {
    switch (c.kind) {
        case TotalKind::Net:
            return c.strength;
        case TotalKind::LineSum:
            return 0.75 * c.strength;
        case TotalKind::Gross:
            return 0.4 * c.strength;
        default:
            return 0;
    }
}

double as_gross(const TotalCandidate& c) {
    switch (c.kind) {
        case TotalKind::Gross:
            return c.strength;
        case TotalKind::Due:
            return 0.8 * c.strength;
        default:
            return 0;
    }
}

struct TaxReading {
    Decimal value{};
    std::optional<Decimal> rate{};
    double strength = 0;
    const TotalCandidate* at = nullptr;
    bool within = false;
};

std::vector<TaxReading> tax_readings(const std::vector<TotalCandidate>& candidates,
                                     const std::vector<VatRow>& rows) {
    std::vector<TaxReading> readings;
    Decimal sum;
    int several = 0;
    std::set<std::int64_t> seen;
    for (const auto& c : candidates) {
        if (c.kind == TotalKind::Tax || c.kind == TotalKind::TaxWithin) {
            readings.push_back(
                {c.value.abs() == c.value || c.kind == TotalKind::Tax ? c.value : -c.value, c.rate,
                 c.strength, &c, c.kind == TotalKind::TaxWithin});
            if (seen.insert(c.value.units()).second) {
                sum = sum + c.value;
                ++several;
            }
        }
    }
    if (several > 1) readings.push_back({sum, {}, 0.5, nullptr, false});
    if (!rows.empty()) {
        Decimal tax;
        for (const auto& row : rows) tax = tax + row.sum.amount;
        readings.push_back({tax, {}, 0.9, nullptr, false});
    }
    return readings;
}

bool sums_up(Decimal net, Decimal tax, Decimal gross,
             const std::vector<TotalCandidate>& candidates) {
    if (near(net + tax, gross, Decimal{2, 2})) return true;
    return std::any_of(candidates.begin(), candidates.end(), [&](const TotalCandidate& c) {
        return c.kind == TotalKind::Rounding && near(net + tax + c.value, gross);
    });
}

// Whether `tax` at `rate` percent is part of `gross`.
bool is_tax_within(Decimal gross, Decimal rate, Decimal tax) {
    return !tax.is_zero() && near(gross * rate, tax * (rate + Decimal{100, 0}),
                                  (rate + Decimal{100, 0}) * Decimal{1, 2});
}

// Whether the sum of the lines, one charge or discount, and the tax come to `gross`.
bool reaches_with_charges(Decimal tax, Decimal gross,
                          const std::vector<TotalCandidate>& candidates) {
    for (const auto& sum : candidates) {
        if (sum.kind != TotalKind::LineSum && sum.kind != TotalKind::Net) continue;
        for (const auto& charge : candidates) {
            if (charge.kind != TotalKind::Other || charge.value.is_zero()) continue;
            if (near(sum.value + charge.value + tax, gross) ||
                near(sum.value - charge.value + tax, gross))
                return true;
        }
    }
    return false;
}

Choice best_choice(const std::vector<TotalCandidate>& candidates, const std::vector<VatRow>& rows) {
    const auto taxes = tax_readings(candidates, rows);
    Decimal base;
    for (const auto& row : rows) base = base + row.sum.base;
    Choice best;
    const auto offer = [&](const Choice& choice) {
        // Of equals the later one: totals come last, and a first page repeats nothing.
        if (choice.score >= best.score && choice.gross != nullptr) best = choice;
    };
    for (const auto& gross : candidates) {
        const double g = as_gross(gross);
        if (g <= 0) continue;
        offer({nullptr, &gross, {}, nullptr, false, g});
        for (const auto& tax : taxes) {
            // Tax that is part of the total needs no net of its own on the page.
            const bool plausible = tax.value.abs() < gross.value.abs() &&
                                   (tax.value.is_negative() == gross.value.is_negative());
            const bool by_rate =
                plausible && tax.rate && is_tax_within(gross.value, *tax.rate, tax.value);
            const bool by_charges =
                plausible && reaches_with_charges(tax.value, gross.value, candidates);
            if (by_rate || by_charges) {
                offer({nullptr, &gross, tax.value, tax.at, true, g + 0.6 * tax.strength});
            }
            if (plausible && tax.within) {
                offer({nullptr, &gross, tax.value, tax.at, true, g + 0.5 * tax.strength});
            }
            for (const auto& net : candidates) {
                const double n = as_net(net);
                if (n <= 0 || &net == &gross) continue;
                // Two totals that differ by the tax: the lower one is the net, whatever it is called.
                if (net.kind == TotalKind::Gross && tax.value.is_zero()) continue;
                if (!sums_up(net.value, tax.value, gross.value, candidates)) continue;
                double score = g + n + tax.strength + 1;
                // Zero tax proves nothing: net and gross are then the same number twice.
                if (tax.value.is_zero()) score -= 0.5;
                if (!rows.empty() && near(base, net.value)) score += 0.3;
                offer({&net, &gross, tax.value, tax.at, true, score});
            }
        }
    }
    return best;
}

Found<Decimal> found(const TotalCandidate& c, double sure) {
    return {c.value, std::min(1.0, sure), c.page, c.box};
}

}  // namespace

std::vector<TotalCandidate> total_candidates(const Document& document) {
    std::vector<TotalCandidate> candidates;
    std::set<std::size_t> tax_lines;
    for (const auto& row : vat_rows(document)) tax_lines.insert(row.line);
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        if (tax_lines.contains(l)) continue;
        const auto& amounts = document.amounts[l];
        std::size_t from = 0;
        for (const auto& at : amounts) {
            if (at.amount.percent) continue;
            if (!is_money(at.amount)) continue;
            // The words between this amount and the one before are its label. Far to the left may
            // stand another column: the last segment that speaks wins.
            const auto words = document.lines[l].text(from, at.first - from);
            TotalLabel label;
            if (has_letter(words)) {
                Line part{document.lines[l].page, {}, {}};
                part.words.assign(
                    document.lines[l].words.begin() + static_cast<std::ptrdiff_t>(from),
                    document.lines[l].words.begin() + static_cast<std::ptrdiff_t>(at.first));
                const auto segments = segments_of(part, 2.5);
                for (auto s = segments.rbegin();
                     s != segments.rend() && label.kind == TotalKind::None; ++s) {
                    label = total_label(part.text(s->first, s->count));
                    if (label.kind == TotalKind::None &&
                        fold_alnum(part.text(s->first, s->count)).size() > 4)
                        break;
                }
                if (label.kind == TotalKind::None) label = total_label(words);
            } else if (is_bare(document.lines[l])) {
                label = heading_above(document, l, at.box);
            }
            add_candidate(candidates, document, l, at, label);
            from = at.first + at.count;
        }
    }
    return candidates;
}

Totals read_totals(const Document& document) {
    const auto candidates = total_candidates(document);
    const auto rows = vat_rows(document);
    Totals totals;
    const auto choice = best_choice(candidates, rows);
    for (const auto& c : candidates) {
        if (c.kind == TotalKind::Net || c.kind == TotalKind::LineSum ||
            c.kind == TotalKind::Gross) {
            totals.line_sums.push_back(c.value);
        }
        if (c.kind != TotalKind::Other && c.kind != TotalKind::Paid && c.strength >= 0.6) {
            totals.first_line = std::min(totals.first_line, c.line);
        }
    }
    for (const auto& row : rows) totals.vat.push_back(row.sum);
    if (choice.gross == nullptr || choice.score < 0.45) return totals;

    const auto& gross = *choice.gross;
    // Another total of the same strength that says something else: doubt, unless arithmetic decided.
    const bool rivals = choice.net == nullptr &&
                        std::any_of(candidates.begin(), candidates.end(), [&](const auto& c) {
                            return as_gross(c) >= as_gross(gross) - 0.05 &&
                                   c.value != gross.value && c.kind == gross.kind;
                        });
    totals.add_up = choice.net != nullptr && choice.has_tax;
    const double sure = totals.add_up ? 0.97
                        : rivals      ? 0.45
                                      : std::min(0.9, 0.35 + 0.55 * choice.score);
    totals.gross = found(gross, sure);
    if (choice.net != nullptr) totals.net = found(*choice.net, sure);
    if (choice.has_tax) {
        totals.tax = choice.tax_at != nullptr ? found(*choice.tax_at, sure)
                                              : Found<Decimal>{choice.tax, sure - 0.05};
        totals.tax.value = choice.tax.rescaled(2);
    }
    // Net is what is left when tax within the total is known.
    if (!totals.net && totals.tax) totals.net = {gross.value - *totals.tax, sure * 0.85};
    for (const auto& c : candidates) {
        if (c.kind == TotalKind::Due) totals.due = found(c, 0.9 * c.strength);
    }
    return totals;
}

}  // namespace belay::ai::rules
