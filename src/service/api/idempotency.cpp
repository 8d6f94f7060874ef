#include "service/api/idempotency.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "service/api/errors.hpp"

namespace belay::api {

namespace {

constexpr std::size_t kKeyCharsMax = 255;
constexpr Duration kSweepEvery = std::chrono::minutes{10};

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

void Claim::write(Tx& tx, const Response& response) const {
    if (key_.empty() || asks_) return;
    const auto* body = std::get_if<std::string>(&response.body);
    BELAY_ASSERT(body != nullptr, "the answer of what is done once is a text");
    tx.exec("DELETE FROM api_idempotency WHERE organization_id = ? AND key = ? AND created_at <= ?",
            organization_id_, key_, tx.now() - keep_);
    // Waits for another server that is about to write it.
    const auto written = tx.exec(
        "INSERT INTO api_idempotency "
        "(organization_id, key, fingerprint, status, content_type, body, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (organization_id, key) DO NOTHING",
        organization_id_, key_, fingerprint_, response.status, response.headers.get("Content-Type"),
        *body, tx.now());
    if (written == 0) throw AnsweredBefore();
}

std::string Claim::asked_name() const {
    if (!asks_ || key_.empty()) return {};
    base::Sha256 hash;
    add(hash, organization_id_);
    add(hash, key_);
    return "asked-" + hash.finish_hex();
}

Idempotency::Idempotency(Tables& tables, const env::Clock& clock, Duration keep, Keys keys)
    : tables_(tables), clock_(clock), keep_(keep), keys_(keys) {}

Claim Idempotency::claim(const Request& request) {
    Claim claim;
    claim.audit_ = audit_note(request);
    claim.asks_ = keys_ == Keys::Asked;
    const auto key = request.headers.find("Idempotency-Key");
    if (!key) return claim;
    if (key->empty() || key->size() > kKeyCharsMax) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("an Idempotency-Key has 1 to {} characters", kKeyCharsMax));
    }
    if (!claim.asks_) sweep();
    claim.organization_id_ = request.caller.organization_id;
    claim.key_ = *key;
    claim.fingerprint_ = fingerprint(request);
    claim.keep_ = keep_;
    return claim;
}

std::optional<Response> Idempotency::answer_of(const Claim& claim) {
    if (claim.key_.empty() || claim.asks_) return std::nullopt;
    const SqlRows rows = tables_.rows(
        "SELECT fingerprint, status, content_type, body FROM api_idempotency "
        "WHERE organization_id = ? AND key = ? AND created_at > ?",
        claim.organization_id_, claim.key_, clock_.now() - keep_);
    if (rows.empty()) return std::nullopt;
    if (rows[0].get<std::string>(0) != claim.fingerprint_) {
        throw ApiError(Problem::IdempotencyMismatch,
                       "this Idempotency-Key was used with another request; use a new key");
    }
    Response response = text_response(static_cast<int>(rows[0].get<std::int64_t>(1)),
                                      rows[0].get<std::string>(2), rows[0].get<std::string>(3));
    response.headers.set("Idempotent-Replayed", "true");
    return response;
}

Response Idempotency::refused(const Claim& claim, Response response) {
    if (claim.key_.empty() || claim.asks_ || !worth_keeping(response)) return response;
    try {
        tables_.transact([&](Tx& tx) { claim.write(tx, response); });
    } catch (const AnsweredBefore&) {
        if (auto first = answer_of(claim)) return *std::move(first);
    } catch (const Error&) {
        // Asked again, it is refused again.
    }
    return response;
}

// Now and then: a key that is used again is looked at by its own age.
void Idempotency::sweep() {
    const Time now = clock_.now();
    Time due = next_sweep_.load();
    if (now < due || !next_sweep_.compare_exchange_strong(due, now + kSweepEvery)) return;
    try {
        tables_.transact([&](Tx& tx) {
            tx.exec("DELETE FROM api_idempotency WHERE created_at <= ?", now - keep_);
        });
    } catch (const Error&) {
        // The next one does it.
    }
}

}  // namespace belay::api
