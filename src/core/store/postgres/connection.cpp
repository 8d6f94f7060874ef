#include "core/store/postgres/connection.hpp"

#include <arpa/inet.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "core/base/assert.hpp"
#include "core/store/postgres/text.hpp"

namespace belay::store::postgres {

namespace {

using Steady = std::chrono::steady_clock;

constexpr unsigned kTextType = 25;
constexpr unsigned kIntegerType = 20;
constexpr unsigned kTextArrayType = 1009;
constexpr unsigned kIntegerArrayType = 1016;

std::string trimmed(std::string text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    return text;
}

// False when `until` has passed first.
bool wait_on(int socket, short events, int wake, Steady::time_point until) {
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
        pollfd fds[2] = {{socket, events, 0}, {wake, POLLIN, 0}};
        const int ready = ::poll(fds, wake >= 0 ? 2 : 1,
                                 static_cast<int>(std::clamp<long long>(left, 0, 1 << 30)));
        if (ready > 0) return true;
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0) return true;  // the next read says what is wrong
        if (left <= 0) return false;
    }
}

void append_int32(std::string& out, std::int32_t value) {
    const auto big = htonl(static_cast<std::uint32_t>(value));
    out.append(reinterpret_cast<const char*>(&big), 4);
}

void append_int64(std::string& out, std::int64_t value) {
    append_int32(out, static_cast<std::int32_t>(value >> 32));
    append_int32(out, static_cast<std::int32_t>(value & 0xffffffff));
}

// unnest fills up the shorter of several arrays with NULL: one that holds nothing else is given empty, which saves the
// server a table of them.
void give_array(Parameters& parameters, unsigned array_type, unsigned element_type,
                std::int32_t count, std::int32_t nulls, const std::string& elements) {
    const bool is_empty = count == nulls;
    std::string bytes;
    bytes.reserve(elements.size() + 20);
    append_int32(bytes, is_empty ? 0 : 1);
    append_int32(bytes, nulls > 0 && !is_empty ? 1 : 0);
    append_int32(bytes, static_cast<std::int32_t>(element_type));
    if (!is_empty) {
        append_int32(bytes, count);
        append_int32(bytes, 1);
        bytes += elements;
    }
    parameters.add_typed(array_type, std::move(bytes), true);
}

}  // namespace

// ---- results

Result::Result(pg_result* result) : result_(result, Clear{}) {}

void Result::Clear::operator()(pg_result* result) const { PQclear(result); }

int Result::rows() const { return result_ ? PQntuples(result_.get()) : 0; }
int Result::columns() const { return result_ ? PQnfields(result_.get()) : 0; }
unsigned Result::type(int column) const { return PQftype(result_.get(), column); }
const char* Result::name(int column) const { return PQfname(result_.get(), column); }

std::int64_t Result::changed() const {
    if (!result_) return 0;
    const std::string_view text = PQcmdTuples(result_.get());
    std::int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

bool Result::is_null(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) != 0;
}

std::string_view Result::raw(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t Result::integer(int row, int column) const {
    const std::string_view text = raw(row, column);
    if (text == "t") return 1;
    if (text == "f") return 0;
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    BELAY_ASSERT(read.ec == std::errc{} && read.ptr == text.data() + text.size(),
                 "'{}' is not a number", text);
    return value;
}

std::string_view Result::text(int row, int column) const {
    const std::string_view text = raw(row, column);
    if (!may_be_encoded(text)) return text;
    auto& decodeds = const_cast<Result*>(this)->decoded_;
    if (!decodeds) decodeds = std::make_shared<std::deque<std::string>>();
    return decodeds->emplace_back(decoded(text));
}

// ---- parameters

void Parameters::put(std::size_t index, Value value) {
    if (values_.size() <= index) values_.resize(index + 1);
    values_[index] = std::move(value);
}

void Parameters::add(std::int64_t value) {
    put(values_.size(), {std::to_string(value), 0, false, false});
}
void Parameters::add(std::string_view text) {
    put(values_.size(), {is_plain(text) ? std::string(text) : encoded(text), 0, false, false});
}
void Parameters::add(std::nullptr_t) { put(values_.size(), {{}, 0, true, false}); }
void Parameters::add_typed(unsigned type, std::string bytes, bool binary) {
    put(values_.size(), {std::move(bytes), type, false, binary});
}
void Parameters::set(int index, std::int64_t value) {
    put(static_cast<std::size_t>(index - 1), {std::to_string(value), 0, false, false});
}
void Parameters::set(int index, std::string_view text) {
    put(static_cast<std::size_t>(index - 1),
        {is_plain(text) ? std::string(text) : encoded(text), 0, false, false});
}
void Parameters::set(int index, std::nullptr_t) {
    put(static_cast<std::size_t>(index - 1), {{}, 0, true, false});
}
void Parameters::clear() { values_.clear(); }

// ---- arrays

void IntegerArray::add(std::int64_t value) {
    append_int32(bytes_, 8);
    append_int64(bytes_, value);
    ++count_;
}
void IntegerArray::add(const std::optional<Time>& time) {
    if (time) {
        add(*time);
    } else {
        add_null();
    }
}
void IntegerArray::add_null() {
    append_int32(bytes_, -1);
    ++count_;
    ++nulls_;
}
void IntegerArray::give(Parameters& parameters) const {
    give_array(parameters, kIntegerArrayType, kIntegerType, count_, nulls_, bytes_);
}

void TextArray::add(std::string_view text) {
    if (is_plain(text)) {
        append_int32(bytes_, static_cast<std::int32_t>(text.size()));
        bytes_.append(text);
    } else {
        const std::string safe = encoded(text);
        append_int32(bytes_, static_cast<std::int32_t>(safe.size()));
        bytes_.append(safe);
    }
    ++count_;
}
void TextArray::add(const std::optional<std::string>& text) {
    if (text) {
        add(std::string_view(*text));
    } else {
        add_null();
    }
}
void TextArray::add_or_null(std::string_view text) {
    if (text.empty()) {
        add_null();
    } else {
        add(text);
    }
}
void TextArray::add_null() {
    append_int32(bytes_, -1);
    ++count_;
    ++nulls_;
}
void TextArray::give(Parameters& parameters) const {
    give_array(parameters, kTextArrayType, kTextType, count_, nulls_, bytes_);
}

// ---- the connection

Connection::Connection(const ConnectOptions& options)
    : schema_(options.schema), reply_time_max_(options.reply_time_max) {
    // What stands before dbname is a default: the URL may say otherwise.
    const char* keys[] = {"connect_timeout",  "keepalives_idle",  "keepalives_interval",
                          "keepalives_count", "tcp_user_timeout", "dbname",
                          "application_name", "client_encoding",  nullptr};
    const char* values[] = {
        "5",    "5",    "2", "3", "10000", options.url.c_str(), options.application.c_str(),
        "UTF8", nullptr};
    handle_ = PQconnectdbParams(keys, values, 1);
    if (PQstatus(handle_) != CONNECTION_OK) {
        const std::string why = trimmed(PQerrorMessage(handle_));
        PQfinish(handle_);
        handle_ = nullptr;
        throw PgError("", why, true);
    }
    PQsetNoticeProcessor(
        handle_, [](void*, const char*) {}, nullptr);
    PQsetnonblocking(handle_, 1);
    enter_pipeline();
    try {
        settle_in(options);
    } catch (...) {
        PQfinish(handle_);
        throw;
    }
}

// Settings of the session, by statements: a pooler in between takes no `options` when it is connected to.
void Connection::settle_in(const ConnectOptions& options) {
    Parameters values;
    std::string sql = "SELECT set_config('search_path', $1, false)";
    values.add(fmt::format("\"{}\"", schema_));
    const auto set = [&](std::string_view name, const std::string& value) {
        values.add(value);
        sql += fmt::format(", set_config('{}', ${}, false)", name, values.size());
    };
    set("idle_in_transaction_session_timeout",
        std::to_string(options.idle_in_transaction_max.count()));
    set("lock_timeout", std::to_string(options.lock_wait_max.count()));
    set("default_transaction_isolation", "read committed");
    set("jit", "off");
    set("tcp_keepalives_idle", "5");
    set("tcp_keepalives_interval", "2");
    set("tcp_keepalives_count", "3");
    if (options.by_index) set("enable_seqscan", "off");
    run(sql, values);
}

int Connection::told_backend() const { return PQbackendPID(handle_); }

Connection::~Connection() {
    if (handle_ != nullptr) PQfinish(handle_);
}

void Connection::enter_pipeline() { PQenterPipelineMode(handle_); }
void Connection::leave_pipeline() { PQexitPipelineMode(handle_); }

bool Connection::in_transaction() const {
    const auto status = PQtransactionStatus(handle_);
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE;
}

bool Connection::lost() const { return is_given_up_ || PQstatus(handle_) != CONNECTION_OK; }
int Connection::socket() const { return PQsocket(handle_); }

void Connection::fail_lost() {
    std::string why = trimmed(PQerrorMessage(handle_));
    if (why.empty()) why = "the connection was lost";
    throw PgError("", why, true);
}

void Connection::give_up(const std::string& why) {
    is_given_up_ = true;
    throw PgError("", why, true);
}

void Connection::flush_output() {
    const auto until = Steady::now() + reply_time_max_;
    while (true) {
        const int left = PQflush(handle_);
        if (left == 0) return;
        if (left < 0) fail_lost();
        // The server may have to be read from before it takes more.
        if (!wait_on(PQsocket(handle_), POLLIN | POLLOUT, -1, until))
            give_up("the server does not answer");
        if (PQconsumeInput(handle_) == 0) fail_lost();
    }
}

void Connection::wait_for_input() {
    if (!wait_on(PQsocket(handle_), POLLIN, -1, Steady::now() + reply_time_max_)) {
        give_up(fmt::format("the server has not answered for {} ms", reply_time_max_.count()));
    }
    if (PQconsumeInput(handle_) == 0) fail_lost();
}

pg_result* Connection::next_result() {
    while (PQisBusy(handle_) != 0) wait_for_input();
    return PQgetResult(handle_);
}

void Connection::send(std::string_view sql, const Parameters& parameters) {
    send_prepared("", sql, parameters);
}

void Connection::send_prepared(const std::string& name, std::string_view sql,
                               const Parameters& parameters) {
    const auto count = parameters.values_.size();
    std::vector<const char*> values(count);
    std::vector<int> lengths(count);
    std::vector<int> formats(count);
    std::vector<Oid> types(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& value = parameters.values_[i];
        values[i] = value.null ? nullptr : value.bytes.c_str();
        lengths[i] = static_cast<int>(value.bytes.size());
        formats[i] = value.binary ? 1 : 0;
        types[i] = value.type;
    }
    const int n = static_cast<int>(count);
    const std::string text(sql);
    if (name.empty()) {
        if (PQsendQueryParams(handle_, text.c_str(), n, types.data(), values.data(), lengths.data(),
                              formats.data(), 0) == 0) {
            fail_lost();
        }
        is_prepare_.push_back(false);
        ++sent_;
        return;
    }
    const auto is_known = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!is_known(prepared_) && !is_known(preparing_)) {
        if (PQsendPrepare(handle_, name.c_str(), text.c_str(), n, types.data()) == 0) fail_lost();
        preparing_.push_back(name);
        is_prepare_.push_back(true);
    }
    if (PQsendQueryPrepared(handle_, name.c_str(), n, values.data(), lengths.data(), formats.data(),
                            0) == 0) {
        fail_lost();
    }
    is_prepare_.push_back(false);
    ++sent_;
}

void Connection::sync() {
    if (PQpipelineSync(handle_) == 0) fail_lost();
    sent_ = 0;
    flush_output();
    is_synced_ = true;
}

std::vector<Result> Connection::finish() {
    if (!is_synced_) sync();
    is_synced_ = false;
    std::vector<Result> results;
    std::optional<PgError> failed;
    const std::vector<bool> is_prepare = std::exchange(is_prepare_, {});
    std::vector<std::string> preparing = std::exchange(preparing_, {});
    std::size_t prepared = 0;
    for (const bool prepare : is_prepare) {
        pg_result* result = next_result();
        if (result == nullptr) fail_lost();
        const auto status = PQresultStatus(result);
        if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) {
            const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
            const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
            std::string why = primary != nullptr ? primary : trimmed(PQresultErrorMessage(result));
            if (!failed)
                failed.emplace(state == nullptr ? "" : state, why, state == nullptr || lost());
            PQclear(result);
        } else if (status == PGRES_PIPELINE_ABORTED) {
            PQclear(result);
        } else if (status == PGRES_EMPTY_QUERY) {
            if (!failed) failed.emplace("42601", "expected one SQL statement", false);
            PQclear(result);
        } else if (prepare) {
            prepared_.push_back(std::move(preparing[prepared++]));
            PQclear(result);
        } else {
            results.emplace_back(result);
        }
        // Each statement's results end with a null.
        pg_result* end = next_result();
        BELAY_ASSERT(end == nullptr || lost(), "a statement gave a second result");
        if (end != nullptr) PQclear(end);
        if (lost()) {
            if (failed) throw PgError(failed->state(), failed->what(), true);
            fail_lost();
        }
    }
    pg_result* sync = next_result();
    const bool synced = sync != nullptr && PQresultStatus(sync) == PGRES_PIPELINE_SYNC;
    if (sync != nullptr) PQclear(sync);
    // A server that ends with its last answer may have committed all the same.
    if (failed && (!synced || lost())) throw PgError(failed->state(), failed->what(), true);
    if (failed) throw *failed;
    if (!synced) fail_lost();
    return results;
}

Result Connection::run(std::string_view sql, const Parameters& parameters) {
    send(sql, parameters);
    auto results = finish();
    return std::move(results.back());
}

void Connection::run_script(const std::string& sql) {
    leave_pipeline();
    PQsetnonblocking(handle_, 0);
    pg_result* result = PQexec(handle_, sql.c_str());
    const auto status = PQresultStatus(result);
    std::optional<PgError> failed;
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY) {
        const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        failed.emplace(state == nullptr ? "" : state,
                       primary != nullptr ? primary : trimmed(PQerrorMessage(handle_)),
                       state == nullptr || lost());
    }
    PQclear(result);
    PQsetnonblocking(handle_, 1);
    enter_pipeline();
    if (failed) throw *failed;
}

std::vector<Connection::Notification> Connection::notifications(Duration wait, int wake) {
    wait_on(PQsocket(handle_), POLLIN, wake, Steady::now() + wait);
    if (PQconsumeInput(handle_) == 0) fail_lost();
    std::vector<Notification> out;
    while (PGnotify* notify = PQnotifies(handle_)) {
        out.push_back({notify->relname, notify->extra});
        PQfreemem(notify);
    }
    return out;
}

// ---- statements

Statement::Statement(Connection& connection, std::string name, std::string sql)
    : connection_(&connection), name_(std::move(name)), sql_(std::move(sql)) {}

void Statement::send() { send(parameters_); }

void Statement::send(const Parameters& parameters) {
    connection_->send_prepared(name_, sql_, parameters);
}

Result Statement::rows() {
    send();
    auto results = connection_->finish();
    return std::move(results.back());
}

int Statement::step_to_end() { return static_cast<int>(rows().changed()); }

}  // namespace belay::store::postgres
