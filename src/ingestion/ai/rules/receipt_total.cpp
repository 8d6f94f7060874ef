// receipt_total.cpp — the total by evidence: every sum that comes out right speaks for an amount.
//
// A label alone can be misread, and so can the digits beside it. But a receipt says its total again and
// again: cash less change, subtotal and tax, total and rounding, the sum of the items. The amount for
// which most of that speaks is taken; when two stay close to each other, none is.
#include "ingestion/ai/rules/receipt_total.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "ingestion/ai/rules/receipt_items.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::size_t kOfOneRoleMax = 12;  // no receipt has more subtotals; a hostile one may

struct Seen {
    Decimal value{};
    double sure = 0;
    std::size_t line = 0;
    int page = 1;
    media::Box box{};
    double height = 0;
    std::optional<Decimal> rate{};  // percent, on the line of a tax
};

using Roles = std::map<Role, std::vector<Seen>>;

Seen seen(const ReceiptText& text, std::size_t index, const LineAmount& amount,
          double discount = 1) {
    const ReceiptLine& line = text.lines[index];
    Seen out{amount.value.rescaled(2), amount.sure * discount, index, line.line.page, amount.box,
             amount.box.height};
    for (const LineAmount& other : line.amounts) {
        if (other.percent) out.rate = other.value;
    }
    return out;
}

// A line of nothing but an amount, such as stands below its label when a row was torn apart.
bool only_amount(const ReceiptLine& line) {
    return line.last() && line.said.size() <= 3 && line.role == Role::None;
}

Roles by_role(const ReceiptText& text) {
    Roles roles;
    bool in_table = false;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const ReceiptLine& line = text.lines[i];
        if (line.role == Role::Table &&
            says_any(line.said,
                     {"gstsummary", "taxsummary", "gstanalysis", "vatsummary", "taxanalysis"}))
            in_table = true;
        if (line.role == Role::None || line.role == Role::Table) continue;
        Role role = line.role;
        // The summary of taxes has a total of its own.
        if (in_table && (role == Role::Total || role == Role::Tax)) role = Role::Table;
        std::vector<Seen>& of = roles[role];
        if (of.size() >= kOfOneRoleMax) continue;
        if (const LineAmount* amount = line.last()) {
            of.push_back(seen(text, i, *amount));
        } else if (i + 1 < text.lines.size() && only_amount(text.lines[i + 1])) {
            of.push_back(seen(text, i + 1, *text.lines[i + 1].last(), 0.7));
        }
    }
    return roles;
}

bool one_digit_apart(Decimal a, Decimal b) {
    const std::string x = money_text(a), y = money_text(b);
    if (x.size() != y.size()) return false;
    std::size_t off = 0;
    for (std::size_t i = 0; i < x.size(); ++i) off += x[i] == y[i] ? 0 : 1;
    return off == 1;
}

// The sign of a currency read as a digit: "$85.20" as 385.20.
bool one_digit_in_front(Decimal a, Decimal b) {
    const std::string x = money_text(a), y = money_text(b);
    return x.size() == y.size() + 1 && x.ends_with(y);
}

class Ballot {
public:
    // `kind` counts once per value: two lines that say the same thing are one witness, a little louder.
    void speak(const Seen& from, Decimal value, const std::string& kind, double weight) {
        if (value.is_negative() || value.is_zero()) return;
        Entry& entry = entries_[value.rescaled(2).units()];
        double& said = entry.kinds[kind];
        const double now = weight * quality(from.sure);
        said = said > 0 ? std::max(said, now) + 0.15 * std::min(said, now) : now;
        if (!entry.place || now > entry.place_weight) {
            // A sum that was worked out is shown where its value is printed, if it is.
            entry.place = from;
            entry.place_weight = now;
        }
    }
    // What speaks for `base` speaks for `value`, which is what became of it.
    void hand_over(const Seen& from, Decimal base, Decimal value, double share) {
        const auto at = entries_.find(base.rescaled(2).units());
        if (at == entries_.end() || base == value) return;
        const double score = at->second.score();
        if (score <= 0) return;
        at->second.against += share * score;
        speak(from, value, "total and rounding", share * score);
    }
    void against(Decimal value, double weight) {
        const auto at = entries_.find(value.rescaled(2).units());
        if (at != entries_.end()) at->second.against += weight;
    }
    bool knows(Decimal value) const { return entries_.count(value.rescaled(2).units()) > 0; }

    std::vector<ReceiptTotal> ranking() const {
        std::vector<ReceiptTotal> out;
        for (const auto& [units, entry] : entries_) {
            ReceiptTotal candidate{.value = Decimal{units, 2}, .score = entry.score()};
            for (const auto& [kind, weight] : entry.kinds) candidate.reasons.push_back(kind);
            candidate.page = entry.place->page;
            candidate.box = entry.place->box;
            out.push_back(std::move(candidate));
        }
        std::stable_sort(out.begin(), out.end(),
                         [](const auto& a, const auto& b) { return a.score > b.score; });
        return out;
    }

    // Reading quality as weight: half-sure digits are worth less than half.
    static double quality(double sure) { return std::clamp(0.25 + 0.75 * sure, 0.0, 1.0); }

private:
    struct Entry {
        std::map<std::string, double> kinds;
        double against = 0;
        std::optional<Seen> place;
        double place_weight = 0;

        double score() const {
            double sum = -against;
            for (const auto& [kind, weight] : kinds) sum += weight;
            return sum;
        }
    };
    std::map<std::int64_t, Entry> entries_;
};

// The worse of two readings is how sure a sum of them is.
Seen both(const Seen& a, const Seen& b) {
    Seen out = a;
    out.sure = std::min(a.sure, b.sure);
    return out;
}

bool is_small(Decimal rounding) { return rounding.abs() <= Decimal{99, 2}; }

void labels(Ballot& ballot, Roles& roles) {
    const Seen* largest = nullptr;
    for (const Role role : {Role::GrandTotal, Role::Total}) {
        for (const Seen& total : roles[role]) {
            const bool grand = role == Role::GrandTotal;
            ballot.speak(total, total.value, grand ? "printed as total to pay" : "printed as total",
                         grand ? 3.0 : 2.2);
            if (!largest || total.value > largest->value) largest = &total;
        }
    }
    if (largest) ballot.speak(*largest, largest->value, "largest of the totals", 0.5);
    for (const Seen& total : roles[Role::SubTotal])
        ballot.speak(total, total.value, "printed as subtotal", 0.6);
}

void payment(Ballot& ballot, Roles& roles) {
    for (const Seen& card : roles[Role::Card]) ballot.speak(card, card.value, "paid by card", 2.0);
    const bool change_read = !roles[Role::Change].empty();
    for (const Seen& cash : roles[Role::Cash]) {
        bool changed = false;
        for (const Seen& change : roles[Role::Change]) {
            if (change.value.is_zero()) continue;
            changed = true;
            if (change.value.abs() < cash.value)
                ballot.speak(both(cash, change), cash.value - change.value.abs(),
                             "cash less change", 2.4);
        }
        for (const Seen& sub : roles[Role::SubTotal]) {
            if (sub.value == cash.value)
                ballot.speak(both(cash, sub), cash.value, "cash is the subtotal", 0.8);
        }
        if (!changed) ballot.speak(cash, cash.value, "paid in cash", change_read ? 2.0 : 1.2);
    }
}

// How an amount before tax becomes the total: plus tax, plus service, plus rounding.
void parts(Ballot& ballot, Roles& roles) {
    std::vector<Seen> bases = roles[Role::SubTotal];
    bases.insert(bases.end(), roles[Role::Total].begin(), roles[Role::Total].end());
    std::vector<Seen> services = roles[Role::Service];
    services.insert(services.begin(), Seen{Decimal{0, 2}, 1});
    std::vector<Seen> roundings;
    for (const Seen& step : roles[Role::Rounding]) {
        if (!step.value.is_zero() && is_small(step.value)) roundings.push_back(step);
    }
    for (const Seen& base : bases) {
        for (const Seen& tax : roles[Role::Tax]) {
            if (tax.value.is_zero() || tax.value >= base.value || tax.line <= base.line) continue;
            for (const Seen& service : services) {
                if (service.value >= base.value) continue;
                const Seen from = both(both(base, tax), service);
                const Decimal sum = base.value + tax.value + service.value;
                if (ballot.knows(sum)) {
                    ballot.speak(from, sum, "parts and tax", 1.6);
                    ballot.against(base.value, 1.0);
                }
                for (const Seen& step : roundings) {
                    for (const Decimal value : {sum + step.value, sum - step.value}) {
                        if (value.rescaled(2).units() % 5 == 0)
                            ballot.speak(both(from, step), value, "parts, tax and rounding", 1.5);
                    }
                }
            }
        }
    }
}

Decimal share(Decimal amount, Decimal rate) { return (amount * rate * Decimal{1, 2}).rescaled(2); }

Decimal to_five_cents(Decimal value) {
    const std::int64_t units = value.rescaled(2).units();
    return Decimal{(units + 2) / 5 * 5, 2};
}

// A subtotal to which tax is still added is not what was paid; when the tax is exactly its share, the sum
// of the two is.
void before_tax(Ballot& ballot, Roles& roles, bool rounds) {
    for (const Seen& sub : roles[Role::SubTotal]) {
        for (const Seen& tax : roles[Role::Tax]) {
            if (tax.line <= sub.line || tax.value.is_zero() || tax.value >= sub.value) continue;
            const bool on_top = tax.rate && near(share(sub.value, *tax.rate), tax.value);
            ballot.against(sub.value, on_top ? 2.0 : 0.5);
            if (!on_top) continue;
            const Decimal sum = sub.value + tax.value;
            ballot.speak(both(sub, tax), rounds ? to_five_cents(sum) : sum, "tax on top",
                         rounds ? 1.8 : 1.2);
        }
    }
}

// Whether `value` is what rounding makes of `base`: to five cents, or to a whole krona.
bool is_rounded(Decimal base, Decimal value) {
    const std::int64_t from = base.rescaled(2).units(), to = value.rescaled(2).units();
    return (to % 5 == 0 && from % 5 != 0) || (to % 100 == 0 && from % 100 != 0);
}

// "Rounding 0.02 87.10": the step, and beside it what came of it.
const LineAmount* rounded_beside(const ReceiptLine& line) {
    const LineAmount* step = nullptr;
    for (const LineAmount& amount : line.amounts) {
        if (amount.printed_decimals && !amount.percent && is_small(amount.value)) step = &amount;
    }
    return step;
}

// Whether a line that is no payment says `value`: a total after the rounding, labelled or not.
bool printed_as_bill(const ReceiptText& text, Decimal value) {
    return std::any_of(text.lines.begin(), text.lines.end(), [&](const ReceiptLine& line) {
        if (line.role == Role::Cash || line.role == Role::Card || line.role == Role::Change)
            return false;
        return std::any_of(line.amounts.begin(), line.amounts.end(), [&](const LineAmount& amount) {
            return amount.printed_decimals && !amount.percent && amount.value == value;
        });
    });
}

// Whether `value` is what was handed over, less the change.
bool paid(const Roles& roles, Decimal value) {
    const auto of = [&](Role role) {
        const auto at = roles.find(role);
        return at == roles.end() ? std::vector<Seen>{} : at->second;
    };
    for (const Role role : {Role::Cash, Role::Card}) {
        for (const Seen& given : of(role)) {
            if (given.value == value) return true;
            for (const Seen& change : of(Role::Change)) {
                if (given.value - change.value == value) return true;
            }
        }
    }
    return false;
}

// What was the total before rounding, made the total after it. Only the last total before the line of the
// rounding is rounded; its minus is easily lost, so both ways are tried.
void rounding(Ballot& ballot, const ReceiptText& text, Roles& roles) {
    const auto last_before = [&](std::size_t line, const Seen*& found) {
        for (const Role role : {Role::Total, Role::GrandTotal, Role::SubTotal}) {
            for (const Seen& total : roles[role]) {
                if (total.line < line && (!found || total.line > found->line)) found = &total;
            }
        }
    };
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const ReceiptLine& line = text.lines[i];
        if (line.role != Role::Rounding) continue;
        const LineAmount* amount = line.last();
        if (amount && !is_small(amount->value)) amount = rounded_beside(line);
        if (line.last() && (!amount || amount->value.is_zero())) continue;
        for (const Role role : {Role::Total, Role::GrandTotal, Role::SubTotal}) {
            for (const Seen& total : roles[role]) {
                if (!amount) continue;
                const Seen from = both(total, seen(text, i, *amount));
                for (const Decimal value :
                     {total.value + amount->value, total.value - amount->value}) {
                    if (!is_rounded(total.value, value)) continue;
                    if (printed_as_bill(text, value))
                        ballot.hand_over(from, total.value, value, 0.9);
                    else if (paid(roles, value))
                        ballot.hand_over(total, value, total.value, 0.9);
                    else if (total.line < i || ballot.knows(value))
                        ballot.hand_over(from, total.value, value, 0.9);
                }
            }
        }
        const Seen* base = nullptr;
        last_before(i, base);
        if (amount || !base) continue;
        // It cannot be read, but says that the amount before it was made to end in 0 or 5.
        if (to_five_cents(base->value) == base->value) continue;
        const bool total_after =
            std::any_of(text.lines.begin() + static_cast<std::ptrdiff_t>(i), text.lines.end(),
                        [](const ReceiptLine& other) {
                            return other.role == Role::GrandTotal || other.role == Role::Total;
                        });
        ballot.hand_over(*base, base->value, to_five_cents(base->value), total_after ? 0.9 : 0.5);
    }
}

// "VAT total 1.64 0.31 1.95": the largest of three amounts on a line about tax, if it is the sum of the others. Three
// numbers that agree to the cent were not misread, whatever became of the table's other lines.
const LineAmount* gross_of_line(const ReceiptLine& line, std::vector<const LineAmount*> money) {
    if (money.size() != 3 || (line.role != Role::Tax && line.role != Role::Table)) return nullptr;
    std::sort(money.begin(), money.end(),
              [](const auto* a, const auto* b) { return a->value < b->value; });
    const bool is_sum = !money[0]->value.is_zero() && !money[0]->value.is_negative() &&
                        money[0]->value + money[1]->value == money[2]->value;
    return is_sum ? money[2] : nullptr;
}

// Lines of a tax table: a net and a tax that sum to the total.
void tax_table(Ballot& ballot, const ReceiptText& text) {
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        std::vector<const LineAmount*> money;
        for (const LineAmount& amount : text.lines[i].amounts) {
            if (amount.printed_decimals && !amount.percent) money.push_back(&amount);
        }
        if (money.size() < 2 || money.size() > 3) continue;
        if (const LineAmount* gross = gross_of_line(text.lines[i], money)) {
            ballot.speak(seen(text, i, *gross), gross->value, "net and tax of the table", 2.0);
            continue;
        }
        const LineAmount& a = *money[money.size() - 2];
        const LineAmount& b = *money[money.size() - 1];
        const Decimal sum = a.value + b.value;
        if (a.value == b.value || b.value.is_zero()) continue;
        if (ballot.knows(sum)) {
            ballot.speak(seen(text, i, a.sure < b.sure ? a : b), sum, "net and tax of the table",
                         1.4);
        }
    }
}

// What the rows of a tax table come to together: rate, net, tax and gross in some order.
void gross_of_table(Ballot& ballot, const ReceiptText& text) {
    Decimal sum{0, 2};
    Seen from;
    int rows = 0, right = 0;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const ReceiptLine& line = text.lines[i];
        std::vector<const LineAmount*> money;
        bool rated = false;
        Decimal rate{0, 0};
        for (const LineAmount& amount : line.amounts) {
            if (amount.percent) {
                rated = true;
                rate = amount.value;
            }
            if (amount.printed_decimals && !amount.percent) money.push_back(&amount);
        }
        if (!rated || money.size() != 3) continue;
        std::sort(money.begin(), money.end(),
                  [](const auto* a, const auto* b) { return a->value < b->value; });
        // Two of the three and the rate are enough: one may be misread.
        const Decimal least = money[0]->value, middle = money[1]->value, gross = money[2]->value;
        const bool fits = least + middle == gross || near(middle + share(middle, rate), gross);
        right += fits ? 1 : 0;
        sum = sum + money[2]->value;
        from = rows == 0 ? seen(text, i, *money[2]) : both(from, seen(text, i, *money[2]));
        ++rows;
    }
    // Rows that all come out right are many numbers that agree: more than a label can say.
    if (right > 0)
        ballot.speak(from, sum, "gross of the tax table",
                     right < rows ? 1.4
                     : rows > 1   ? 3.0
                                  : 2.0);
}

void repeats(Ballot& ballot, const ReceiptText& text) {
    std::map<std::int64_t, std::pair<int, Seen>> times;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const ReceiptLine& line = text.lines[i];
        if (line.role == Role::Change || line.role == Role::Count) continue;
        for (const LineAmount& amount : line.amounts) {
            if (!amount.printed_decimals || amount.percent || amount.sure < 0.2) continue;
            auto& [count, first] = times[amount.value.rescaled(2).units()];
            if (count++ == 0) first = seen(text, i, amount);
        }
    }
    for (const auto& [units, found] : times) {
        const Decimal value{units, 2};
        if (found.first >= 2)
            ballot.speak(found.second, value, "printed several times",
                         0.35 * std::min(found.first - 1, 3));
    }
}

}  // namespace

std::vector<ReceiptTotal> total_candidates(const ReceiptText& text) {
    Roles roles = by_role(text);
    Ballot ballot;
    labels(ballot, roles);
    payment(ballot, roles);
    parts(ballot, roles);
    const bool rounds =
        std::any_of(text.lines.begin(), text.lines.end(),
                    [](const ReceiptLine& line) { return line.role == Role::Rounding; });
    before_tax(ballot, roles, rounds);
    tax_table(ballot, text);
    gross_of_table(ballot, text);
    repeats(ballot, text);
    if (const auto sum = sum_of_items(text)) {
        Seen from;
        from.sure = sum->confidence;
        from.page = 0;
        if (ballot.knows(*sum->value)) ballot.speak(from, *sum->value, "sum of the items", 1.8);
    }
    rounding(ballot, text, roles);
    return ballot.ranking();
}

namespace {

bool has_reason(const ReceiptTotal& candidate, std::initializer_list<std::string_view> reasons) {
    return std::any_of(reasons.begin(), reasons.end(), [&](std::string_view reason) {
        return std::find(candidate.reasons.begin(), candidate.reasons.end(), reason) !=
               candidate.reasons.end();
    });
}

// An amount that sums give, not only one that is printed somewhere.
bool worked_out(const ReceiptTotal& candidate) {
    return has_reason(
        candidate,
        {"cash less change", "parts and tax", "parts, tax and rounding", "total and rounding",
         "sum of the items", "net and tax of the table", "gross of the tax table", "tax on top"});
}

}  // namespace

void settle_misread(std::vector<ReceiptTotal>& candidates) {
    for (ReceiptTotal& printed : candidates) {
        if (!has_reason(printed, {"printed as total to pay", "printed as total"}) ||
            worked_out(printed))
            continue;
        for (ReceiptTotal& other : candidates) {
            if (worked_out(other) && one_digit_apart(printed.value, other.value)) {
                other.score += 1.2;
                printed.score -= 1.2;
            } else if (has_reason(other, {"printed as subtotal"}) &&
                       one_digit_in_front(printed.value, other.value)) {
                other.score += 1.5;
                printed.score -= 1.5;
            }
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
}

Found<Decimal> choose_total(std::vector<ReceiptTotal> candidates) {
    if (candidates.empty()) return {};
    settle_misread(candidates);
    const ReceiptTotal& best = candidates.front();
    const double next = candidates.size() > 1 ? std::max(0.0, candidates[1].score) : 0;
    // Enough for it (one clear label is just that), and clearly more than for the next.
    const double enough = std::clamp((best.score - 0.8) / 2.6, 0.0, 1.0);
    const double clear =
        std::clamp((best.score - next) / std::max(best.score, 0.1) / 0.4, 0.0, 1.0);
    const double sure = enough * (0.4 + 0.6 * clear);
    return {best.value, std::min(sure, 0.99), best.page, best.box};
}

}  // namespace belay::ai::rules
