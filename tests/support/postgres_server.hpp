// postgres_server.hpp — a PostgreSQL server of the tests' own, thrown away when they are over.
//
// Its files and its socket are in a temporary folder; it listens on no port unless asked. Started by root it runs
// as `postgres` or `nobody`, because PostgreSQL refuses to run as root. It ends when its test program does, however
// that ends.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace belay::test {

class PostgresServer {
public:
    struct Options {
        bool fsync = false;
        std::vector<std::string> settings{};  // "max_connections=20"
    };

    explicit PostgresServer(Options options);
    PostgresServer() : PostgresServer(Options{}) {}
    ~PostgresServer();
    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;

    // One for the whole program, without fsync: for everything that does not crash it.
    static PostgresServer& shared();

    // The address of a store in a schema that nobody else has been given.
    std::string new_schema();
    std::string address(const std::string& schema) const;
    std::string socket_folder() const { return folder_; }

    // As a power cut for its clients: everything it has not written is lost (SIGQUIT), then it starts again.
    void crash_and_start();
    void stop(int signal);  // waits for its end
    void start();           // waits until it takes connections
    pid_t pid() const { return pid_; }

    // Runs SQL as the superuser, with psql; gives what it printed, without alignment.
    std::string sql(const std::string& statement) const;

    // Starts another program of that user's, which ends with this one; gives its process.
    static pid_t spawn_beside(const std::vector<std::string>& command, const std::string& output);

private:
    Options options_;
    std::string folder_;
    pid_t pid_ = -1;
    int schemas_ = 0;
};

}  // namespace belay::test
