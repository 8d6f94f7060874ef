// resident_says.cpp — what a run says of itself, labels and exposed values, and the questions that it answers.
//
// None of it is a step. What its code says in one turn goes to the writer when the turn begins something or ends, before
// anything that comes after it: so no later record is durable without it. A replay says all of it again, the newest of
// each name last.
#include <set>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/engine/sayings.hpp"
#include "core/engine/undoing.hpp"
#include "core/engine/writer.hpp"
#include "core/model/said.hpp"

namespace belay::engine {

namespace {

// The same after a crash: it counts what the code has said, not what is stored.
void count_name(std::set<std::string, std::less<>>& names, std::string_view name, std::size_t most,
                std::string_view what) {
    if (names.contains(name)) return;
    if (names.size() >= most) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a run's code {} at most {} names; `{}` is one more. Use a name "
                                "again, and it is replaced.",
                                what, most, name));
    }
    names.emplace(name);
}

}  // namespace

void Resident::label(std::string_view name, std::string_view value) {
    model::check_label(name, value);
    if (undoing_) return;  // it has said so
    if (!sayings_) sayings_ = std::make_unique<Sayings>();
    count_name(sayings_->labels, name, base::kLabelsMax, "labels its run with");
    sayings_->pending.labels.insert_or_assign(std::string(name), value);
}

void Resident::expose(std::string_view name, std::string json) {
    model::check_exposed(name, json);
    if (undoing_) return;
    if (!sayings_) sayings_ = std::make_unique<Sayings>();
    count_name(sayings_->exposed, name, base::kExposedMax, "exposes");
    sayings_->pending.exposed.insert_or_assign(std::string(name), std::move(json));
}

void Resident::say() {
    if (sayings_->pending.empty() || state_ != State::Live) return;
    services_.writer.ride_along(store::Say{lease_, std::exchange(sayings_->pending, {}), {}},
                                [&host = host_, lease = lease_](store::Verb& verb) {
                                    const auto& said = std::get<store::Say>(verb);
                                    if (Resident* run = host.find(lease))
                                        run->still_ours(said.outcome);
                                });
}

void Resident::answer(std::string_view scope, std::string_view name,
                      belay::detail::Answerer answerer) {
    if (name.empty() || name.size() > base::kStepNameCharsMax) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a question's name has 1 to {} characters; this one has {}",
                                base::kStepNameCharsMax, name.size()));
    }
    if (!sayings_) sayings_ = std::make_unique<Sayings>();
    sayings_->answers.insert_or_assign(std::string(name),
                                       Sayings::Handler{std::string(scope), std::move(answerer)});
}

void Resident::forget_answers(std::string_view scope) {
    std::erase_if(sayings_->answers,
                  [&](const auto& one) { return one.second.scope.starts_with(scope); });
}

bool Resident::may_be_asked() const {
    return (state_ == State::Live || state_ == State::Waiting) && stop_ == Stop::None &&
           !continue_with_ && !undoing_ && invocation_ && !invocation_->done();
}

Resident::Reply Resident::reply_to(std::string_view name, std::string_view question) {
    const auto found =
        sayings_ ? sayings_->answers.find(name) : decltype(sayings_->answers.end()){};
    if (!sayings_ || found == sayings_->answers.end()) {
        std::string known;
        if (sayings_) {
            for (const auto& [one, handler] : sayings_->answers)
                known += (known.empty() ? "" : ", ") + one;
        }
        return {false,
                fmt::format("run `{}` of {} answers no question `{}` now; it answers: {}",
                            shared_->id, workflow_.key, name, known.empty() ? "none" : known)};
    }
    const TurnWatch::Guard guard(host_.turns(), *this);
    try {
        std::string answer = found->second.answerer(question);
        if (answer.size() > base::kPayloadBytesMax) {
            return {false,
                    fmt::format("the answer to `{}` has {} bytes of JSON; one has at most {}", name,
                                answer.size(), base::kPayloadBytesMax)};
        }
        return {true, std::move(answer)};
    } catch (const std::exception& error) {
        return {false, error.what()};
    } catch (...) {
        return {false, "the handler threw what is no std::exception"};
    }
}

}  // namespace belay::engine
