#include "service/cli/runs_over_http.hpp"

#include <ostream>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>
#include <belay/status.hpp>

#include "core/base/text.hpp"
#include "core/env/files.hpp"
#include "service/cli/run_list_over_http.hpp"
#include "service/cli/runs_control.hpp"
#include "service/cli/runs_export.hpp"
#include "service/cli/screen.hpp"
#include "service/cli/table.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

std::string text_of(const json::value& in, std::string_view name) {
    const auto* object = in.if_object();
    const auto* found = object == nullptr ? nullptr : object->if_contains(name);
    if (found == nullptr || found->is_null()) return "";
    return found->is_string() ? std::string(found->as_string()) : json::serialize(*found);
}

Style style_of_word(const std::string& word) {
    const auto status = run_status(word);
    return status ? style_of(*status) : Style::Plain;
}

std::string error_of(const json::value& run) {
    const auto* error = run.as_object().if_contains("error");
    return error == nullptr || error->is_null() ? "" : text_of(*error, "message");
}

std::string stall_of(const json::value& run) {
    const auto* stalled = run.as_object().if_contains("stalled");
    return stalled == nullptr || stalled->is_null() ? "" : text_of(*stalled, "sentence");
}

std::string duration_of(const json::value& stage) {
    const auto* ms = stage.as_object().if_contains("duration_ms");
    if (ms == nullptr || !ms->is_int64()) return "";
    return base::format_duration(Duration{ms->as_int64()});
}

std::string path_of(const ServerClient& remote, const std::string& typed) {
    return "/api/runs/" + in_url(find_remote_run(remote, typed));
}

ExitCode printed(const json::value& answer, const Screen& screen) {
    screen.out << json::serialize(answer) << '\n';
    return ExitCode::Ok;
}

}  // namespace

ExitCode list_remote_runs(const ServerClient& remote, const store::RunFilter& filter,
                          const std::string& again, bool json, const Screen& screen) {
    const ServerRunPage page = list_runs_of(remote, filter);
    if (json) {
        json::object out{{"runs", json::array(page.runs.begin(), page.runs.end())},
                         {"next_cursor", nullptr}};
        if (page.next) out["next_cursor"] = std::to_string(*page.next);
        return printed(out, screen);
    }
    if (page.runs.empty()) {
        screen.out << "There is no such run.\n";
        return ExitCode::Ok;
    }
    Table table{
        {{"ID", 12}, {"WORKFLOW", 10}, {"STATUS"}, {"STAGE", 8}, {"CREATED"}, {"ERROR", 10}}};
    for (const json::value& run : page.runs) {
        const std::string status = text_of(run, "status");
        const std::string stall = stall_of(run);
        table.row({{text_of(run, "id")},
                   {text_of(run, "workflow_key")},
                   {status, stall.empty() ? style_of_word(status) : Style::Warn},
                   {text_of(run, "current_stage")},
                   {text_of(run, "created_at")},
                   {stall.empty() ? error_of(run) : "stalled: " + stall}});
    }
    table.print(screen);
    if (page.next) {
        screen.out << styled(
                          screen, Style::Dim,
                          fmt::format("There are more: {} --before {}", plain(again), *page.next))
                   << '\n';
    }
    return ExitCode::Ok;
}

ExitCode show_remote_run(const ServerClient& remote, const std::string& id, bool json,
                         const Screen& screen) {
    const json::value run = remote.get(path_of(remote, id));
    if (json) return printed(run, screen);
    for (const std::string_view name : {"id", "workflow_key", "status", "file_id", "created_at",
                                        "completed_at", "input", "result"}) {
        const std::string text = text_of(run, name);
        if (!text.empty() && text != "null")
            screen.out << fmt::format("{:<14}{}\n", name, plain(text.substr(0, 500)));
    }
    if (const std::string error = error_of(run); !error.empty())
        screen.out << fmt::format("{:<14}{}\n", "error", plain(error));
    for (const std::string_view name : {"labels", "exposed"}) {
        const auto* said = run.as_object().if_contains(name);
        if (said != nullptr && said->is_object() && !said->get_object().empty())
            screen.out << fmt::format("{:<14}{}\n", name, plain(text_of(run, name).substr(0, 500)));
    }
    const auto& stages = run.at("stages").as_array();
    screen.out << '\n';
    if (stages.empty()) {
        screen.out << "No step of it has been recorded yet.\n";
        return ExitCode::Ok;
    }
    Table table{{{"STAGE", 10}, {"STATUS"}, {"ATTEMPT"}, {"STARTED"}, {"TOOK"}, {"MESSAGE", 10}}};
    for (const json::value& stage : stages) {
        table.row({{text_of(stage, "stage_key")},
                   {text_of(stage, "status")},
                   {text_of(stage, "attempt")},
                   {text_of(stage, "started_at")},
                   {duration_of(stage)},
                   {text_of(stage, "message")}});
    }
    table.print(screen);
    const auto& deaths = run.at("deaths").as_array();
    if (deaths.empty()) return ExitCode::Ok;
    screen.out << '\n';
    Table died{{{"DEATH OF"}, {"LAST SEEN"}, {"HOW"}, {"EXECUTING", 10}, {"PICKED UP"}, {"BY"}}};
    for (const json::value& death : deaths) {
        died.row({{text_of(death, "worker")},
                  {text_of(death, "last_seen")},
                  {text_of(death, "reason")},
                  {death.at("charged").as_bool() ? "its code " + text_of(death, "stage")
                                                 : "not its code"},
                  {text_of(death, "picked_up_at")},
                  {text_of(death, "picked_up_by")}});
    }
    died.print(screen);
    return ExitCode::Ok;
}

ExitCode tell_remote_why(const ServerClient& remote, const std::string& id, bool json,
                         const Screen& screen) {
    const json::value why = remote.get(path_of(remote, id) + "/why");
    if (json) return printed(why, screen);
    screen.out << plain_lines(text_of(why, "sentence")) << '\n';
    if (const std::string to_do = text_of(why, "to_do"); !to_do.empty())
        screen.out << plain(to_do) << '\n';
    return ExitCode::Ok;
}

json::object control_body(store::ControlKind kind, const std::string& reason) {
    json::object body;
    const bool takes_reason =
        kind != store::ControlKind::Resume && kind != store::ControlKind::Retry;
    if (!reason.empty() && takes_reason) body["reason"] = reason;
    if (kind == store::ControlKind::Leave) body["undo"] = false;
    return body;
}

ExitCode control_remote_run(const ServerClient& remote, const std::string& id,
                            store::ControlKind kind, const std::string& reason, bool json,
                            const Screen& screen) {
    const json::value answer = remote.post(fmt::format("{}/{}", path_of(remote, id), word_of(kind)),
                                           control_body(kind, reason));
    if (json) return printed(answer, screen);
    const std::string pending = text_of(answer, "pending");
    screen.out << (pending.empty()
                       ? fmt::format("{} is {}.\n", plain(text_of(answer, "id")),
                                     text_of(answer, "status"))
                       : fmt::format("{} is asked to {}, and stops when its step under way has "
                                     "ended.\n",
                                     plain(text_of(answer, "id")), pending));
    return ExitCode::Ok;
}

ExitCode export_remote_run(const ServerClient& remote, const std::string& id,
                           const std::string& output, const Screen& screen) {
    const std::string whole = find_remote_run(remote, id);
    const json::value history = remote.get(fmt::format("/api/runs/{}/history", in_url(whole)));
    const std::string text = json::serialize(history) + "\n";
    if (output.empty() || output == "-") {
        screen.out << text;
        return ExitCode::Ok;
    }
    env::SystemFiles files;
    write_whole(files, output, text);
    screen.out << fmt::format("{} written to {}.\n", plain(whole), plain(output));
    return ExitCode::Ok;
}

json::object fork_body(const ForkOptions& fork) {
    json::object body;
    const auto parsed = [](const std::string& text, const std::string& what) {
        boost::system::error_code error;
        json::value value = json::parse(text, error);
        if (error)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("{} `{}` is not JSON", what, plain(text)));
        return value;
    };
    if (!fork.from.empty()) body["from"] = fork.from;
    if (fork.input) body["input"] = parsed(*fork.input, "--input");
    if (!fork.id.empty()) body["id"] = fork.id;
    if (!fork.outputs.empty()) {
        json::object outputs;
        for (const auto& [step, text] : fork.outputs)
            outputs[step] = parsed(text, "--output " + step);
        body["outputs"] = std::move(outputs);
    }
    return body;
}

ExitCode fork_remote_run(const ServerClient& remote, const std::string& id, const ForkOptions& fork,
                         bool json, const Screen& screen) {
    const std::string origin = find_remote_run(remote, id);
    const json::value answer =
        remote.post(fmt::format("/api/runs/{}/fork", in_url(origin)), fork_body(fork));
    const std::string made = text_of(answer, "id");
    if (json) return printed(json::object{{"id", made}, {"forked_from", origin}}, screen);
    screen.out << plain(fmt::format("{} is a fork of {}.", made, origin)) << '\n';
    return ExitCode::Ok;
}

ExitCode send_remote(const ServerClient& remote, const Sending& sending, bool json,
                     const Screen& screen) {
    const json::value answer = remote.send(
        fmt::format("/api/runs/{}/messages/{}", in_url(sending.run_id), in_url(sending.topic)),
        sending.payload, sending.dedupe_key);
    if (json) return printed(answer, screen);
    screen.out << plain(fmt::format("Sent to {}, topic {}.", sending.run_id, sending.topic))
               << '\n';
    return ExitCode::Ok;
}

}  // namespace belay::cli
