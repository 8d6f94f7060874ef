// private_sql.hpp — the database in which bodies of the memory store run their SQL.
//
// SQLite without a file. A batch that runs a body opens a transaction, each body a savepoint inside
// it. Some failures take the whole transaction with them; then the batch is begun again without the
// body that failed (batch_pass.hpp).
#pragma once

#include <memory>

#include "core/store/sql/body.hpp"

namespace belay::store::memory {

class PrivateSql {
public:
    PrivateSql();
    ~PrivateSql();

    PrivateSql(const PrivateSql&) = delete;
    PrivateSql& operator=(const PrivateSql&) = delete;

    void begin();      // unless a transaction is open
    void commit();     // if one is open
    void roll_back();  // if one is open

    void savepoint();
    void release();
    void roll_back_to_savepoint();

    // The limit on a body's work is counted, not timed, so that a simulation repeats it exactly.
    void restart_limit() { polls_left_ = kPollsMax; }

    SqlBody& body() { return *body_; }

private:
    static constexpr int kPollsMax = 2000;

    struct Close {
        void operator()(sqlite3* connection) const;
    };

    void run(const char* sql);

    std::unique_ptr<sqlite3, Close> connection_;
    std::unique_ptr<SqlBody> body_;
    int polls_left_ = kPollsMax;
};

}  // namespace belay::store::memory
