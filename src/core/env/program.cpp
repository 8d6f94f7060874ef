#include "core/env/program.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::env {

int run_program(const std::vector<std::string>& words,
                const std::vector<std::pair<std::string, std::string>>& variables) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::vector<std::string> added;
    for (const auto& [name, value] : variables) added.push_back(fmt::format("{}={}", name, value));
    std::vector<char*> environment;
    for (std::string& variable : added) environment.push_back(variable.data());
    for (char** variable = ::environ; *variable != nullptr; ++variable)
        environment.push_back(*variable);
    environment.push_back(nullptr);

    pid_t child = 0;
    const int error = ::posix_spawnp(&child, words.front().c_str(), nullptr, nullptr,
                                     arguments.data(), environment.data());
    if (error != 0) {
        throw Error(ErrorCode::NotFound,
                    fmt::format("the program {} cannot be started: {}", words.front(),
                                std::generic_category().message(error)));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace belay::env
