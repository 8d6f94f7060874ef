#include "service/api/audit.hpp"

#include <limits>

#include "core/base/text.hpp"
#include "core/base/utf8.hpp"

namespace belay::api {

namespace {

constexpr std::size_t kDetailCharsMax = 1000;
constexpr std::size_t kTargetCharsMax = 300;

}  // namespace

std::vector<std::string> audit_migrations() {
    return {R"(
CREATE TABLE api_audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    organization_id TEXT NOT NULL,
    token_id TEXT NOT NULL,    -- '': the server needed none
    token_name TEXT NOT NULL,  -- as it was
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX api_audit_organization ON api_audit (organization_id, seq);
)"};
}

AuditNote audit_note(const Request& request) {
    AuditNote note;
    if (request.audit.empty()) return note;
    note.organization_id = request.caller.organization_id;
    note.token_id = request.caller.token_id;
    note.token_name = request.caller.token_name;
    note.action = request.audit;
    note.target = base::truncate(request.audit_target, kTargetCharsMax);
    if (request.audit_tells_body)
        note.detail = base::truncate(base::to_valid_utf8(request.body), kDetailCharsMax);
    return note;
}

void write_audit(Tx& tx, const AuditNote& note) {
    if (note.action.empty()) return;
    tx.exec(
        "INSERT INTO api_audit (at, organization_id, token_id, token_name, action, target, detail) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        tx.now(), note.organization_id, note.token_id, note.token_name, note.action, note.target,
        note.detail);
}

std::vector<AuditRow> audit_rows(Tables& tables, const std::string& organization_id,
                                 const AuditFilter& filter) {
    std::vector<AuditRow> out;
    for (const SqlRow& row : tables.rows(
             "SELECT seq, at, token_id, token_name, action, target, detail FROM api_audit WHERE "
             "organization_id = ? AND seq < ? AND (? = '' OR action = ?) AND "
             "(? = '' OR token_id = ?) AND (? = '' OR target = ?) ORDER BY seq DESC LIMIT ?",
             organization_id, filter.before.value_or(std::numeric_limits<std::int64_t>::max()),
             filter.action, filter.action, filter.token_id, filter.token_id, filter.target,
             filter.target, static_cast<std::int64_t>(filter.limit) + 1)) {
        out.push_back({row.get<std::int64_t>(0), row.get<Time>(1), row.get<std::string>(2),
                       row.get<std::string>(3), row.get<std::string>(4), row.get<std::string>(5),
                       row.get<std::string>(6)});
    }
    return out;
}

}  // namespace belay::api
