#include "ingestion/ai/rules/receipt_items.hpp"

#include <algorithm>
#include <cctype>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::size_t kItemsMax = 500;

bool ends_items(const ReceiptLine& line) {
    switch (line.role) {
        case Role::GrandTotal:
        case Role::Total:
        case Role::SubTotal:
        case Role::Cash:
        case Role::Card:
        case Role::Change:
            return true;
        default:
            return false;
    }
}

// Where the items end: the first total with an amount. A column head that says "TOTAL" has none.
std::size_t end_of_items(const ReceiptText& text) {
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const ReceiptLine& line = text.lines[i];
        if (!ends_items(line)) continue;
        if (line.last()) return i;
        const bool below = i + 1 < text.lines.size() && text.lines[i + 1].last() &&
                           text.lines[i + 1].said.size() <= 3;
        if (below && line.role != Role::Cash && line.role != Role::Card) return i;
    }
    return 0;
}

bool is_number(const std::string& word) {
    const std::size_t digits = digit_count(word);
    return digits > 0 && digits * 2 >= word.size();
}

// "x", "X", "*", "@", "Stk", "PC": what stands between a quantity and a price.
bool is_times(const std::string& word) {
    const std::string folded = fold_alnum(word);
    return word == "*" || word == "@" || folded == "x" || folded == "stk" || folded == "st" ||
           folded == "pc" || folded == "pcs" || folded == "kg" || folded == "ea" ||
           folded == "unit" || folded == "no" || word == "=";
}

struct Parts {
    std::string name{};
    std::vector<std::string> numbers{};  // what is left of the amount and no part of the name
    bool plain_end = false;              // the amount is the last thing, but for a short code
    std::size_t letters = 0;             // in the name
};

Parts parts_of(const ReceiptLine& line, const LineAmount* amount) {
    Parts parts;
    const auto& words = line.line.words;
    std::size_t end = amount ? amount->first : words.size();
    if (amount) {
        parts.plain_end = true;
        for (std::size_t i = amount->first + amount->count; i < words.size(); ++i) {
            if (char_count(words[i].text) > 3 || i > amount->first + amount->count + 1)
                parts.plain_end = false;
        }
        // The numbers before the amount: unit price, quantity, their sign.
        while (end > 0 && (is_number(words[end - 1].text) || is_times(words[end - 1].text))) --end;
        for (std::size_t i = end; i < amount->first; ++i) parts.numbers.push_back(words[i].text);
    }
    std::size_t begin = 0;
    // A code or a quantity in front of the name.
    while (begin < end && is_number(words[begin].text) && begin + 1 < end && begin < 2) {
        parts.numbers.insert(parts.numbers.begin(), words[begin].text);
        ++begin;
        if (begin < end && is_times(words[begin].text)) ++begin;
    }
    parts.name = line.line.text(begin, end - begin);
    for (const char c : fold_alnum(parts.name))
        parts.letters += std::isalpha(static_cast<unsigned char>(c)) ? 1 : 0;
    return parts;
}

std::optional<Decimal> quantity_in(const std::vector<std::string>& numbers, const ReceiptText& text,
                                   Decimal amount) {
    std::vector<Decimal> values;
    for (const std::string& number : numbers) {
        std::string part;
        // "3x10.49" and "7X": both sides of the sign.
        for (const char c : number + " ") {
            if (c == ' ' || c == 'x' || c == 'X' || c == '*' || c == '@' || c == '(' || c == ')') {
                if (!part.empty()) {
                    const auto readings = read_amounts(part, text.style);
                    if (!readings.empty()) values.push_back(readings.front().value.abs());
                }
                part.clear();
            } else {
                part += c;
            }
        }
    }
    const Decimal most{999, 0};
    for (std::size_t a = 0; a < values.size(); ++a) {
        for (std::size_t b = 0; b < values.size(); ++b) {
            if (a == b || values[a].is_zero() || values[a] > most) continue;
            if (near((values[a] * values[b]).rescaled(2), amount.abs().rescaled(2)))
                return values[a];
        }
    }
    // A lone small whole number in front is how many.
    if (values.size() == 1 && values[0].scale() == 0 && !values[0].is_zero() &&
        values[0] <= Decimal{50, 0})
        return values[0];
    return std::nullopt;
}

std::size_t numbers_in(const std::vector<std::string>& words) {
    return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), is_number));
}

bool not_an_item(const ReceiptLine& line) {
    return line.role == Role::Table || line.role == Role::Count || line.role == Role::Tax ||
           line.role == Role::Service || line.role == Role::Rounding ||
           says_any(line.said, {"uhr", "telefon", "offnungszeiten", "opening", "gstno", "invoiceno",
                                "orderno"}) ||
           line.said.rfind("tel", 0) == 0 || line.said.rfind("fax", 0) == 0;
}

// The head of the columns, which is no item's name.
bool is_column_head(std::string_view said) {
    int words = 0;
    for (const std::string_view word :
         {"description", "menge", "artikel", "article", "qty", "quantity", "price", "amount",
          "antal", "pris", "belopp", "item", "code", "preis", "uprice", "disc"}) {
        words += said.find(word) != std::string_view::npos ? 1 : 0;
    }
    return words >= 2;
}

ReceiptItem item_at(const ReceiptText& text, const ReceiptLine& line, const LineAmount& amount,
                    std::string name, const std::vector<std::string>& numbers) {
    ReceiptItem item;
    item.name = std::move(name);
    item.amount = amount.value.rescaled(2);
    item.quantity = quantity_in(numbers, text, item.amount).value_or(Decimal{1, 0});
    item.confidence = amount.sure;
    item.page = line.line.page;
    item.box = line.line.box;
    return item;
}

struct Bought {
    std::vector<ReceiptItem> items;
    Decimal discounts{0, 2};
};

Bought bought(const ReceiptText& text) {
    Bought out;
    const std::size_t end = end_of_items(text);
    std::string waiting;             // a name whose amount comes on the next line
    std::vector<std::string> ahead;  // "7X 0,35" before the line it speaks of
    bool nameless = false;           // the last item has its name on the line after
    for (std::size_t i = 0; i < end && out.items.size() < kItemsMax; ++i) {
        const ReceiptLine& line = text.lines[i];
        const LineAmount* amount = line.last();
        if (line.role == Role::Discount && amount) {
            out.discounts = out.discounts + amount->value.abs();
            continue;
        }
        if (not_an_item(line)) {
            waiting.clear();
            continue;
        }
        const Parts parts = parts_of(line, amount);
        if (!amount) {
            // "kg EURO/kg EURO" between a name and its weight is the head of a little table.
            if (!waiting.empty() && says_any(line.said, {"eurokg", "krkg"})) continue;
            if (nameless && parts.letters >= 3) {
                out.items.back().name = parts.name;
                nameless = false;
                continue;  // it is not the next one's name, too
            }
            nameless = false;
            waiting = parts.letters >= 3 && !is_column_head(line.said) ? parts.name : std::string{};
            continue;
        }
        if (!parts.plain_end) continue;
        if (parts.letters >= 2) {
            std::vector<std::string> numbers = parts.numbers;
            if (numbers.empty()) numbers = ahead;
            out.items.push_back(item_at(text, line, *amount, parts.name, numbers));
            nameless = false;
        } else if (!waiting.empty() || out.items.empty() || numbers_in(parts.numbers) >= 2) {
            // Numbers only, below their name (or above it).
            out.items.push_back(item_at(text, line, *amount, waiting, parts.numbers));
            nameless = waiting.empty();
        } else {
            // "7X 0,35": how many and how much each, of the line before or after.
            const auto quantity = quantity_in({line.line.text()}, text, out.items.back().amount);
            if (quantity && parts.numbers.size() == 1 && *quantity != Decimal{1, 0}) {
                out.items.back().quantity = *quantity;
            } else {
                ahead = {line.line.text()};
                waiting.clear();
                continue;
            }
        }
        ahead.clear();
        waiting.clear();
    }
    std::erase_if(out.items, [](const ReceiptItem& item) {
        return item.name.empty() && item.amount.is_zero();
    });
    return out;
}

}  // namespace

std::vector<ReceiptItem> find_items(const ReceiptText& text) {
    std::vector<ReceiptItem> items = bought(text).items;
    std::erase_if(items, [](const ReceiptItem& item) { return item.name.empty(); });
    return items;
}

std::optional<Found<Decimal>> sum_of_items(const ReceiptText& text) {
    const Bought all = bought(text);
    if (all.items.empty()) return std::nullopt;
    Decimal sum{0, 2};
    double sure = 1;
    for (const ReceiptItem& item : all.items) {
        sum = sum + item.amount;
        sure = std::min(sure, item.confidence);
    }
    return Found<Decimal>{sum - all.discounts, sure};
}

}  // namespace belay::ai::rules
