#include "ingestion/isolate/helper_process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "core/base/shortage.hpp"
#include "ingestion/isolate/frame.hpp"
#include "ingestion/isolate/message.hpp"
#include "ingestion/isolate/serve.hpp"
#include "ingestion/isolate/socket.hpp"
#include "ingestion/isolate/wake.hpp"

namespace belay::isolate {
namespace {

// What every helper needs; a key in PoolOptions::environment wins.
std::vector<std::string> environment_of(const PoolOptions& options) {
    std::map<std::string, std::string> values{
        {"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C.UTF-8"}, {"OMP_THREAD_LIMIT", "1"}};
    for (const auto& [key, value] : options.environment) values[key] = value;
    std::vector<std::string> lines;
    for (const auto& [key, value] : values) lines.push_back(key + "=" + value);
    return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// posix_spawn's settings, freed however its caller leaves.
struct SpawnSettings {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};

    SpawnSettings() {
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawnattr_init(&attributes);
    }
    ~SpawnSettings() {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
};

[[noreturn]] void unavailable(const std::string& message) {
    throw JobFailed(FailureCode::SandboxUnavailable, message);
}

}  // namespace

std::string default_helper() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::string{"belay-media"} : (self.parent_path() / "belay-media").string();
}

HelperProcess::HelperProcess(const PoolOptions& options, const std::stop_token& stop) {
    const auto program = options.program.empty() ? default_helper() : options.program;
    try {
        spawn(options, program);
        await_hello(options, program, stop);
    } catch (const BadFrame& error) {
        end();
        unavailable(fmt::format("{} is not the helper of this version of belay: {}", program,
                                error.what()));
    } catch (const std::system_error& error) {
        base::note_shortage(error.code().value());
        end();
        unavailable(fmt::format("cannot start {}: {}", program, error.what()));
    } catch (...) {
        end();
        throw;
    }
}

HelperProcess::~HelperProcess() { end(); }

void HelperProcess::spawn(const PoolOptions& options, const std::string& program) {
    auto control = packet_pair();
    SpawnSettings settings;
    // dup2 of a descriptor onto itself would leave it close-on-exec, but a fresh pair is never number 3 here:
    // glibc handles that case by clearing the flag.
    ::posix_spawn_file_actions_adddup2(&settings.files, control.theirs.get(), kControlFd);
    ::posix_spawn_file_actions_addopen(&settings.files, 0, "/dev/null", 0, 0);
    // Threads of Belay block signals, and a server may ignore some: the helper starts with neither. In a session
    // of its own, what is typed at the server's terminal does not reach it.
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&settings.attributes, &none);
    ::posix_spawnattr_setsigdefault(&settings.attributes, &all);
    ::posix_spawnattr_setflags(&settings.attributes,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);

    std::vector<std::string> arguments{program};
    arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
    auto environment = environment_of(options);
    const auto argv = pointers_to(arguments);
    const auto envp = pointers_to(environment);
    const int error = ::posix_spawn(&pid_, program.c_str(), &settings.files, &settings.attributes,
                                    argv.data(), envp.data());
    if (error != 0) {
        pid_ = -1;
        base::note_shortage(error);
        unavailable(fmt::format("cannot start {}: {}", program, std::strerror(error)));
    }
    control_ = std::move(control.ours);
}

void HelperProcess::await_hello(const PoolOptions& options, const std::string& program,
                                const std::stop_token& stop) {
    const Wake stopped{stop};
    const auto outcome = wait_readable_or(control_.get(), stopped, options.start_time_max);
    if (outcome == Waited::Stopped)
        throw JobFailed(FailureCode::Stopped, "stopped while the helper started");
    if (outcome == Waited::TimedOut) {
        unavailable(fmt::format("{} did not become ready within {} ms", program,
                                options.start_time_max.count()));
    }
    const auto packet = receive_packet(control_.get(), kSmallFrameBytesMax, 0);
    if (!packet) unavailable(fmt::format("{} {} before it was ready", program, describe_end()));
    const auto frame = decode_frame(packet->bytes, kSmallFrameBytesMax);
    if (frame.type == FrameType::Refused) {
        const Ended refused = decode_ended(frame.payload);
        base::note_shortage(refused.exit_code);
        unavailable(refused.message);
    }
    if (frame.type != FrameType::Hello) throw BadFrame("it did not say hello");
    hello_ = decode_hello(frame.payload);
}

bool HelperProcess::send(std::string_view packet, std::span<const int> fds) {
    const std::lock_guard lock{sending_};
    if (dead_) return false;
    if (!send_packet(control_.get(), packet, fds)) dead_ = true;
    return !dead_;
}

std::string HelperProcess::describe_end() {
    int status = 0;
    if (pid_ < 0 || ::waitpid(pid_, &status, 0) != pid_) return "ended";
    pid_ = -1;
    if (WIFSIGNALED(status)) {
        return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                           ::strsignal(WTERMSIG(status)));
    }
    return fmt::format("ended with code {}", WEXITSTATUS(status));
}

void HelperProcess::end() noexcept {
    control_.reset();
    if (pid_ < 0) return;
    // Killed and not asked: its jobs die with it, and it has nothing to save.
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
}

}  // namespace belay::isolate
