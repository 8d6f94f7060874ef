// worker.hpp — a process that executes runs: which workflows it defines, and runs of which code versions it
// can go on with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <belay/time.hpp>

namespace belay::model {

// Which recorded code versions a worker's code can go on with.
struct Versions {
    std::string own{};  // empty: it does not say, and takes any
    // Others: to the letter, or a beginning with a `*` after it ("2.*"); "*" is every version.
    std::vector<std::string> compatible{"*"};

    bool take_any() const;
    // Whether a run recorded with that version may be claimed. One without a version always may.
    bool take(std::string_view version) const;

    friend bool operator==(const Versions&, const Versions&) = default;
};

struct Worker {
    std::string name{};
    std::vector<std::string> workflow_keys{};
    Versions versions{};
    Time since{};

    friend bool operator==(const Worker&, const Worker&) = default;
};

// A worker among them that defines this workflow; with `version`, one that also takes it. Null: none.
const Worker* worker_for(const std::vector<Worker>& workers, std::string_view workflow_key);
const Worker* worker_for(const std::vector<Worker>& workers, std::string_view workflow_key,
                         std::string_view version);

}  // namespace belay::model
