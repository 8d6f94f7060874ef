// mail_once.cpp — an e-mail that is not sent twice, by a server that knows nothing of keys. docs/cookbook.md
//
// A step that sends may run again when the process dies inside it, and most mail servers take the same letter twice. So the
// letter is first written down in the commit of a transaction, and the sending asks before a second try whether it went out.
#include <map>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>
#include <boost/describe.hpp>

struct Letter {
    std::string to;
    std::string subject;
};
BOOST_DESCRIBE_STRUCT(Letter, (), (to, subject))

// What every provider has in some form: sending with a Message-ID of ours, and a search by it.
struct MailServer {
    std::map<std::string, Letter> sent;  // by Message-ID
    int deliveries = 0;
    bool has(const std::string& id) const { return sent.contains(id); }
    void send(const std::string& id, const Letter& letter) {
        sent[id] = letter;
        ++deliveries;
    }
} server;

void note(belay::Tx& tx, const Letter& letter) {
    tx.exec("INSERT INTO letters (run_id, recipient) VALUES (?, ?)", tx.run_id(), letter.to);
}

// The key is the same on every attempt of this step, in this process and in the next.
bool send(belay::Attempt& attempt, const Letter& letter) {
    const std::string id = attempt.idempotency_key();
    if (!server.has(id)) server.send(id, letter);
    return true;
}

belay::Task<bool> welcome(belay::Context& ctx, Letter letter) {
    co_await ctx.transaction("note", note, letter);
    co_return co_await ctx.step("send", send, letter);
}

int main() {
    belay::testing::CrashOptions options;
    options.define = [](belay::Engine& engine) {
        engine.migrate("mail", {"CREATE TABLE letters (run_id TEXT PRIMARY KEY, recipient TEXT)"});
    };
    options.begin = [] { server = {}; };
    options.effects = [] { return fmt::format("{} deliveries", server.deliveries); };
    const auto report = belay::testing::crash_everywhere(
        welcome, Letter{"ada@example.org", "Welcome"}, options);
    fmt::print("{}\n{} delivery\n", report.passed() ? "died everywhere" : report.text(),
               server.deliveries);
}
