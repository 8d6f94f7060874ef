// core_asking.cpp — what a program asks about runs without changing them: lists, labels, exposed values, questions.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/engine/core.hpp"
#include "core/engine/inside.hpp"
#include "core/engine/run_list.hpp"

namespace belay::engine {

namespace {

// The first look for an answer that another worker writes comes soon, the others less so.
constexpr Duration kFirstLook{2};
constexpr Duration kLastLook{50};

// Questions older than this are nobody's any more.
constexpr Duration kQuestionsMax = std::chrono::minutes(10);

}  // namespace

model::Run Core::run_of(const std::string& id) {
    auto run = store_.find_run(id);
    if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
    return *std::move(run);
}

RunList Core::list(const RunQuery& query, const ListOptions& options) {
    return list_of(store_, query, options);
}

Labels Core::labels(const std::string& id) { return labels_of(store_, run_of(id).no); }

std::map<std::string, std::string> Core::exposed(const std::string& id) {
    return store_.exposed(run_of(id).no);
}

void Core::when_over(const std::string& id, TellEnd tell) {
    watchers_.tell_when_over(store_, id, std::move(tell));
}

// ---- questions

void Core::handle_questions() {
    scheduler_.set_called([this](Resident& run) { questions_.is_here(run); });
    requests_.handle_with("ask", [this](const store::ControlRequest& request, Requests::Tell tell) {
        const auto run = store_.find_run(request.run_id);
        if (!run) return tell(false, fmt::format("there is no run with id `{}`", request.run_id));
        questions_.ask(*run, Question::of_request(request.payload), std::move(tell));
    });
}

// On the Commit lane: those that every worker has to see.
void Core::hear_questions() {
    auto asked = store_.questions(parts_.world.clock.now() - kQuestionsMax);
    if (asked.empty()) return;
    parts_.world.executor.post(env::Lane::Loop, [this, asked = std::move(asked)] {
        for (const store::ControlRequest& request : asked) requests_.handle(request);
    });
}

std::string Core::ask(const std::string& id, std::string_view name, std::string question,
                      Duration at_most) {
    refuse_unless_open("Engine::ask");
    const model::Run run = run_of(id);
    const Time until = parts_.world.clock.now() + std::min(at_most, kQuestionsMax);
    const Question asked{std::string(name), std::move(question), until};
    struct Reply {
        bool is_there = false;
        bool ok = false;
        std::string text;
    };
    // Shared with the Loop lane, where it may be told when nobody waits any more.
    const auto reply = std::make_shared<Reply>();
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    const bool is_shared = store_.is_shared();
    parts_.world.executor.post(env::Lane::Loop, [this, run, asked, reply, is_shared,
                                                 promise = std::make_shared<Promise>(answer)] {
        const Questions::Told told = [reply, promise](bool ok, std::string text) {
            *reply = {true, ok, std::move(text)};
            promise->keep();
        };
        // A run that is not here may be anywhere.
        if (!is_shared) return questions_.ask(run, asked, told);
        if (!questions_.ask_here(run.no, asked, told)) promise->keep();
    });
    answer->wait();
    if (!reply->is_there) {
        store::ControlRequest request;
        request.kind = "ask";
        request.run_id = id;
        request.payload = asked.as_request();
        request.created_at = parts_.world.clock.now();
        return answer_of(store_.ask(request), until);
    }
    if (!reply->ok) throw Error(ErrorCode::NoAnswer, reply->text);
    return reply->text;
}

// Of a request that some worker answers.
std::string Core::answer_of(std::int64_t request, Time until) {
    Duration pause = kFirstLook;
    while (true) {
        const auto answer = std::make_shared<Answer>(parts_.world, 1);
        parts_.world.executor.post_at(
            parts_.world.clock.now() + pause, env::Lane::Loop,
            [promise = std::make_shared<Promise>(answer)] { promise->keep(); });
        answer->wait();
        pause = std::min(pause * 2, kLastLook);
        if (const auto told = store_.answer(request)) {
            if (!told->ok) throw Error(ErrorCode::NoAnswer, told->text);
            return told->text;
        }
        if (parts_.world.clock.now() >= until) {
            throw Error(ErrorCode::NoAnswer,
                        "nobody answered in time: no worker has the run where it can be asked");
        }
    }
}

}  // namespace belay::engine
