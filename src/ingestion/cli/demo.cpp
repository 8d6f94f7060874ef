#include "ingestion/cli/demo.hpp"

#include <cstdlib>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <ostream>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/engine.hpp>
#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/env/program.hpp"
#include "ingestion/cli/commands.hpp"
#include "ingestion/cli/ingest_files.hpp"
#include "ingestion/cli/ingest_target.hpp"
#include "service/approvals/approval.hpp"
#include "service/cli/table.hpp"

namespace belay::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct DemoOptions {
    bool keep = false;
};

// A folder that goes with the demonstration, unless it is to be kept.
class DemoFolder {
public:
    explicit DemoFolder(bool keep) : keep_(keep) {
        std::string name = (fs::temp_directory_path() / "belay-demo-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw Error(ErrorCode::StoreUnavailable,
                        "cannot make a folder in " + fs::temp_directory_path().string());
        }
        path_ = name;
    }
    ~DemoFolder() {
        std::error_code ignored;
        if (!keep_) fs::remove_all(path_, ignored);
    }
    DemoFolder(const DemoFolder&) = delete;
    DemoFolder& operator=(const DemoFolder&) = delete;

    const fs::path& path() const { return path_; }

private:
    bool keep_;
    fs::path path_;
};

struct Shown {
    std::string what{};
    std::string workflow_key{};
    std::string status{};
    double seconds = 0;
    Score score{};
    std::string found{};
};

void draw_samples(const fs::path& folder) {
    const fs::path program = fs::path(env::this_program()).parent_path() / "belay-samples";
    if (!fs::exists(program)) {
        throw Error(
            ErrorCode::NotFound,
            fmt::format(
                "{} is not there: it draws the documents. `make build` makes it where Cairo is "
                "(apt-get install libcairo2-dev).",
                program.string()));
    }
    const int code = env::run_program({program.string(), folder.string(), "--quiet"}, {});
    if (code != 0)
        throw Error(ErrorCode::BadValue, fmt::format("{} ended with {}", program.string(), code));
}

double seconds_since(const World& world, Time begin) {
    return std::chrono::duration<double>(world.clock.now() - begin).count();
}

Shown show_file(IngestTarget& target, const DemoSample& sample, World& world) {
    const Time begin = world.clock.now();
    Shown shown;
    shown.what = sample.file.filename().string();
    const Taken taken = target.put(sample.file.string(), sample.workflow_type);
    const Ended ended = target.await(taken.workflow_run_id);
    shown.workflow_key = taken.workflow_key;
    shown.status = ended.status;
    shown.seconds = seconds_since(world, begin);
    shown.score = score_of(sample, ended.result);
    shown.found = ended.error ? *ended.error : summary_of(ended.result);
    return shown;
}

// A person is asked, and answers at once.
Shown show_approval(const Place& place, World& world) {
    const Time begin = world.clock.now();
    Engine engine(config_of(place));
    approvals::define_approval(engine);
    engine.start();
    const approvals::ApprovalInput asked{"Pay the invoices above?", "Asked by belay demo."};
    const auto run =
        engine.submit<approvals::ApprovalResult>(std::string(approvals::kApproval), asked);
    const approvals::Decision yes{true, "they add up"};
    engine.send(run.id(), std::string(approvals::kDecisionTopic), yes);
    const auto result = run.result();
    engine.stop();
    return {asked.title, std::string(approvals::kApproval),
            "succeeded", seconds_since(world, begin),
            {},          fmt::format("{}: {}", result.decision, result.comment)};
}

void print(const std::vector<Shown>& all, const Screen& screen) {
    Table table{{{"WHAT", 16},
                 {"WORKFLOW"},
                 {"STATUS"},
                 {"SECONDS", 0, true},
                 {"RIGHT", 0, true},
                 {"FOUND", 20}}};
    Score sum;
    for (const Shown& each : all) {
        const bool is_good = each.status == "succeeded";
        sum.right += each.score.right;
        sum.asked += each.score.asked;
        table.row(
            {{each.what},
             {each.workflow_key},
             {each.status, is_good ? Style::Good : Style::Bad},
             {fmt::format("{:.1f}", each.seconds)},
             {each.score.asked == 0 ? ""
                                    : fmt::format("{}/{}", each.score.right, each.score.asked)},
             {each.found}});
    }
    table.print(screen);
    screen.out << fmt::format("\n{} of {} fields that were looked at are right.\n", sum.right,
                              sum.asked);
}

void print_json(const Shown& each, const Screen& screen) {
    screen.out << json::serialize(json::object{{"what", each.what},
                                               {"workflow_key", each.workflow_key},
                                               {"status", each.status},
                                               {"seconds", each.seconds},
                                               {"right", each.score.right},
                                               {"asked", each.score.asked},
                                               {"found", each.found}})
               << std::endl;
}

ExitCode run_demo(const DemoOptions& options, bool as_json, World& world) {
    const DemoFolder folder{options.keep};
    draw_samples(folder.path() / "samples");
    Place place;
    place.data_folder = folder.path() / "data";
    place.file = place.data_folder / "belay.db";
    std::vector<Shown> all;
    const auto show = [&](Shown shown) {
        if (as_json) print_json(shown, world.screen);
        all.push_back(std::move(shown));
    };
    {
        const auto target = local_target(place, world);
        for (const DemoSample& sample : demo_samples(folder.path() / "samples")) {
            if (world.errors_on_terminal)
                world.errors << fmt::format("\r\033[K{} …", sample.file.filename().string());
            show(show_file(*target, sample, world));
        }
        if (world.errors_on_terminal) world.errors << "\r\033[K" << std::flush;
    }
    show(show_approval(place, world));
    if (!as_json) print(all, world.screen);
    if (options.keep) {
        const std::string data = place.data_folder.string();
        world.errors << fmt::format("Kept. To look at it in the browser: belay serve --data {}\n",
                                    data);
    }
    const bool all_good = std::all_of(all.begin(), all.end(),
                                      [](const Shown& each) { return each.status == "succeeded"; });
    return all_good ? ExitCode::Ok : ExitCode::Failed;
}

bool is_worth_showing(const DemoSample& sample) {
    const bool is_picture = sample.file.extension() == ".png";
    const bool wants_picture = sample.workflow_type == "receipt" || sample.workflow_type == "image";
    return is_picture == wants_picture;
}

std::vector<std::string_view> fields_of(std::string_view workflow_type) {
    if (workflow_type == "receipt") return {"merchant", "date", "total", "currency"};
    if (workflow_type == "invoice")
        return {"invoice_number", "issue_date", "seller_name", "grand_total"};
    if (workflow_type == "creditcard_invoice")
        return {"invoice_number", "statement_date", "total", "new_balance"};
    return {};
}

// The best label is one of those that are right.
bool is_named(const json::value& truth, const json::value& result) {
    const auto* labels = result.is_object() ? result.as_object().if_contains("labels") : nullptr;
    if (labels == nullptr || !labels->is_array() || labels->as_array().empty()) return false;
    const auto& right = truth.at("labels").as_array();
    return std::find(right.begin(), right.end(), labels->as_array().front().at("label")) !=
           right.end();
}

}  // namespace

std::vector<DemoSample> demo_samples(const fs::path& folder) {
    std::vector<DemoSample> samples;
    std::ifstream index{folder / "index.jsonl"};
    for (std::string line; std::getline(index, line);) {
        boost::system::error_code error;
        const json::value row = json::parse(line, error);
        if (error || !row.is_object() || !row.as_object().contains("workflow_type")) {
            throw Error(ErrorCode::BadValue, fmt::format("{} has a line that is no sample: {}",
                                                         (folder / "index.jsonl").string(), line));
        }
        DemoSample sample{folder / std::string(row.at("file").as_string()),
                          std::string(row.at("workflow_type").as_string()), row.at("truth")};
        if (is_worth_showing(sample)) samples.push_back(std::move(sample));
    }
    return samples;
}

Score score_of(const DemoSample& sample, const json::value& result) {
    if (sample.workflow_type == "image") return {is_named(sample.truth, result) ? 1u : 0u, 1};
    Score score;
    for (const std::string_view name : fields_of(sample.workflow_type)) {
        ++score.asked;
        const auto* found = result.is_object() ? result.as_object().if_contains(name) : nullptr;
        if (found != nullptr && *found == sample.truth.at(name)) ++score.right;
    }
    return score;
}

void add_demo(CLI::App& app, Session& session) {
    const auto options = std::make_shared<DemoOptions>();
    CLI::App* command = add_command(
        app, "demo", "Made-up documents through every workflow, and how much was read right",
        "belay demo");
    command->add_flag("--keep", options->keep, "keep the documents and the data, and say where");
    add_json(*command, session);
    choose(*command, session,
           [options, &session] { return run_demo(*options, session.json, session.world); });
}

}  // namespace belay::cli
