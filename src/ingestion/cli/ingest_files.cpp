#include "ingestion/cli/ingest_files.hpp"

#include <glob.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/env/thread.hpp"
#include "ingestion/cli/commands.hpp"
#include "ingestion/cli/found_text.hpp"
#include "ingestion/ingest/workflow_type.hpp"
#include "service/cli/progress_bar.hpp"
#include "service/cli/running_server.hpp"
#include "service/cli/table.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

// A file and what became of it.
struct Line {
    std::string file{};
    std::optional<Taken> taken{};
    std::string status{};
    std::optional<std::string> error{};
    json::value result{};
};

void add_folder(const fs::path& folder, std::vector<std::string>& files) {
    std::vector<fs::path> inside;
    const auto hidden = [](const fs::path& path) {
        return path.filename().string().starts_with('.');
    };
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::end(entry); ++entry) {
        if (hidden(entry->path())) {
            if (entry->is_directory()) entry.disable_recursion_pending();
        } else if (entry->is_regular_file()) {
            inside.push_back(entry->path());
        }
    }
    std::ranges::sort(inside);
    for (const fs::path& file : inside) files.push_back(file.string());
}

bool add_pattern(const std::string& pattern, std::vector<std::string>& files) {
    if (pattern.find_first_of("*?[") == std::string::npos) return false;
    glob_t found{};
    const bool any = ::glob(pattern.c_str(), 0, nullptr, &found) == 0;
    for (std::size_t i = 0; any && i < found.gl_pathc; ++i) {
        if (fs::is_regular_file(found.gl_pathv[i])) files.emplace_back(found.gl_pathv[i]);
    }
    ::globfree(&found);
    return any;
}

std::string json_line(const Line& line) {
    json::object out{{"file", line.file}, {"workflow_run_id", nullptr}, {"workflow_key", nullptr}};
    if (line.taken) {
        out["workflow_run_id"] = line.taken->workflow_run_id;
        out["workflow_key"] = line.taken->workflow_key;
    }
    out["status"] = line.status;
    out["error"] = line.error ? json::value(*line.error) : json::value(nullptr);
    out["result"] = line.result;
    return json::serialize(out);
}

Style style_of_line(const Line& line) {
    if (line.error) return Style::Bad;
    return line.status == "succeeded" ? Style::Good : Style::Plain;
}

void print_table(const std::vector<Line>& lines, bool waited, const Screen& screen) {
    Table table{{{"FILE", 12}, {"STATUS"}, {"WORKFLOW"}, {waited ? "FOUND" : "RUN", 20}}};
    for (const Line& line : lines) {
        std::string said = line.error.value_or("");
        if (!line.error && line.taken)
            said = waited ? summary_of(line.result) : line.taken->workflow_run_id;
        table.row({{line.file},
                   {line.status, style_of_line(line)},
                   {line.taken ? line.taken->workflow_key : ""},
                   {said}});
    }
    table.print(screen);
}

// For a few files there is room to say all that was found.
void print_details(const std::vector<Line>& lines, const Screen& screen) {
    constexpr std::size_t kFew = 3;
    if (lines.size() > kFew) return;
    for (const Line& line : lines) {
        if (line.error || line.result.is_null()) continue;
        screen.out << '\n' << styled(screen, Style::Bold, plain(line.file)) << '\n';
        print_found(screen, line.taken->workflow_key, line.result);
    }
}

// Files go in on a thread of their own, so that the first is told of while the last is still on its way.
class Putting {
public:
    Putting(IngestTarget& target, const IngestFilesOptions& options,
            std::vector<std::string> files) {
        for (std::string& file : files) {
            lines_.emplace_back();
            lines_.back().file = std::move(file);
        }
        thread_ = env::start_thread("belay-ingest", [this, &target, &options] {
            for (Line& line : lines_) {
                if (!put(target, options.type, line)) return;
            }
        });
    }
    ~Putting() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        thread_.join();
    }

    std::size_t count() const { return lines_.size(); }

    // The file of that number, when it is in or refused. Throws what keeps all of them out.
    Line& line(std::size_t number) {
        std::unique_lock lock(mutex_);
        news_.wait(lock, [&] { return ready_ > number || failure_; });
        if (ready_ <= number) std::rethrow_exception(failure_);
        return lines_[number];
    }
    std::vector<Line>& lines() { return lines_; }

private:
    // False: there is no use in going on.
    bool put(IngestTarget& target, const std::string& type, Line& line) {
        std::exception_ptr failure;
        try {
            line.taken = target.put(line.file, type);
            line.status = line.taken->status;
        } catch (const Error& error) {
            line.status = "failed";
            line.error = error.what();
            if (error.code() == ErrorCode::StoreUnavailable) failure = std::current_exception();
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        failure_ = failure;
        if (!failure) ++ready_;
        news_.notify_all();
        return !failure && !stopping_;
    }

    std::vector<Line> lines_;
    std::mutex mutex_;
    std::condition_variable news_;
    std::size_t ready_ = 0;
    std::exception_ptr failure_;
    bool stopping_ = false;
    std::thread thread_;
};

std::string text_at(const json::object& from, std::string_view name) {
    const auto* found = from.if_contains(name);
    if (found == nullptr || found->is_null()) return "";
    return found->is_string() ? std::string(found->as_string()) : json::serialize(*found);
}

}  // namespace

std::vector<std::string> all_files(const std::vector<std::string>& given) {
    std::vector<std::string> files;
    for (const std::string& name : given) {
        std::error_code error;
        if (fs::is_directory(name, error)) {
            add_folder(name, files);
        } else if (fs::exists(name, error) || !add_pattern(name, files)) {
            files.push_back(name);
        }
    }
    return files;
}

std::string summary_of(const json::value& result) {
    const auto* object = result.if_object();
    if (object == nullptr) return result.is_null() ? "" : json::serialize(result);
    if (const auto* labels = object->if_contains("labels");
        labels != nullptr && labels->is_array() && !labels->as_array().empty()) {
        const json::value& best = labels->as_array().front();
        return fmt::format("{} ({:.0f}%)", std::string_view(best.at("label").as_string()),
                           best.at("score").to_number<double>() * 100);
    }
    std::string said;
    for (const std::string_view name : {"merchant", "invoice_number", "seller_name", "grand_total",
                                        "total", "currency", "date", "issue_date", "title"}) {
        const std::string text = text_at(*object, name);
        if (text.empty()) continue;
        if (!said.empty()) said += ' ';
        said += text;
    }
    return said.empty() ? json::serialize(result) : said;
}

ExitCode ingest_files(IngestTarget& target, const IngestFilesOptions& options, bool json,
                      World& world) {
    Putting putting{target, options, all_files(options.files)};
    if (putting.count() == 0)
        throw Error(ErrorCode::NotFound, "there is no file in what was given");
    ProgressBar bar{world.errors, world.clock, putting.count(), world.errors_on_terminal};
    ExitCode code = ExitCode::Ok;
    for (std::size_t i = 0; i < putting.count(); ++i) {
        bar.show(i);
        Line& line = putting.line(i);
        if (line.taken && options.wait) {
            Ended ended = target.await(line.taken->workflow_run_id);
            line.status = std::move(ended.status);
            line.error = std::move(ended.error);
            line.result = std::move(ended.result);
        }
        if (line.error) code = ExitCode::Failed;
        if (json) {
            bar.clear();
            world.screen.out << json_line(line) << std::endl;
        }
    }
    bar.clear();
    if (!json) {
        print_table(putting.lines(), options.wait, world.screen);
        print_details(putting.lines(), world.screen);
    }
    return code;
}

namespace {

// A server may run on the very directory that was named: then it takes the files.
std::unique_ptr<IngestTarget> find_target(Session& session) {
    if (auto remote = session.remote()) return remote_target(std::move(remote), session.world);
    const Place place = session.place();
    try {
        return local_target(place, session.world);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::StoreLocked) throw;
    }
    return remote_target(running_server(session, place), session.world);
}

}  // namespace

void add_ingest(CLI::App& app, Session& session) {
    const auto options = std::make_shared<IngestFilesOptions>();
    CLI::App* command = add_command(app, "ingest", "Store files and run their workflow",
                                    "belay ingest photo.jpg --type image --wait --json");
    command
        ->add_option("FILE", options->files, "files, folders of files, or patterns such as '*.jpg'")
        ->required();
    command->add_option("--type", options->type,
                        "image, receipt, invoice or creditcard_invoice; by what they are if not "
                        "given: pictures are receipts, PDFs and XML invoices");
    command->add_flag("--wait", options->wait, "wait for the runs, and print what they found");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        if (!options->type.empty())
            ingest::workflow_type_named(options->type);  // throws for one that is none
        const auto target = find_target(session);
        return ingest_files(*target, *options, session.json, session.world);
    });
}

}  // namespace belay::cli
