#include "ingestion/cli/found_text.hpp"

#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "service/cli/table.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

// A member as text; "-" for what was not found.
std::string text_of(const json::value& object, std::string_view name) {
    const json::value* value = object.is_object() ? object.as_object().if_contains(name) : nullptr;
    if (value == nullptr || value->is_null()) return "-";
    if (value->is_string()) return std::string(value->as_string());
    return json::serialize(*value);
}

const json::array& list_of(const json::value& object, std::string_view name) {
    static const json::array kNone;
    const json::value* value = object.is_object() ? object.as_object().if_contains(name) : nullptr;
    return value != nullptr && value->is_array() ? value->as_array() : kNone;
}

void say(const Screen& screen, const std::string& line) {
    screen.out << "  " << plain(line) << '\n';
}

void print_rows(const Screen& screen, std::vector<Column> columns, const json::array& rows,
                const std::vector<std::string_view>& members) {
    if (rows.empty()) return;
    Table table{std::move(columns)};
    for (const json::value& row : rows) {
        std::vector<Cell> cells;
        for (const std::string_view member : members) cells.push_back({text_of(row, member)});
        table.row(std::move(cells));
    }
    table.print(screen);
}

void print_receipt(const Screen& screen, const json::value& found) {
    say(screen, fmt::format("{}  {}  {} {}", text_of(found, "merchant"), text_of(found, "date"),
                            text_of(found, "total"), text_of(found, "currency")));
    for (const json::value& vat : list_of(found, "vat"))
        say(screen, fmt::format("VAT {} %: {}", text_of(vat, "rate"), text_of(vat, "amount")));
    say(screen, fmt::format("paid: {}  expense: {}", text_of(found, "payment_type"),
                            text_of(found, "expense_type")));
    print_rows(screen, {{"  item", 12}, {"quantity", 0, true}, {"amount", 0, true}},
               list_of(found, "items"), {"name", "quantity", "amount"});
}

void print_invoice(const Screen& screen, const json::value& found) {
    say(screen, fmt::format("invoice {} from {} to {}", text_of(found, "invoice_number"),
                            text_of(found, "seller_name"), text_of(found, "buyer_name")));
    say(screen,
        fmt::format("issued {}  due {}", text_of(found, "issue_date"), text_of(found, "due_date")));
    say(screen, fmt::format("net {}  tax {}  total {} {}", text_of(found, "net_total"),
                            text_of(found, "tax_total"), text_of(found, "grand_total"),
                            text_of(found, "currency")));
    print_rows(
        screen,
        {{"  description", 12}, {"quantity", 0, true}, {"price", 0, true}, {"amount", 0, true}},
        list_of(found, "lines"), {"description", "quantity", "unit_price", "line_total"});
}

void print_statement(const Screen& screen, const json::value& found) {
    say(screen, fmt::format("statement {} of {}  ({} to {})", text_of(found, "invoice_number"),
                            text_of(found, "statement_date"), text_of(found, "period_start"),
                            text_of(found, "period_end")));
    say(screen, fmt::format("total {}  to pay {} {}", text_of(found, "total"),
                            text_of(found, "new_balance"), text_of(found, "currency")));
    print_rows(screen, {{"  date", 0}, {"description", 12}, {"city", 6}, {"amount", 0, true}},
               list_of(found, "rows"), {"date", "description", "city", "amount"});
}

void print_labels(const Screen& screen, const json::value& found) {
    for (const json::value& label : list_of(found, "labels")) {
        const json::value* score = label.as_object().if_contains("score");
        const double sure = score != nullptr && score->is_number() ? score->to_number<double>() : 0;
        say(screen, fmt::format("{:5.1f} %  {}", sure * 100, text_of(label, "label")));
    }
}

}  // namespace

void print_found(const Screen& screen, std::string_view workflow_key, const json::value& result) {
    if (workflow_key == "WF1_RECEIPT") {
        print_receipt(screen, result);
    } else if (workflow_key == "WF2_PDF_SPLIT") {
        print_invoice(screen, result);
    } else if (workflow_key == "WF3_FIRSTCARD_INVOICE") {
        print_statement(screen, result);
    } else if (workflow_key == "IMAGE_CLASSIFICATION") {
        print_labels(screen, result);
    } else {
        say(screen, json::serialize(result));
    }
    for (const json::value& reason : list_of(result, "review")) {
        if (reason.is_string())
            say(screen, fmt::format("review: {}", std::string_view(reason.as_string())));
    }
}

}  // namespace belay::cli
