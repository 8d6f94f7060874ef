// failures.cpp — failed runs by what made them fail, and all of one cause again with one request.
//
// A cause is a workflow, a step and a code, with what the message says beside names, addresses and numbers. A parent that
// failed because a child did is no cause of its own: it is told with the child, and retried in its place, which retries
// the child.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "service/api/api.hpp"
#include "service/api/operations.hpp"
#include "service/api/operations_views.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

constexpr int kFailedSeenMax = 10'000;
constexpr int kFailedAtOnce = 1'000;
// They are one commit, for which everybody else's waits.
constexpr int kRetriedAtOnceMax = 200;
constexpr std::size_t kMessageCharsSeen = 160;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) > 127;
}

// Where the quoted name that begins at `at` ends; npos if none begins there. An apostrophe inside a word quotes nothing.
std::size_t quote_end(std::string_view text, std::size_t at) {
    const char quote = text[at];
    if (quote != '"' && quote != '`' && quote != '\'') return std::string_view::npos;
    if (quote == '\'' && at > 0 && text[at - 1] != ' ' && text[at - 1] != '(')
        return std::string_view::npos;
    return text.find(quote, at + 1);
}

// july.pdf, example.org:443, https://…, a@b.se, /tmp/x, ::1: what holds one of these between letters or digits is a name.
bool is_name(std::string_view word) {
    if (word.find('/') != std::string_view::npos || word.find('\\') != std::string_view::npos ||
        word.find('@') != std::string_view::npos)
        return true;
    for (std::size_t at = 1; at + 1 < word.size(); ++at) {
        const bool joins = word[at] == '.' || word[at] == ':' || word[at] == '_' || word[at] == '=';
        const auto solid = [](char c) { return is_letter(c) || is_digit(c); };
        if (joins && solid(word[at - 1]) && solid(word[at + 1])) return true;
    }
    return false;
}

// A word with a digit in it is a number, an id or a part of one; what stands around it stays.
std::string word_alike(std::string_view word) {
    constexpr std::string_view kAround = ".,:;!?()[]{}<>";
    const auto first = std::min(word.find_first_not_of(kAround), word.size());
    const auto last = std::min(word.find_last_not_of(kAround), word.size() - 1);
    if (first > last) return std::string(word);
    const std::string_view core = word.substr(first, last - first + 1);
    std::string out(word.substr(0, first));
    if (is_name(core)) {
        out += "\"\"";
    } else if (std::any_of(core.begin(), core.end(), is_digit)) {
        out += '#';
    } else {
        out += core == "attempts" ? "attempt" : core;  // "1 attempt" and "2 attempts" are one cause
    }
    out += word.substr(last + 1);
    return out;
}

// The message without what differs between failures of one cause.
std::string alike(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size() && out.size() < kMessageCharsSeen;) {
        if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t') {
            if (!out.empty() && out.back() != ' ') out += ' ';
            ++at;
        } else if (const auto end = quote_end(text, at); end != std::string_view::npos) {
            out += "\"\"";
            at = end + 1;
        } else {
            std::size_t end_of_word = at + 1;
            while (end_of_word < text.size() && text[end_of_word] != ' ' &&
                   text[end_of_word] != '\n' && text[end_of_word] != '\t' &&
                   quote_end(text, end_of_word) == std::string_view::npos)
                ++end_of_word;
            out += word_alike(text.substr(at, end_of_word - at));
            at = end_of_word;
        }
    }
    return out;
}

// Branches of a fan are one step: ocr_page_3 is ocr_page.
std::string step_alike(std::string_view stage) {
    const auto last = stage.find_last_not_of("0123456789");
    if (last == std::string_view::npos || last + 1 == stage.size() || stage[last] != '_')
        return std::string(stage);
    return std::string(stage.substr(0, last));
}

// Calls `see` for failed runs of the caller, newest first, until it says that it has enough. Gives whether all were
// seen.
template <class See>
bool each_failed(store::Store& store, const Caller& caller, See see) {
    store::RunFilter filter;
    filter.organization_id = caller.organization_id;
    filter.status = RunStatus::Failed;
    filter.limit = kFailedAtOnce;
    for (int seen = 0; seen < kFailedSeenMax;) {
        const store::RunPage page = store.list_runs(filter);
        for (const model::Run& run : page.runs) {
            if (run.failure && !see(run)) return false;
        }
        if (!page.next) return true;
        seen += static_cast<int>(page.runs.size());
        filter.before = page.next;
    }
    return false;
}

// Failed runs, and which of them failed only because a child of theirs did.
class Failed {
public:
    Failed(store::Store& store, const Caller& caller) {
        complete_ = each_failed(store, caller, [&](const model::Run& run) {
            places_.emplace(run.no.value, runs_.size());
            runs_.push_back(run);
            return true;
        });
        for (const model::Run& child : runs_) {
            const auto parent = places_.find(child.parent.value);
            if (parent == places_.end()) continue;
            const model::Run& above = runs_[parent->second];
            // As the engine puts it: "run `july` failed: …".
            if (above.failure->message.find(fmt::format("`{}`", child.id)) != std::string::npos)
                folded_.insert(above.no.value);
        }
    }

    bool complete() const { return complete_; }
    const std::vector<model::Run>& runs() const { return runs_; }
    bool is_folded(const model::Run& run) const { return folded_.contains(run.no.value); }
    // The topmost of those that failed because of it; itself if there is none.
    const model::Run& root_of(const model::Run& run) const {
        const model::Run* at = &run;
        for (;;) {
            const auto parent = places_.find(at->parent.value);
            if (parent == places_.end() || !is_folded(runs_[parent->second])) return *at;
            at = &runs_[parent->second];
        }
    }
    // How many runs above it failed with it.
    std::int64_t above(const model::Run& run) const {
        std::int64_t count = 0;
        for (const model::Run* at = &run; at != &root_of(run);
             at = &runs_[places_.at(at->parent.value)])
            ++count;
        return count;
    }

private:
    std::vector<model::Run> runs_{};  // newest first
    std::map<std::int64_t, std::size_t> places_{};
    std::set<std::int64_t> folded_{};
    bool complete_ = false;
};

struct Cause {
    model::Run newest{};
    Time newest_at{};
    Time oldest_at{};
    std::int64_t runs = 0;
    std::int64_t parents = 0;
};

Time ended(const model::Run& run) { return run.completed_at.value_or(run.updated_at); }

json::object cause_json(const std::string& name, const Cause& cause) {
    const model::Failure& failure = *cause.newest.failure;
    json::value stage = nullptr;
    if (!failure.stage.empty()) stage = failure.stage;
    return {{"cause", name},
            {"workflow_key", cause.newest.workflow_key},
            {"stage_key", std::move(stage)},
            {"code", failure.code},
            {"message", failure.message},
            {"runs", cause.runs},
            {"parents", cause.parents},
            {"newest_run_id", cause.newest.id},
            {"newest_at", base::format_time(cause.newest_at)},
            {"oldest_at", base::format_time(cause.oldest_at)}};
}

Response list_causes(const OperationsParts& parts, const Request& request) {
    request.query.allow_only({});
    std::map<std::string, Cause> causes;
    const Failed failed(parts.store, request.caller);
    for (const model::Run& run : failed.runs()) {
        if (failed.is_folded(run)) continue;
        Cause& cause = causes[cause_of(run)];
        const Time at = ended(run);
        if (cause.runs == 0 || at > cause.newest_at) {
            cause.newest = run;
            cause.newest_at = at;
        }
        if (cause.runs == 0 || at < cause.oldest_at) cause.oldest_at = at;
        ++cause.runs;
        cause.parents += failed.above(run);
    }
    std::vector<const std::pair<const std::string, Cause>*> order;
    for (const auto& one : causes) order.push_back(&one);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
        if (a->second.runs != b->second.runs) return a->second.runs > b->second.runs;
        return a->second.newest_at > b->second.newest_at;
    });
    json::array rows;
    for (const auto* one : order) rows.push_back(cause_json(one->first, one->second));
    return json_response(200, {{"causes", std::move(rows)}, {"complete", failed.complete()}});
}

// As if it were submitted again. False: deleted meanwhile, of a workflow that is not defined here, or what it did was
// undone: that is forked.
bool retry_one(Tx& tx, const model::Run& run) {
    if (run.undo_plan) return false;
    SubmitOptions options;
    options.id = run.id;
    options.organization_id = run.organization_id;
    options.retry = true;
    try {
        tx.submit_json(run.workflow_key, run.input, options);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::RunDeleted && error.code() != ErrorCode::UnknownWorkflow)
            throw;
        return false;
    }
    return true;
}

// One after another: whoever executes has no request for many.
std::int64_t retry_by_asking(belay::detail::RidingPort& engine,
                             const std::vector<model::Run>& runs) {
    std::int64_t retried = 0;
    for (const model::Run& run : runs) {
        try {
            engine.retry(run.id);
            ++retried;
        } catch (const Error& error) {
            if (error.code() == ErrorCode::StoreUnavailable) throw;
        }
    }
    return retried;
}

Claimed retry_cause(const OperationsParts& parts, const Request& request, const Claim& claim) {
    const std::string& wanted = request.parameter("cause");
    const Failed failed(parts.store, request.caller);
    std::vector<model::Run> runs;
    std::set<std::int64_t> taken;
    std::int64_t covered = 0;
    bool all = failed.complete();
    for (const model::Run& run : failed.runs()) {
        if (failed.is_folded(run) || cause_of(run) != wanted) continue;
        const model::Run& root = failed.root_of(run);
        if (!taken.contains(root.no.value)) {
            if (runs.size() == kRetriedAtOnceMax) {
                all = false;
                break;
            }
            taken.insert(root.no.value);
            if (auto whole = parts.store.find_run(root.no)) runs.push_back(*std::move(whole));
        }
        ++covered;
    }
    if (runs.empty())
        throw ApiError(Problem::NotFound,
                       fmt::format("no failed run has the cause `{}`", shown(wanted)));
    const auto answer = [&](std::int64_t refused) {
        const std::int64_t retried = covered - std::min(covered, refused);
        return json_response(
            200, {{"cause", wanted}, {"retried", retried}, {"refused", refused}, {"more", !all}});
    };
    if (claim.asks()) {
        const auto asked = static_cast<std::int64_t>(runs.size());
        return Claim::nothing_done(answer(asked - retry_by_asking(parts.engine, runs)));
    }
    return claim.transact(parts.engine, [&](Tx& tx) {
        std::int64_t refused = 0;
        for (const model::Run& run : runs) refused += retry_one(tx, run) ? 0 : 1;
        return answer(refused);
    });
}

}  // namespace

std::string cause_of(const model::Run& run) {
    if (!run.failure) return {};
    const model::Failure& failure = *run.failure;
    return base::sha256_hex(fmt::format("{}\n{}\n{}\n{}", run.workflow_key,
                                        step_alike(failure.stage), failure.code,
                                        alike(failure.message)))
        .substr(0, 16);
}

void add_failure_routes(Routes& routes, const OperationsParts& parts) {
    Route list;
    list.path = "/api/failures";
    list.summary = "Failed runs by what made them fail";
    list.group = "operations";
    list.response_schema = schema_of<CausesView>();
    list.handler = [parts](const Request& request) { return list_causes(parts, request); };
    routes.add(std::move(list));

    Route retry;
    retry.path = "/api/failures/{cause}/retry";
    retry.summary = "Run what failed for one cause again, up to 200 at once";
    retry.group = "operations";
    retry.parameters = {path_parameter("cause", "as /api/failures names it")};
    retry.problems = {Problem::NotFound};
    retry.response_schema = schema_of<RetriedView>();
    retry.audit = "retry_cause";
    retry.on<Method::Post>(Once{[parts](const Request& request, const Claim& claim) {
        return retry_cause(parts, request, claim);
    }});
    routes.add(std::move(retry));
}

}  // namespace belay::api
