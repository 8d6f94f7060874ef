// lanes.hpp — what a batch writes without having to look: gathered, then written as a few statements for many.
//
// Most verbs are records of stages, submissions and plain ends. Each only needs what the batch read at its
// beginning, so they are answered at once and wait here. Whatever needs to see the database (a body, a claim, a
// message) first has them written (Writer::flush), so the order of the verbs holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/store/batch.hpp"

namespace belay::store::postgres {

// SQLSTATE of a row that is there already. Rows that are certain to be new are written without a look: where that was
// wrong, the batch is done again with nothing taken for certain.
inline constexpr std::string_view kUniqueViolation = "23505";
// SQLSTATE with which the server refuses what was certain and is not (statements.hpp).
inline constexpr std::string_view kDivisionByZero = "22012";

// What records change of their run's row.
struct Touch {
    std::optional<std::string> stage{};
    std::optional<model::Progress> progress{};
    bool innocent = false;
};

struct Lanes {
    struct StageKey {
        std::int64_t run;
        std::string path;
        friend bool operator==(const StageKey&, const StageKey&) = default;
    };
    struct StageKeyHash {
        std::size_t operator()(const StageKey& key) const {
            return std::hash<std::string>{}(key.path) ^
                   (static_cast<std::size_t>(key.run) * 0x9e3779b97f4a7c15ull);
        }
    };
    // One row of a stage: the last record of it, and those before it in this batch, which share its fate.
    struct StageRow {
        Record* last;
        std::vector<Record*> before{};
        bool is_new = false;  // it cannot have a row yet
    };
    std::vector<StageRow> stages{};
    std::unordered_map<StageKey, std::size_t, StageKeyHash> stage_at{};

    std::vector<std::pair<RunNo, const model::Attempt*>> attempts{};
    std::map<std::int64_t, Touch> touches{};
    struct Ending {
        End* verb;
        std::string current_stage;
    };
    std::vector<Ending> ends{};
    struct Waiting {
        Wait* verb;
        std::string current_stage;
    };
    std::vector<Waiting> waits{};
    std::vector<Submit*> submits{};

    bool empty() const {
        return stages.empty() && attempts.empty() && touches.empty() && ends.empty() &&
               waits.empty() && submits.empty();
    }
};

}  // namespace belay::store::postgres
