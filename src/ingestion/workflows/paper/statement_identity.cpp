#include "ingestion/workflows/paper/statement_identity.hpp"

#include <fmt/format.h>

namespace belay::workflows {

namespace {

using ai::rules::Statement;
using MaybeText = std::optional<std::string>;

constexpr std::string_view kColumns =
    "m.id, m.invoice_number, m.number_printed, m.adds_up, (SELECT count(*) FROM "
    "creditcard_invoice_items i WHERE i.main_id = m.id)";

KnownStatement known_in(const SqlRow& row) {
    return {row.get<std::int64_t>(0), row.get<std::string>(1), row.get<bool>(2), row.get<bool>(3),
            row.get<std::size_t>(4)};
}

MaybeText iso(const ai::rules::Found<ai::rules::Date>& date) {
    return date ? MaybeText{date->text()} : std::nullopt;
}

enum class Same { Yes, No, Unknown };
Same same(const MaybeText& a, const MaybeText& b) {
    if (!a || !b || a->empty() || b->empty()) return Same::Unknown;
    return *a == *b ? Same::Yes : Same::No;
}

// A period is known by its days; by the statement's own date where a scan shows only that.
bool same_period(const SqlRow& row, const Statement& s) {
    const Same end = same(row.get<MaybeText>(6), iso(s.period_end));
    const Same start = same(row.get<MaybeText>(5), iso(s.period_start));
    if (end == Same::No || start == Same::No) return false;
    return end == Same::Yes || same(row.get<MaybeText>(7), iso(s.statement_date)) == Same::Yes;
}

// What both scans show must agree; a card shown by one alone is made up for by issuer and balance together.
bool same_card(const SqlRow& row, const Statement& s) {
    const Same card = same(row.get<MaybeText>(8), s.card_last_4.value);
    const Same issuer = same(row.get<MaybeText>(9), s.issuer.value);
    if (card == Same::No || issuer == Same::No) return false;
    if (card == Same::Yes) return true;
    const MaybeText balance =
        s.new_balance ? MaybeText{ai::rules::money_text(*s.new_balance)} : std::nullopt;
    return issuer == Same::Yes && same(row.get<MaybeText>(10), balance) == Same::Yes;
}

std::optional<KnownStatement> find_by_number(Tx& tx, const SourceFile& file,
                                             const std::string& number) {
    const SqlRows rows =
        tx.query(fmt::format("SELECT {} FROM creditcard_invoices_main m WHERE m.organization_id = "
                             "? AND m.invoice_number = ?",
                             kColumns),
                 file.organization_id, number);
    if (rows.empty()) return std::nullopt;
    return known_in(rows[0]);
}

std::optional<KnownStatement> find_by_card(Tx& tx, const SourceFile& file, const Statement& s) {
    const SqlRows rows = tx.query(
        fmt::format("SELECT {}, m.period_start, m.period_end, m.invoice_date, m.card_last_4, "
                    "m.bank_name, m.amount_to_pay FROM creditcard_invoices_main m WHERE "
                    "m.organization_id = ? AND (m.period_end = ? OR m.invoice_date = ?) "
                    "ORDER BY m.id",
                    kColumns),
        file.organization_id, iso(s.period_end), iso(s.statement_date));
    for (const SqlRow row : rows) {
        // Two numbers that are printed are two statements, or find_by_number would have found it.
        if (row.get<bool>(2) && s.invoice_number) continue;
        if (same_period(row, s) && same_card(row, s)) return known_in(row);
    }
    return std::nullopt;
}

std::optional<KnownStatement> find_by_bytes(Tx& tx, const SourceFile& file) {
    if (file.content_hash.empty()) return std::nullopt;
    const SqlRows rows = tx.query(
        fmt::format("SELECT {} FROM creditcard_invoices_main m JOIN unified_files f ON f.id = "
                    "m.source_file_id WHERE m.organization_id = ? AND f.content_hash = ? "
                    "ORDER BY m.id LIMIT 1",
                    kColumns),
        file.organization_id, file.content_hash);
    if (rows.empty()) return std::nullopt;
    return known_in(rows[0]);
}

}  // namespace

std::string stand_in_number(const SourceFile& file) { return "INV-" + file.file_id; }

std::optional<KnownStatement> find_statement(Tx& tx, const SourceFile& file,
                                             const Statement& statement) {
    if (statement.invoice_number) {
        if (auto known = find_by_number(tx, file, *statement.invoice_number)) return known;
    }
    if (auto known = find_by_card(tx, file, statement)) return known;
    return find_by_bytes(tx, file);
}

bool is_worse(const Statement& statement, const KnownStatement& known) {
    if (statement.adds_up != known.adds_up) return known.adds_up;
    return statement.rows.size() < known.items;
}

}  // namespace belay::workflows
