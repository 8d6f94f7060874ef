// expected.hpp — which messages runs in memory wait for, so that one that does not fit is refused where it is sent.
//
// Only an early no: a run that is not here, or does not wait yet, is sent its message all the same, and what does not
// fit is kept aside when it is asked for (store::Await). From any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <belay/detail/call.hpp>

#include "core/model/message.hpp"

namespace belay::engine {

class Expected {
public:
    void add(const std::shared_ptr<belay::detail::Call>& receive);
    void remove(const belay::detail::Call& receive);

    // Why none of those that wait for it can read it; empty if one can, or nobody is known to wait.
    std::string misfit(const model::NewMessage& message) const;

private:
    mutable std::mutex mutex_;
    // By organization, run and topic.
    std::unordered_map<std::string, std::vector<std::weak_ptr<belay::detail::Call>>> waiting_;
};

// Why a payload cannot be read by that call, from its record.
std::string misfit_of(const belay::detail::Call& receive, std::string_view record);

}  // namespace belay::engine
