#include "support/postgres_server.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace belay::test {

namespace {

namespace fs = std::filesystem;

// The newest that is installed; Debian keeps them apart by version.
std::string program(const std::string& name) {
    std::vector<fs::path> found;
    const fs::path all = "/usr/lib/postgresql";
    if (fs::exists(all)) {
        for (const auto& version : fs::directory_iterator(all)) {
            if (fs::exists(version.path() / "bin" / name))
                found.push_back(version.path() / "bin" / name);
        }
    }
    if (found.empty())
        throw std::runtime_error("PostgreSQL's " + name +
                                 " is not installed: run tools/setup tests");
    std::sort(found.begin(), found.end());
    return found.back().string();
}

const passwd* server_user() {
    for (const char* name : {"postgres", "nobody"}) {
        if (const passwd* user = ::getpwnam(name)) return user;
    }
    throw std::runtime_error("there is neither a user postgres nor nobody to run PostgreSQL as");
}

pid_t spawn(const std::vector<std::string>& command, const std::string& output, bool dies_with_us) {
    const bool is_root = ::geteuid() == 0;
    const passwd* user = is_root ? server_user() : nullptr;
    std::vector<char*> arguments;
    for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    ::dup2(out, 1);
    ::dup2(out, 2);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    if (user != nullptr && (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 ||
                            ::setuid(user->pw_uid) != 0)) {
        ::_exit(126);
    }
    if (dies_with_us) {
        ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
        if (::getppid() != parent) ::_exit(125);
    }
    ::chdir("/");
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
}

int wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

std::string text_of(const std::string& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

PostgresServer::PostgresServer(Options options) : options_(std::move(options)) {
    std::string pattern = (fs::temp_directory_path() / "belay-pg-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    if (::geteuid() == 0) {
        const passwd* user = server_user();
        if (::chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0)
            throw std::runtime_error("chown failed");
    }
    fs::permissions(folder_, fs::perms::all);
    const pid_t made = spawn({program("initdb"), "-D", folder_ + "/data", "-U", "postgres", "-A",
                              "trust", "--no-sync", "-E", "UTF8", "--locale=C"},
                             folder_ + "/log", true);
    if (wait_for(made) != 0)
        throw std::runtime_error("initdb failed: " + text_of(folder_ + "/log"));
    start();
}

PostgresServer::~PostgresServer() {
    stop(SIGQUIT);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

PostgresServer& PostgresServer::shared() {
    static PostgresServer server;
    return server;
}

void PostgresServer::start() {
    std::vector<std::string> command{program("postgres"), "-D", folder_ + "/data", "-k", folder_};
    std::vector<std::string> settings{"listen_addresses=", "max_connections=150",
                                      "shared_buffers=64MB", "unix_socket_permissions=0777"};
    if (!options_.fsync) {
        settings.insert(settings.end(),
                        {"fsync=off", "full_page_writes=off", "synchronous_commit=off"});
    }
    settings.insert(settings.end(), options_.settings.begin(), options_.settings.end());
    for (const std::string& setting : settings) {
        command.emplace_back("-c");
        command.push_back(setting);
    }
    pid_ = spawn(command, folder_ + "/log", true);
    // Line 8 of postmaster.pid says when it takes connections. There is nobody who could tell us instead.
    for (int i = 0; i < 6000; ++i) {
        std::ifstream file{folder_ + "/data/postmaster.pid"};
        std::string line;
        std::string state;
        for (int number = 1; std::getline(file, line); ++number) {
            if (number == 1 && line != std::to_string(pid_)) break;
            if (number == 8) state = line;
        }
        if (state.starts_with("ready")) return;
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_) break;
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    throw std::runtime_error("PostgreSQL does not start: " + text_of(folder_ + "/log"));
}

void PostgresServer::stop(int signal) {
    if (pid_ <= 0) return;
    ::kill(pid_, signal);
    wait_for(pid_);
    pid_ = -1;
}

void PostgresServer::crash_and_start() {
    stop(SIGQUIT);
    start();
}

std::string PostgresServer::address(const std::string& schema) const {
    return "postgres://postgres@/postgres?host=" + folder_ + "&schema=" + schema;
}

std::string PostgresServer::new_schema() { return address("s" + std::to_string(++schemas_)); }

std::string PostgresServer::sql(const std::string& statement) const {
    const std::string output = folder_ + "/psql." + std::to_string(::getpid());
    const pid_t pid = spawn(
        {program("psql"), "-h", folder_, "-U", "postgres", "-d", "postgres", "-XAtqc", statement},
        output, true);
    wait_for(pid);
    std::string text = text_of(output);
    fs::remove(output);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

pid_t PostgresServer::spawn_beside(const std::vector<std::string>& command,
                                   const std::string& output) {
    return spawn(command, output, true);
}

}  // namespace belay::test
