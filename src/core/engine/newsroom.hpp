// newsroom.hpp — makes the events of a batch that was committed, in the order of its verbs (rule 13).
//
// On the Loop lane, before anybody is told of the batch: the runs in it are still in memory, and say who they
// are. Only asked while somebody listens.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <belay/feed.hpp>

#include "core/engine/feed.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

// Whose stage it is.
struct RunName {
    std::string id{};
    std::string workflow_key{};
    std::string organization_id{};
};

class Newsroom {
public:
    // Gives the name of a run: from memory, or from the store.
    using FindName = std::function<std::optional<RunName>(model::RunNo)>;

    Newsroom(Feed& feed, FindName find) : feed_(feed), find_(std::move(find)) {}

    void committed(const store::Batch& batch);

private:
    struct Report;

    Feed& feed_;
    FindName find_;
};

}  // namespace belay::engine
