#include "ingestion/cli/content_awaiting.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

namespace belay::cli {

namespace {

namespace json = boost::json;

struct Outcome {
    std::string status{};
    std::optional<std::string> error{};
    json::value result{};
};

Outcome outcome_of(Engine& engine, const std::string& run_id, const std::function<void()>& wait) {
    const auto run = engine.find<json::value>(run_id);
    while (!run.wait_for(std::chrono::milliseconds{100})) wait();
    Outcome outcome;
    try {
        outcome.result = run.result();
    } catch (const Error& error) {
        outcome.error = error.what();
    }
    outcome.status = to_string(run.status());
    return outcome;
}

void print_outcome(const documents::Requested& request, const Outcome& outcome, bool as_json,
                   const Screen& screen) {
    if (as_json) {
        screen.out << json::serialize(json::object{
                          {"url", request.url},
                          {"document_id", request.document_id},
                          {"workflow_run_id", request.workflow_run_id},
                          {"workflow_key", request.workflow_key},
                          {"status", outcome.status},
                          {"duplicate", request.duplicate},
                          {"error", outcome.error ? json::value(*outcome.error) : json::value()},
                          {"result", outcome.result}})
                   << std::endl;
        return;
    }
    if (outcome.error) {
        screen.out << fmt::format("{}  {}  {}\n", styled(screen, Style::Bad, outcome.status),
                                  plain(request.url), plain(*outcome.error))
                   << std::flush;
        return;
    }
    screen.out << fmt::format("{}  {}  {}  {}\n", styled(screen, Style::Good, outcome.status),
                              request.document_id.substr(0, 8), plain(request.url),
                              plain(fetched_text(outcome.result, request.duplicate)))
               << std::flush;
}

}  // namespace

std::string fetched_text(const json::value& result, bool duplicate) {
    const json::object* fetched = result.if_object();
    if (fetched != nullptr && fetched->contains("fetched"))
        fetched = fetched->at("fetched").if_object();
    std::string said;
    if (fetched != nullptr && fetched->contains("metadata")) {
        said = fmt::format("{}  {} bytes",
                           std::string(fetched->at("metadata").at("title").as_string()),
                           fetched->at("content_length").as_int64());
        if (fetched->at("unchanged").as_bool()) said += ", unchanged";
    }
    if (duplicate) said += said.empty() ? "here already" : ", here already";
    return said;
}

Progress::Progress(const Screen& screen, bool shown, const env::Clock& clock)
    : screen_(screen), shown_(shown && screen.width > 0), clock_(clock), began_(clock.now()) {}

void Progress::told(std::string_view phase) {
    if (phase == "fetched") ++fetched_;
    if (phase == "embedded") ++embedded_;
    if (phase == "saved") ++saved_;
    if (phase == "links") ++linked_;
    if (phase == "indexed") ++indexed_;
}

void Progress::show(std::size_t done, std::size_t total) const {
    if (!shown_) return;
    const double seconds =
        static_cast<double>(std::max<Duration::rep>(1, (clock_.now() - began_).count())) / 1000;
    std::string line =
        fmt::format("{}/{}  fetched {}  embedded {}  saved {}  links {}", done, total,
                    fetched_.load(), embedded_.load(), saved_.load(), linked_.load());
    if (indexed_ > 0) line += fmt::format("  indexed {}", indexed_.load());
    line += fmt::format("  {:.1f}/s", static_cast<double>(saved_.load()) / seconds);
    if (static_cast<int>(line.size()) >= screen_.width)
        line.resize(static_cast<std::size_t>(screen_.width - 1));
    screen_.out << "\r\x1b[K" << line << std::flush;
}
void Progress::clear() const {
    if (shown_) screen_.out << "\r\x1b[K" << std::flush;
}

ExitCode await_all(Engine& engine, const std::vector<documents::Requested>& requests,
                   const Progress& progress, bool as_json, World& world) {
    ExitCode code = ExitCode::Ok;
    std::size_t failed = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const Outcome outcome = outcome_of(engine, requests[i].workflow_run_id,
                                           [&] { progress.show(i, requests.size()); });
        if (outcome.error) {
            code = ExitCode::Failed;
            ++failed;
        }
        progress.clear();
        print_outcome(requests[i], outcome, as_json, world.screen);
        progress.show(i + 1, requests.size());
    }
    progress.clear();
    if (!as_json && requests.size() > 1) {
        world.screen.out << fmt::format("{} documents, {} failed\n", requests.size(), failed);
        if (failed > 0)
            world.screen.out << "  belay runs list --status failed   says why; runs retry goes on "
                                "where they failed\n";
    }
    return code;
}

}  // namespace belay::cli
