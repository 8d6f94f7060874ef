// pooler_test.cpp — a real PgBouncer between the store and its server: sessions are ours, or it is said at once.
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "postgres/store_bench.hpp"

namespace belay::store {
namespace {

constexpr const char* kProgram = "/usr/sbin/pgbouncer";

int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    const bool bound = ::bind(socket, any, length) == 0 && ::getsockname(socket, any, &length) == 0;
    ::close(socket);
    if (!bound) throw std::runtime_error("no port is free");
    return ntohs(address.sin_port);
}

class PgBouncer {
public:
    PgBouncer(const test::PostgresServer& server, const std::string& settings)
        : port_(free_port()), file_(fmt::format("{}/pgbouncer-{}", server.socket_folder(), port_)) {
        if (!std::filesystem::exists(kProgram))
            throw std::runtime_error("pgbouncer is not installed: run tools/setup tests");
        std::ofstream{file_ + ".ini"} << fmt::format(
            "[databases]\npostgres = host={} dbname=postgres user=postgres\n"
            "[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {}\nunix_socket_dir =\n"
            "auth_type = any\nmax_client_conn = 100\n{}\n",
            server.socket_folder(), port_, settings);
        pid_ = test::PostgresServer::spawn_beside({kProgram, file_ + ".ini"}, file_ + ".log");
        wait_until_it_listens();
    }
    ~PgBouncer() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    PgBouncer(const PgBouncer&) = delete;
    PgBouncer& operator=(const PgBouncer&) = delete;

    // The store of that address, through this.
    std::string through(const std::string& address) const {
        const auto schema = address.substr(address.find("schema="));
        return fmt::format("postgres://postgres@127.0.0.1:{}/postgres?{}", port_, schema);
    }

private:
    void wait_until_it_listens() const {
        for (int i = 0; i < 1000; ++i) {
            try {
                postgres::ConnectOptions options;
                options.url = fmt::format("postgres://postgres@127.0.0.1:{}/postgres", port_);
                options.schema = "public";
                options.reply_time_max = 5s;
                const postgres::Connection connection{options};
                return;
            } catch (const postgres::PgError&) {
                std::this_thread::sleep_for(10ms);
            }
        }
        std::ifstream log{file_ + ".log"};
        throw std::runtime_error("PgBouncer does not start: " +
                                 std::string(std::istreambuf_iterator<char>(log), {}));
    }

    int port_;
    std::string file_;
    pid_t pid_ = -1;
};

class PoolerTest : public PostgresStoreTest {
protected:
    // What opening the store through such a pooler is refused with; empty if it is not.
    std::string refusal(const std::string& settings) {
        const PgBouncer pooler(server, settings);
        address = pooler.through(address);
        try {
            open();
        } catch (const Error& error) {
            return error.code() == ErrorCode::InvalidArgument ? error.what() : "";
        }
        return "";
    }
};

TEST_F(PoolerTest, a_pool_of_transactions_is_refused_with_a_sentence) {
    const std::string pools[] = {
        "pool_mode = transaction",
        "pool_mode = transaction\ndefault_pool_size = 1",
        "pool_mode = transaction\nserver_round_robin = 1\nmin_pool_size = 4",
        "pool_mode = statement",
    };
    for (const std::string& pool : pools) {
        SCOPED_TRACE(pool);
        address = server.new_schema();
        const std::string why = refusal(pool);
        EXPECT_NE(why.find("pool_mode = session"), std::string::npos) << why;
    }
}

TEST_F(PoolerTest, a_pool_of_sessions_is_as_good_as_none) {
    const PgBouncer pooler(server, "pool_mode = session\ndefault_pool_size = 50");
    const std::string direct = address;
    address = pooler.through(address);
    const auto store = open();
    Batch batch;
    batch.now = Time{1'800'000'000'000ms};
    Submit submit;
    submit.run.id = "july";
    submit.run.workflow_key = "invoice";
    submit.run.input = "{}";
    batch.verbs.emplace_back(submit);
    store->commit(batch);

    EXPECT_TRUE(store->find_run("july").has_value());
    address = direct;
    EXPECT_TRUE(open()->find_run("july").has_value());
}

}  // namespace
}  // namespace belay::store
