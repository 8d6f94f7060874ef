#include "service/app/new_project.hpp"

#include <fstream>
#include <ostream>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "service/app/program.hpp"
#include "service/app/template.hpp"

namespace belay::app {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kName = "@NAME@";

std::string with_name_in(std::string text, std::string_view name) {
    for (auto at = text.find(kName); at != std::string::npos; at = text.find(kName, at))
        text.replace(at, kName.size(), name);
    return text;
}

}  // namespace

std::vector<fs::path> write_project(const std::string& name, const fs::path& folder) {
    check_name(name);
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("{} is there and not empty: nothing is written over it", folder.string()));
    }
    fs::create_directories(folder, error);
    std::vector<fs::path> written;
    for (const TemplateFile& file : kTemplate) {
        const fs::path path = folder / (file.name == "gitignore" ? ".gitignore" : file.name);
        std::ofstream out(path);
        out << with_name_in(std::string(file.text), name);
        out.close();
        if (!out)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("{} cannot be written", path.string()));
        written.push_back(path);
    }
    return written;
}

Command new_project() {
    Command command;
    command.name = "new";
    command.summary = "Write a small program with a workflow, its crash test and a server";
    command.options = {{"NAME", "what it is called: shop", true},
                       {"--folder", "where, if not in ./NAME", false}};
    command.run = [](CommandCall& call) {
        const std::string name = call.value("NAME");
        const fs::path folder = call.value("--folder", name);
        for (const fs::path& path : write_project(name, folder)) call.out << path.string() << '\n';
        call.out << fmt::format(
            "Build it, let it crash everywhere, serve it:\n"
            "  cmake -S {0} -B {0}/build && cmake --build {0}/build\n"
            "  ctest --test-dir {0}/build --output-on-failure\n"
            "  {0}/build/{1} serve\n",
            folder.string(), name);
        return 0;
    };
    return command;
}

}  // namespace belay::app
