// body.hpp — a program's own SQL on a SQLite connection: what it may do, how its values cross.
//
// Used by every store that runs bodies on SQLite (the SQLite store, and the memory store's private
// database), so that what a body may do is decided once. It knows nothing of runs, batches or
// savepoints: whoever owns the connection opens the transaction around it. The rules are held by an
// authorizer that is installed once: SQLite prepares every statement anew when it is changed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <belay/sql.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace belay::store {

// Whether a table is Belay's own: a body may read it, not write, alter or shadow it.
bool is_own_table(std::string_view table);

class SqlBody {
public:
    // Installs the authorizer and the progress handler of `connection`, which must outlive it and
    // have no others. Belay's own statements are not affected.
    explicit SqlBody(sqlite3* connection);
    ~SqlBody();

    SqlBody(const SqlBody&) = delete;
    SqlBody& operator=(const SqlBody&) = delete;

    // Runs one statement of a body with its parameters bound in order, by the rules of SqlTx::run.
    // When it throws, the transaction around it may be gone too (disk full, interrupted, ON
    // CONFLICT ROLLBACK): ask `transaction_lost`.
    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters);

    // Runs one statement that reads. Throws Error{InvalidArgument} if it could write.
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters);

    // Runs a script of any number of statements by the rules of a body: a migration.
    void run_script(std::string_view sql);

    // To be called when a body returned: throws Error{InvalidArgument} if it leaves a deferred
    // foreign key broken, which would otherwise fail the COMMIT of all its neighbours.
    void check_deferred_keys();

    // No transaction is open any more: what was written since BEGIN, by everyone, is gone.
    bool transaction_lost() const;

    // Asked every few thousand instructions of a body's statement; true interrupts it
    // (TransactionRefused). Empty: no limit.
    std::function<bool()> over_limit;

private:
    enum class Rules { None, Body, Read };
    struct Prepared {
        sqlite3_stmt* statement;
        std::size_t bytes;  // how far into the text it reaches
    };
    class Applying;

    SqlResult run_one(Rules rules, std::string_view sql, std::span<const SqlValue> parameters);
    sqlite3_stmt* prepare(std::string_view sql);
    Prepared prepare_first(std::string_view sql);
    SqlResult step_through(sqlite3_stmt* statement);
    void forget_statements();
    [[noreturn]] void fail(int code);

    // The authorizer: empty if allowed, else what was refused, as a sentence.
    std::string refusal(int action, const char* first, const char* second) const;
    static int authorize(void* self, int action, const char* first, const char* second,
                         const char* database, const char* trigger);
    static int poll(void* self);

    sqlite3* connection_;
    Rules rules_ = Rules::None;
    std::string refused_;
    bool interrupted_ = false;
    std::unordered_map<std::string, sqlite3_stmt*> prepared_;  // by rules and text
};

}  // namespace belay::store
