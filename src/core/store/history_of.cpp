#include "core/store/history_of.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/model/history_json.hpp"

namespace belay::store {

std::string history_of(Store& store, const std::string& id) {
    // Stages are read after their run, and it may have gone on in between: then read again.
    for (int tries = 0; tries < 5; ++tries) {
        const auto before = store.find_run(id);
        if (!before)
            throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
        model::History history{*before, store.stages(before->no), store.attempts(before->no)};
        const auto after = store.find_run(before->no);
        const bool is_still =
            after && after->status == before->status && after->updated_at == before->updated_at;
        if (is_still && store.stages(before->no) == history.stages)
            return model::history_json(history);
    }
    throw Error(ErrorCode::Overloaded, fmt::format("the run `{}` changes faster than it can be "
                                                   "read; pause it, or ask when it waits or has "
                                                   "ended",
                                                   id));
}

}  // namespace belay::store
