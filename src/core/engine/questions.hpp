// questions.hpp — questions to runs, and who answers them: the run's own code if it is here, what it exposed if it is
// over, a sentence if it stands so that it cannot.
//
// A question changes nothing and is nobody's history. One to a run that has left memory wakes it (store::Wake), and is
// answered when its code has been called as far as it gets, before it waits again. Several workers may hold the same
// question; only the one that has the run knows an answer, and of two answers the first stays. Used on the Loop lane.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/engine/resident.hpp"
#include "core/engine/services.hpp"
#include "core/engine/timers.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

class Scheduler;

struct Question {
    std::string name{};
    std::string question{};  // JSON
    Time until{};            // nobody waits for the answer any more

    // As it is asked of other processes.
    std::string as_request() const;
    static Question of_request(const std::string& payload);
};

class Questions {
public:
    Questions(Services& services, Scheduler& scheduler)
        : services_(services), scheduler_(scheduler) {}

    using Told = std::function<void(bool ok, std::string text)>;

    // Tells at once if the run is here, and gives true.
    bool ask_here(model::RunNo run, const Question& question, const Told& told);

    // Tells now or later, `until` at the latest. `run` is as the store has it now.
    void ask(const model::Run& run, Question question, Told told);

    // It has just been called.
    void is_here(Resident& run);

private:
    struct Open {
        Question question;
        Told told;
        Timers::Key timer;
    };

    void tell_late(model::RunNo run, std::uint64_t number);

    Services& services_;
    Scheduler& scheduler_;
    std::map<std::pair<model::RunNo, std::uint64_t>, Open> open_;
    std::uint64_t last_ = 0;
};

}  // namespace belay::engine
