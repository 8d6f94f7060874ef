#include "core/library/replay_program.hpp"

#include <cerrno>  // program_invocation_short_name
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::library {

namespace {

constexpr const char* kVariable = "BELAY_REPLAY";
constexpr const char* kExportVariable = "BELAY_EXPORT";

int replay(engine::Core& core, const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        fmt::print(stderr, "belay: the history {} cannot be read\n", file);
        return 2;
    }
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    try {
        const ReplayReport report = core.replay(text);
        fmt::print("{}\n", report.sentence);
        return report.agrees ? 0 : 1;
    } catch (const Error& error) {
        fmt::print(stderr, "belay: {}: {}\n", file, error.what());
        return 2;
    }
}

}  // namespace

bool asked_to_replay() {
    const char* file = std::getenv(kVariable);
    return file != nullptr && *file != '\0';
}

void replay_and_exit(engine::Core& core) {
    const int code = replay(core, std::getenv(kVariable));
    std::fflush(nullptr);
    // Without the goodbyes of a program that has not begun: its threads and its handles are in use.
    std::_Exit(code);
}

bool asked_to_export() {
    const char* folder = std::getenv(kExportVariable);
    return folder != nullptr && *folder != '\0';
}

void export_histories(engine::Core& core) {
    const std::filesystem::path folder = std::getenv(kExportVariable);
    std::map<std::string, std::string>
        first;  // of each workflow; later pages have the earlier runs
    store::RunFilter filter;
    filter.limit = 1000;
    do {
        const store::RunPage page = core.store().list_runs(filter);
        for (const model::Run& run : page.runs) first.insert_or_assign(run.workflow_key, run.id);
        filter.before = page.next;
    } while (filter.before);
    for (const auto& [workflow, id] : first) {
        const auto file =
            folder / fmt::format("{}.{}.json", program_invocation_short_name, workflow);
        std::ofstream(file, std::ios::binary) << core.history(id);
    }
}

}  // namespace belay::library
