// history.hpp — what is recorded of a run, as a replay consumes it.
#pragma once

#include <string_view>
#include <vector>

#include "core/model/stage.hpp"

namespace belay::engine {

class History {
public:
    explicit History(std::vector<model::Stage> stages);

    // The record at that path, once; null if there is none (or it was taken).
    const model::Stage* take(std::string_view path);

    // The same, however often it is asked for.
    const model::Stage* visit(std::string_view path);

    // Whether anything is recorded at that path, taken or not.
    bool has(std::string_view path) const;

    // What happened inside a scope whose end is recorded: the replay does not go in.
    void skip_inside(std::string_view scope_path);

    // The first record that the code has not asked for, patches apart; null if it asked for all. When the
    // code has ended, one that is left is a divergence.
    // With `inside` ("4.2."), only of those inside that scope.
    const model::Stage* first_left(std::string_view inside = {}) const;

    bool empty() const { return left_ == 0; }

private:
    struct Entry {
        model::Stage stage;
        bool taken = false;
    };
    // Its place among the entries; their number if there is none.
    std::size_t find(std::string_view path) const;
    void mark(Entry& entry);

    std::vector<Entry> entries_;  // sorted by path as text
    std::size_t left_ = 0;
};

}  // namespace belay::engine
