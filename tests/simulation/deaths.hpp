// deaths.hpp — code that takes its process down, and whom the engine charges with it (docs/deaths.md).
//
// Kept beside the engine: which run's code each process was executing when it died. Nobody else may be charged, nobody
// may be paused as a crash loop with fewer deaths than that takes, and a run that crashes its process is found out.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/store/batch.hpp"
#include "core/store/memory/memory_store.hpp"
#include "simulation/plan.hpp"

namespace belay::test {

struct Verdict;

// Makes some steps of some plans deadly.
void draw_deaths(Plan& plan);
bool has_deaths(const Plan& plan);

class Deaths {
public:
    Deaths(store::MemoryStore& disk, Verdict& verdict) : disk_(disk), verdict_(verdict) {}

    // While it lives, that process executes the run's code, also while others go on beside it.
    class Inside {
    public:
        Inside(Deaths& deaths, const void* process, std::string run) : deaths_(deaths) {
            deaths_.inside_.push_back({process, std::move(run)});
        }
        ~Inside() { deaths_.inside_.pop_back(); }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

    private:
        Deaths& deaths_;
    };

    // Before it is gone: with whatever code it executes, or of a signal that the innermost of it raised. `is_newest`: no other
    // has taken its runs.
    void dies(const void* process, const std::string& worker, bool by_signal, bool is_newest);

    void committed(const store::Batch& batch);

private:
    struct Executing {
        const void* process;
        std::string run;
    };
    struct Crashes {
        int in_a_row = 0;
        std::int64_t retries = 0;
    };
    void broken(std::string sentence);
    void charged(const store::NoteDeath& death);
    void crashed(const std::string& run);
    void is_cleared(const std::string& run);

    store::MemoryStore& disk_;
    Verdict& verdict_;
    std::vector<Executing> inside_;
    std::map<std::string, std::set<std::string>> executed_;  // worker: whose code, when it died
    std::map<std::string, int> deaths_;       // run: in its code, since it was last cleared
    std::map<std::string, Crashes> crashes_;  // those that it raised itself
};

}  // namespace belay::test
