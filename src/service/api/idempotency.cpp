#include "service/api/idempotency.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "service/api/errors.hpp"

namespace belay::api {

namespace {

constexpr std::size_t kKeyCharsMax = 255;

// Each piece with its length, so that no two different requests run together to the same text.
void add(base::Sha256& hash, std::string_view text) {
    hash.update(fmt::format("{}:", text.size()));
    hash.update(text);
}

bool worth_keeping(const Response& response) {
    return response.status < 500 && response.status != 429 && response.status != 408 &&
           std::holds_alternative<std::string>(response.body);
}

}  // namespace

std::vector<std::string> idempotency_migrations() {
    return {R"(
CREATE TABLE api_idempotency (
    organization_id TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, key)
);
CREATE INDEX api_idempotency_age ON api_idempotency (created_at);
)"};
}

std::string fingerprint(const Request& request) {
    base::Sha256 hash;
    add(hash, to_string(request.method));
    add(hash, request.target);
    add(hash, request.body);
    for (const auto& [name, value] : request.form.fields) {
        add(hash, name);
        add(hash, value);
    }
    for (const UploadedFile& file : request.form.files) {
        add(hash, file.field);
        add(hash, file.file_name);
        add(hash, file.sha256);
    }
    return hash.finish_hex();
}

Idempotency::Idempotency(Tables& tables, const env::Clock& clock, Duration keep)
    : tables_(tables), clock_(clock), keep_(keep) {}

Idempotency::Turn::~Turn() {
    if (owner_ == nullptr) return;
    const std::lock_guard lock(owner_->mutex_);
    owner_->under_way_.erase(key_);
}

std::variant<Idempotency::Turn, Response> Idempotency::begin(const Request& request,
                                                             std::string_view key) {
    if (key.empty() || key.size() > kKeyCharsMax) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("an Idempotency-Key has 1 to {} characters", kKeyCharsMax));
    }
    const std::pair<std::string, std::string> place{request.caller.organization_id,
                                                    std::string(key)};
    {
        const std::lock_guard lock(mutex_);
        if (!under_way_.insert(place).second) {
            throw ApiError(Problem::IdempotencyInProgress,
                           "a request with this Idempotency-Key is still being handled; ask again",
                           {{"Retry-After", "1"}});
        }
    }
    Turn turn{*this, place, fingerprint(request)};
    const SqlRows rows = tables_.rows(
        "SELECT fingerprint, status, content_type, body FROM api_idempotency "
        "WHERE organization_id = ? AND key = ? AND created_at > ?",
        place.first, place.second, clock_.now() - keep_);
    if (rows.empty()) return turn;
    if (rows[0].get<std::string>(0) != turn.fingerprint_) {
        throw ApiError(Problem::IdempotencyMismatch,
                       "this Idempotency-Key was used with another request; use a new key");
    }
    Response response = text_response(static_cast<int>(rows[0].get<std::int64_t>(1)),
                                      rows[0].get<std::string>(2), rows[0].get<std::string>(3));
    response.headers.set("Idempotent-Replayed", "true");
    return response;
}

void Idempotency::finish(const Turn& turn, const Response& response) {
    if (!worth_keeping(response)) return;
    const Time now = clock_.now();
    const auto& body = std::get<std::string>(response.body);
    tables_.transact([&](Tx& tx) {
        tx.exec("DELETE FROM api_idempotency WHERE created_at <= ?", now - keep_);
        tx.exec(
            "INSERT INTO api_idempotency "
            "(organization_id, key, fingerprint, status, content_type, body, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (organization_id, key) DO NOTHING",
            turn.key_.first, turn.key_.second, turn.fingerprint_, response.status,
            response.headers.get("Content-Type"), body, now);
    });
}

}  // namespace belay::api
