#include "cli/ingest_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/engine.hpp>
#include <belay/error.hpp>

#include "cli/ingesting.hpp"
#include "cli/version.hpp"
#include "ingest/content_type.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kFileBytesMax = 2ull << 30;

// A file and what became of it.
struct Line {
    std::string file{};
    std::optional<ingest::Ingested> ingested{};
    std::string status{};
    std::optional<std::string> error{};
    json::value result{};
};

std::vector<std::string> all_files(const std::vector<std::string>& given) {
    std::vector<std::string> files;
    for (const std::string& name : given) {
        std::error_code error;
        if (!fs::is_directory(name, error)) {
            files.push_back(name);
            continue;
        }
        std::vector<std::string> inside;
        for (const auto& entry : fs::directory_iterator(name)) {
            if (entry.is_regular_file()) inside.push_back(entry.path().string());
        }
        std::ranges::sort(inside);
        files.insert(files.end(), inside.begin(), inside.end());
    }
    return files;
}

ingest::Ingested put(Ingesting& ingesting, const std::string& file, const std::string& type,
                     const std::string& organization) {
    std::ifstream in{file, std::ios::binary};
    if (!in || fs::is_directory(file))
        throw Error(ErrorCode::NotFound, "there is no such file, or it cannot be read");
    const auto writer = ingesting.object_store().begin(kFileBytesMax);
    std::string first;
    std::string piece(1u << 18, '\0');
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        const std::string_view got{piece.data(), static_cast<std::size_t>(in.gcount())};
        if (first.empty()) first = got.substr(0, ingest::kSniffBytes);
        writer->write(got);
    }
    const std::string name = fs::path(file).filename().string();
    return ingesting.uploads().finish(
        *writer, {organization, name, ingest::content_type_of(first, "", name), type, false});
}

void await_end(Engine& engine, Line& line) {
    const auto run = engine.find<json::value>(line.ingested->workflow_run_id);
    try {
        line.result = run.result();
    } catch (const Error& error) {
        line.error = error.what();
    }
    line.status = to_string(run.status());
}

std::string json_line(const Line& line) {
    json::object out{{"file", line.file}, {"workflow_run_id", nullptr}, {"workflow_key", nullptr}};
    if (line.ingested) {
        out["workflow_run_id"] = line.ingested->workflow_run_id;
        out["workflow_key"] = line.ingested->workflow_key;
    }
    out["status"] = line.status;
    out["error"] = line.error ? json::value(*line.error) : json::value(nullptr);
    out["result"] = line.result;
    return json::serialize(out);
}

std::string text_line(const Line& line) {
    std::string said = line.error.value_or("");
    if (said.empty() && !line.result.is_null()) said = json::serialize(line.result);
    if (said.empty() && line.ingested) said = line.ingested->workflow_run_id;
    return fmt::format("{}  {}  {}", plain(line.file), line.status, plain(said));
}

}  // namespace

ExitCode ingest_files(const Place& place, const IngestFilesOptions& options, bool json,
                      World& world) {
    if (place.data_folder.empty())
        throw Error(ErrorCode::InvalidArgument, "files need a data directory: say --data DIR");
    fs::create_directories(place.data_folder);
    EngineOptions engine_options;
    engine_options.code_version = std::string(version());
    // Destroyed after the engine, whose steps use it; made after it, because only who holds the store's lock may
    // tidy up among the objects.
    std::unique_ptr<Ingesting> ingesting;
    Engine engine{config_of(place), engine_options};
    ingesting = std::make_unique<Ingesting>(place.data_folder, world.clock);
    ingesting->define(engine);
    engine.start();
    std::vector<Line> lines;
    for (const std::string& file : all_files(options.files)) {
        Line line;
        line.file = file;
        try {
            line.ingested = put(*ingesting, file, options.type, engine_options.organization_id);
            line.status = line.ingested->status;
        } catch (const Error& error) {
            if (error.code() == ErrorCode::StoreUnavailable) throw;
            line.status = "failed";
            line.error = error.what();
        }
        lines.push_back(std::move(line));
    }
    ExitCode code = ExitCode::Ok;
    for (Line& line : lines) {
        if (line.ingested && options.wait) await_end(engine, line);
        if (line.error) code = ExitCode::Failed;
        world.screen.out << (json ? json_line(line) : text_line(line)) << std::endl;
    }
    engine.stop();
    return code;
}

void add_ingest(CLI::App& app, Session& session) {
    const auto options = std::make_shared<IngestFilesOptions>();
    CLI::App* command = add_command(app, "ingest", "Store files and run their workflow",
                                    "belay ingest photo.jpg --type image --wait --json");
    command->add_option("FILE", options->files, "files, or folders of files")->required();
    command->add_option("--type", options->type, "the workflow_type; otherwise by what they are");
    command->add_flag("--wait", options->wait, "wait for the runs, and print what they found");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        return ingest_files(session.place(), *options, session.json, session.world);
    });
}

}  // namespace belay::cli
