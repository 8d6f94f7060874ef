#include "core/engine/epilogue.hpp"

#include <boost/json/value.hpp>

#include <belay/error.hpp>

namespace belay::engine {

namespace {

using Awaited = belay::detail::ChildCall<boost::json::value>;

Task<void> wait_for_each(Context& ctx, std::vector<belay::detail::StartedChild> children) {
    for (const belay::detail::StartedChild& child : children) {
        ChildOptions options;
        options.id = child.id;
        const auto call = std::make_shared<Awaited>(ctx, child.workflow, child.input, options);
        try {
            co_await Step<boost::json::value, false>{call};
        } catch (const StepFailed&) {
            // Its own end says what became of it.
        }
    }
}

}  // namespace

bool Epilogue::is_over(Context& context) {
    if (!waiting_) {
        waiting_.emplace(wait_for_each(context, children_));
        waiting_->resume();
    }
    if (waiting_->done()) waiting_->take();
    return waiting_->done();
}

}  // namespace belay::engine
