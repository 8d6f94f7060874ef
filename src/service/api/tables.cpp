#include "service/api/tables.hpp"

#include <belay/error.hpp>

namespace belay::api {

namespace {

class StoreTx final : public belay::detail::TxPort {
public:
    StoreTx(store::SqlTx& sql, Time now) : sql_(sql), now_(now) {}

    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override {
        return sql_.run(sql, parameters);
    }
    std::string submit(std::string_view, std::string, const SubmitOptions&) override {
        throw Error(ErrorCode::InvalidArgument, "nothing executes here: no run can be started");
    }
    void send(const std::string&, std::string_view, std::string, const SendOptions&) override {
        throw Error(ErrorCode::InvalidArgument, "nothing executes here: no message can be sent");
    }
    const std::string& run_id() const override { return none_; }
    Time now() const override { return now_; }

private:
    store::SqlTx& sql_;
    Time now_;
    std::string none_;
};

}  // namespace

SqlResult EngineTables::query(std::string_view sql, std::span<const SqlValue> parameters) {
    return engine_.query(sql, parameters);
}

void EngineTables::transact(const std::function<void(Tx&)>& body) {
    engine_.transact([&body](Tx& tx) {
        body(tx);
        return std::string{};
    });
}

SqlResult StoreTables::query(std::string_view sql, std::span<const SqlValue> parameters) {
    return store_.query(sql, parameters);
}

void StoreTables::transact(const std::function<void(Tx&)>& body) {
    store::Batch batch;
    batch.now = clock_.now();
    store::Transact transact;
    transact.body = [&body, now = batch.now](store::SqlTx& sql) {
        StoreTx port{sql, now};
        Tx tx{port};
        body(tx);
        return std::string{};
    };
    batch.verbs.emplace_back(std::move(transact));
    store_.commit(batch);
    const auto& outcome = std::get<store::Transact>(batch.verbs.front()).outcome;
    if (const auto* failed = std::get_if<store::BodyFailed>(&outcome))
        std::rethrow_exception(failed->error);
}

}  // namespace belay::api
