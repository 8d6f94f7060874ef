#include "core/engine/questions.hpp"

#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/describe.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/engine/scheduler.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

namespace {

// The payload of an "ask" request.
struct AskRequest {
    std::string name;
    std::string question;  // JSON
    Time until;
};
BOOST_DESCRIBE_STRUCT(AskRequest, (), (name, question, until))

// Why a run that stands so answers nothing, whatever it is asked.
std::string refusal(const model::Run& run) {
    if (run.status == RunStatus::Paused) {
        return fmt::format("run `{}` is paused and answers nothing until it is resumed: {}", run.id,
                           run.failure ? run.failure->message : "no reason was given");
    }
    if (run.queue.empty()) {
        return fmt::format("run `{}` is queued: its code has not been called yet, or was put back",
                           run.id);
    }
    return fmt::format("run `{}` waits for its turn in queue {}: nobody executes it now", run.id,
                       run.queue);
}

}  // namespace

std::string Question::as_request() const { return to_json(AskRequest{name, question, until}); }

Question Question::of_request(const std::string& payload) {
    auto asked = from_json<AskRequest>(payload);
    return {std::move(asked.name), std::move(asked.question), asked.until};
}

bool Questions::ask_here(model::RunNo no, const Question& question, const Told& told) {
    Resident* run = scheduler_.here(no);
    if (run == nullptr || !run->may_be_asked()) return false;
    Resident::Reply reply = run->reply_to(question.name, question.question);
    told(reply.ok, std::move(reply.text));
    return true;
}

void Questions::ask(const model::Run& run, Question question, Told told) {
    if (ask_here(run.no, question, told)) return;
    if (is_finished(run.status)) {
        const auto exposed = services_.store.exposed(run.no);
        if (const auto found = exposed.find(question.name); found != exposed.end())
            return told(true, found->second);
        return told(false, fmt::format("run `{}` has ended as {} and exposed nothing as `{}`",
                                       run.id, to_string(run.status), question.name));
    }
    if (run.status == RunStatus::Paused || run.status == RunStatus::Queued)
        return told(false, refusal(run));
    // One that is running is on its way into memory, or with another worker.
    if (run.status == RunStatus::Waiting)
        services_.writer.push(store::Wake{run.no}, [](store::Verb&) {});
    const std::uint64_t number = ++last_;
    const Time until = question.until;
    const Timers::Key timer =
        scheduler_.timers().at(until, [this, no = run.no, number] { tell_late(no, number); });
    open_.emplace(std::pair{run.no, number}, Open{std::move(question), std::move(told), timer});
}

void Questions::is_here(Resident& run) {
    if (open_.empty()) return;
    const model::RunNo no = run.lease().run;
    const auto from = open_.lower_bound({no, 0});
    const auto to = open_.upper_bound({no, std::numeric_limits<std::uint64_t>::max()});
    if (from == to || !run.may_be_asked()) return;
    std::vector<Open> asked;
    for (auto at = from; at != to; ++at) asked.push_back(std::move(at->second));
    open_.erase(from, to);
    for (const Open& one : asked) {
        scheduler_.timers().cancel(one.timer);
        Resident::Reply reply = run.reply_to(one.question.name, one.question.question);
        one.told(reply.ok, std::move(reply.text));
    }
}

void Questions::tell_late(model::RunNo run, std::uint64_t number) {
    const auto found = open_.find({run, number});
    if (found == open_.end()) return;
    const Told told = std::move(found->second.told);
    const std::string name = found->second.question.name;
    open_.erase(found);
    told(false, fmt::format("nobody answered `{}` in time: the run was not where it could be asked",
                            name));
}

}  // namespace belay::engine
