// history_reader.cpp — reads a history back, and refuses what it does not know to the letter.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"
#include "core/model/history_json.hpp"
#include "core/model/status_words.hpp"

namespace belay::model {

namespace {

namespace json = boost::json;

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
    throw Error(ErrorCode::BadValue,
                fmt::format("this is not a history that Belay can read: {} {}", where, why));
}

std::string kind_name(const json::value& value) {
    switch (value.kind()) {
        case json::kind::null:
            return "null";
        case json::kind::bool_:
            return "true or false";
        case json::kind::string:
            return "a string";
        case json::kind::array:
            return "a list";
        case json::kind::object:
            return "an object";
        default:
            return "a number";
    }
}

// An object of which every member is read once; finish() refuses the ones that nobody asked for.
class Reader {
public:
    Reader(const json::value& value, std::string where) : where_(std::move(where)) {
        if (!value.is_object())
            refuse(where_, fmt::format("should be an object and is {}", kind_name(value)));
        object_ = &value.get_object();
    }

    const json::value& member(std::string_view name) {
        const auto* value = object_->if_contains(name);
        if (value == nullptr) refuse(at(name), "is missing");
        used_.insert(name);
        return *value;
    }

    std::string text(std::string_view name) {
        const auto& value = member(name);
        if (!value.is_string()) wrong(name, "a string", value);
        return std::string(value.get_string());
    }
    std::optional<std::string> optional_text(std::string_view name) {
        if (member(name).is_null()) return std::nullopt;
        return text(name);
    }
    std::int64_t integer(std::string_view name) {
        const auto& value = member(name);
        json::error_code error;
        const auto number = value.to_number<std::int64_t>(error);
        if (error) wrong(name, "a whole number", value);
        return number;
    }
    bool flag(std::string_view name) {
        const auto& value = member(name);
        if (!value.is_bool()) wrong(name, "true or false", value);
        return value.get_bool();
    }
    Time time(std::string_view name) {
        const std::string text = this->text(name);
        const auto time = base::parse_time(text);
        if (!time) refuse(at(name), fmt::format("`{}` is not a time in RFC 3339", shown(text)));
        return *time;
    }
    std::optional<Time> optional_time(std::string_view name) {
        if (member(name).is_null()) return std::nullopt;
        return time(name);
    }
    // A word of a table; `parse` gives nothing for one that it does not know.
    template <class Parse>
    auto word(std::string_view name, Parse parse) {
        const std::string text = this->text(name);
        const auto value = parse(text);
        if (!value) refuse(at(name), fmt::format("`{}` is not a word known here", shown(text)));
        return *value;
    }

    void finish() const {
        for (const auto& member : *object_) {
            if (!used_.contains(member.key())) {
                refuse(at(member.key()),
                       fmt::format("is not known to version {}", kHistoryVersion));
            }
        }
    }

    std::string at(std::string_view name) const {
        const std::string clean = shown(name);
        return where_.empty() ? clean : fmt::format("{}.{}", where_, clean);
    }

private:
    static std::string shown(std::string_view text) {
        return base::truncate(base::to_valid_utf8(text), 60);
    }
    [[noreturn]] void wrong(std::string_view name, std::string_view expected,
                            const json::value& value) const {
        refuse(at(name), fmt::format("should be {} and is {}", expected, kind_name(value)));
    }

    const json::object* object_ = nullptr;
    std::string where_;
    std::set<std::string_view> used_;
};

std::optional<Failure> read_failure(const json::value& value) {
    if (value.is_null()) return std::nullopt;
    Reader in{value, "run.failure"};
    Failure failure{in.text("code"), in.text("message"), in.text("stage"), in.text("path")};
    in.finish();
    return failure;
}

std::optional<Progress> read_progress(const json::value& value) {
    if (value.is_null()) return std::nullopt;
    Reader in{value, "run.progress"};
    Progress progress{in.integer("done"), in.integer("total"), in.text("text")};
    in.finish();
    return progress;
}

Run read_run(const json::value& value, std::int64_t version) {
    Reader in{value, "run"};
    Run run;
    run.id = in.text("id");
    run.workflow_key = in.text("workflow_key");
    run.status = in.word("status", [](std::string_view word) { return run_status(word); });
    run.current_stage = in.text("current_stage");
    run.input = in.text("input");
    run.result = in.optional_text("result");
    run.failure = read_failure(in.member("failure"));
    run.progress = read_progress(in.member("progress"));
    run.organization_id = in.text("organization_id");
    run.source_channel = in.text("source_channel");
    run.file_id = in.text("file_id");
    run.content_hash = in.text("content_hash");
    run.code_version = in.text("code_version");
    run.worker = in.text("worker");
    run.epoch = in.integer("epoch");
    run.attempts = in.integer("attempts");
    run.recoveries = in.integer("recoveries");
    run.cancel_requested = in.flag("cancel_requested");
    run.pause_requested = in.flag("pause_requested");
    run.wake_at = in.optional_time("wake_at");
    run.created_at = in.time("created_at");
    run.updated_at = in.time("updated_at");
    run.started_at = in.optional_time("started_at");
    run.completed_at = in.optional_time("completed_at");
    if (version >= 2) {
        run.parent_id = in.text("parent_id");
        run.parent_path = in.text("parent_path");
        run.deadline_at = in.optional_time("deadline_at");
        run.signals = in.integer("signals");
        run.forked_from = in.text("forked_from");
        run.seed_id = in.text("seed_id");
        run.generation = in.integer("generation");
        run.continued_input = in.optional_text("continued_input");
    }
    in.finish();
    return run;
}

Stage read_stage(const json::value& value, const std::string& where, std::int64_t version) {
    Reader in{value, where};
    Stage stage;
    stage.path = in.text("path");
    stage.stage_key = in.text("stage_key");
    stage.kind = in.word("kind", [](std::string_view word) { return stage_kind(word); });
    stage.status = in.word("status", [](std::string_view word) { return stage_status(word); });
    stage.position = in.integer("position");
    stage.attempt = in.integer("attempt");
    if (version >= 2) stage.attempts_before = in.integer("attempts_before");
    stage.started_at = in.optional_time("started_at");
    stage.finished_at = in.optional_time("finished_at");
    stage.next_attempt_at = in.optional_time("next_attempt_at");
    stage.message = in.text("message");
    stage.error_code = in.text("error_code");
    stage.output = in.optional_text("output");
    stage.cost = in.optional_text("cost");
    in.finish();
    return stage;
}

Attempt read_attempt(const json::value& value, const std::string& where, std::int64_t) {
    Reader in{value, where};
    Attempt attempt;
    attempt.path = in.text("path");
    attempt.attempt = in.integer("attempt");
    attempt.started_at = in.optional_time("started_at");
    attempt.finished_at = in.time("finished_at");
    attempt.error_code = in.text("error_code");
    attempt.message = in.text("message");
    attempt.worker = in.text("worker");
    in.finish();
    return attempt;
}

template <class T>
std::vector<T> read_list(const json::value& value, const std::string& name, std::int64_t version,
                         T (*read)(const json::value&, const std::string&, std::int64_t)) {
    if (!value.is_array())
        refuse(name, fmt::format("should be a list and is {}", kind_name(value)));
    const auto& rows = value.get_array();
    if (rows.size() > base::kHistoryRecordsMax) {
        refuse(name, fmt::format("has {} entries, more than the {} a run may have", rows.size(),
                                 base::kHistoryRecordsMax));
    }
    std::vector<T> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        out.push_back(read(rows[i], fmt::format("{}[{}]", name, i), version));
    return out;
}

void check_paths(const History& history) {
    std::set<std::string_view> paths;
    for (const Stage& stage : history.stages) {
        if (!paths.insert(stage.path).second)
            refuse("stages", fmt::format("has two at the path `{}`", stage.path));
    }
    for (const Attempt& attempt : history.attempts) {
        if (!paths.contains(attempt.path))
            refuse("attempts",
                   fmt::format("has one of `{}`, where there is no stage", attempt.path));
    }
}

}  // namespace

History read_history(std::string_view text) {
    json::error_code error;
    const json::value document = json::parse(text, error);
    if (error) refuse("the file", fmt::format("is not JSON ({})", error.message()));
    Reader in{document, ""};
    const auto* mark = document.get_object().if_contains("belay_history");
    if (mark == nullptr) refuse("belay_history", "is missing: `belay runs export` writes it");
    const std::int64_t version = in.integer("belay_history");
    if (version < 1 || version > kHistoryVersion) {
        refuse(
            "belay_history",
            fmt::format("is {}, and this Belay reads versions 1 to {}{}", version, kHistoryVersion,
                        version > kHistoryVersion ? "; a newer one wrote it" : ""));
    }
    History history;
    history.run = read_run(in.member("run"), version);
    history.stages = read_list(in.member("stages"), "stages", version, read_stage);
    history.attempts = read_list(in.member("attempts"), "attempts", version, read_attempt);
    in.finish();
    check_paths(history);
    return history;
}

}  // namespace belay::model
