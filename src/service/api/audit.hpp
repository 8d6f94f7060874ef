// audit.hpp — which token did what to what: approved, corrected, deleted, retried, made a token, changed a setting.
//
// A row is written in the transaction of what it tells of: nothing is done without its row, and no row tells of what was
// not done. What is told is named by the route (`Route::audit`); uploads and reading are not. Rows hold the token's name
// as it was, and stay when it is revoked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/time.hpp>
#include <belay/tx.hpp>

#include "service/api/request.hpp"
#include "service/api/tables.hpp"

namespace belay::api {

inline constexpr std::string_view kAuditOwner = "belay.audit";
std::vector<std::string> audit_migrations();

// What will be told of a request, taken before its handler, which may empty it.
struct AuditNote {
    std::string organization_id{};
    std::string token_id{};
    std::string token_name{};
    std::string action{};  // empty: nothing is told
    std::string target{};  // the first parameter of the path: a run, a file, a queue
    std::string detail{};  // the body, cut; empty for routes that do not want it told
};
AuditNote audit_note(const Request& request);

// `target` and `detail` as the note has them, unless others are given.
void write_audit(Tx& tx, const AuditNote& note);

struct AuditRow {
    std::int64_t seq = 0;
    Time at{};
    std::string token_id{};
    std::string token_name{};
    std::string action{};
    std::string target{};
    std::string detail{};
};
struct AuditFilter {
    std::string action{};
    std::string token_id{};
    std::string target{};
    std::optional<std::int64_t> before{};
    int limit = 50;
};
// Newest first; one more than asked for tells that there are more.
std::vector<AuditRow> audit_rows(Tables& tables, const std::string& organization_id,
                                 const AuditFilter& filter);

}  // namespace belay::api
