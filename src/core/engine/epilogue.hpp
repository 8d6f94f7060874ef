// epilogue.hpp — runs that a workflow started and without whose end it does not end (WhenParentEnds::Wait).
//
// When its code has returned, thrown or asked to begin anew, they are awaited one after the other, as if its last lines
// did so: each is a stage of the run at the next position of the code, and a replay comes to the same. How they end
// changes nothing of how it does. Used on the Loop lane, where the code runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <belay/context.hpp>
#include <belay/task.hpp>

namespace belay::engine {

class Epilogue {
public:
    void add(const belay::detail::StartedChild& child) { children_.push_back(child); }

    // The code has ended. False: it waits, and what it waits for is a call of the run like any other. Throws what a call
    // throws that cannot begin.
    bool is_over(Context& context);

    // The step whose failure the code was given last: what is awaited here is not to blame.
    std::unique_ptr<std::pair<std::string, std::string>> failed{};
    bool has_begun() const { return waiting_.has_value(); }

private:
    std::vector<belay::detail::StartedChild> children_;
    std::optional<Task<void>> waiting_;
};

}  // namespace belay::engine
