#include "ingestion/ai/rules/receipt_vat.hpp"

#include <algorithm>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

const Decimal kTolerance{1, 2};
const Decimal kRateMax{50, 0};

bool is_share(Decimal tax, Decimal net, Decimal rate) {
    const Decimal exact = (net * rate * Decimal{1, 2}).rescaled(2);
    return near(tax.rescaled(2), exact, kTolerance);
}

// "19,0%" read as an amount with a percent sign, or "(@6%)", "6%GST" within a word.
std::vector<Decimal> rates_of(const ReceiptLine& line) {
    std::vector<Decimal> rates;
    for (const LineAmount& amount : line.amounts) {
        if (amount.percent && amount.value <= kRateMax && !amount.value.is_negative())
            rates.push_back(amount.value);
    }
    if (!rates.empty()) return rates;
    for (const media::Word& word : line.line.words) {
        const std::size_t sign = word.text.find('%');
        if (sign == std::string::npos) continue;
        std::size_t begin = sign;
        while (begin > 0 && (std::isdigit(static_cast<unsigned char>(word.text[begin - 1])) ||
                             word.text[begin - 1] == '.' || word.text[begin - 1] == ','))
            --begin;
        std::string number = word.text.substr(begin, sign - begin);
        std::replace(number.begin(), number.end(), ',', '.');
        if (const auto rate = Decimal::parse(number); rate && *rate <= kRateMax)
            rates.push_back(*rate);
    }
    return rates;
}

std::vector<Decimal> money_of(const ReceiptLine& line) {
    std::vector<Decimal> money;
    for (const LineAmount& amount : line.amounts) {
        if (amount.printed_decimals && !amount.percent)
            money.push_back(amount.value.abs().rescaled(2));
    }
    return money;
}

// The number before a percent sign that ends `text`.
std::optional<Decimal> rate_at_end(std::string text) {
    if (text.empty() || text.size() > 6) return std::nullopt;
    text.pop_back();
    std::replace(text.begin(), text.end(), ',', '.');
    const auto rate = Decimal::parse(text);
    return rate && !rate->is_zero() && !rate->is_negative() && *rate <= kRateMax ? rate
                                                                                 : std::nullopt;
}

// "Moms 259 20.00": a percent sign is often read as a digit or a letter, and perhaps the other reader saw it. Such a
// rate is only worth what the sums say of it.
std::optional<ReceiptVat> by_misread_rate(const ReceiptLine& line, const Found<Decimal>& total) {
    const std::vector<Decimal> money = money_of(line);
    if (line.role != Role::Tax || money.size() != 1 || !total) return std::nullopt;
    const Decimal tax = money.front();
    for (const media::Word& word : line.line.words) {
        for (const std::string& text : {word.text, word.other}) {
            const auto rate = rate_at_end(text);
            if (rate && tax < *total && is_share(tax, *total - tax, *rate))
                return ReceiptVat{*rate, tax, *total - tax};
        }
    }
    return std::nullopt;
}

// Which of the amounts beside a rate is the tax; the others say whether that is right.
std::optional<ReceiptVat> in_line(const ReceiptLine& line, Decimal rate,
                                  const Found<Decimal>& total) {
    const std::vector<Decimal> money = money_of(line);
    if (rate.is_zero()) return std::nullopt;
    // Two of net, tax and gross are enough, whichever the reader got right.
    for (const Decimal net : money) {
        for (const Decimal gross : money) {
            if (gross > net && is_share(gross - net, net, rate))
                return ReceiptVat{rate, gross - net, net};
        }
    }
    for (const Decimal tax : money) {
        for (const Decimal base : money) {
            if (base > tax && is_share(tax, base, rate)) return ReceiptVat{rate, tax, base};
            if (base > tax && is_share(tax, base - tax, rate))
                return ReceiptVat{rate, tax, base - tax};
        }
    }
    if (line.role != Role::Tax && !says_any(line.said, {"gst", "moms", "mwst", "vat"}))
        return std::nullopt;
    if (money.size() != 1 || !total) return std::nullopt;
    const Decimal tax = money.front();
    // Other rates may have their part of the total: it cannot be more than the whole.
    const Decimal most = ((*total * rate * Decimal{1, 2}).rescaled(2)) + kTolerance;
    if (tax > most || tax.is_zero()) return std::nullopt;
    if (is_share(tax, *total - tax, rate)) return ReceiptVat{rate, tax, *total - tax};
    return ReceiptVat{rate, tax, std::nullopt};
}

}  // namespace

std::vector<ReceiptVat> find_vat(const ReceiptText& text, const Found<Decimal>& total) {
    std::vector<ReceiptVat> found;
    for (const ReceiptLine& line : text.lines) {
        if (line.role == Role::Discount || line.role == Role::Service) continue;
        const std::vector<Decimal> rates = rates_of(line);
        if (const auto vat = by_misread_rate(line, total); vat && rates.empty())
            found.push_back(*vat);
        for (const Decimal rate : rates) {
            const auto vat = in_line(line, rate, total);
            if (!vat) continue;
            const auto same =
                std::find_if(found.begin(), found.end(),
                             [&](const ReceiptVat& other) { return other.rate == vat->rate; });
            if (same == found.end())
                found.push_back(*vat);
            else if (!same->net && vat->net)
                *same = *vat;
        }
    }
    // Together they cannot be more than was paid.
    if (total) {
        Decimal sum{0, 2};
        for (const ReceiptVat& vat : found) sum = sum + vat.amount;
        if (sum > *total) found.clear();
    }
    return found;
}

}  // namespace belay::ai::rules
