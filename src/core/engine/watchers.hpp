// watchers.hpp — threads that wait for runs to end.
//
// A watcher registers first and looks at the store second, so an end between the two is not missed.
// Called from any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <belay/engine.hpp>

#include "core/engine/services.hpp"

namespace belay::engine {

class Watchers {
public:
    explicit Watchers(Environment& world) : world_(world) {}

    // Waits until there is nothing to wait for (RunEnd::is_over), for at most `at_most`; gives how it then stands.
    // Throws Error{Stopped} if the engine stops first and {NotFound} for an unknown id.
    belay::detail::RunEnd wait(store::Store& store, const std::string& id,
                               std::optional<Duration> at_most);

    // Tells when there is nothing to wait for, on the pool: at once if that is so now. Throws {NotFound}. When the engine
    // stops first, it tells Error{Stopped}.
    using Tell = belay::detail::RunsPort::TellEnd;
    void tell_when_over(store::Store& store, const std::string& id, Tell tell);

    // Tells whoever waits for that run.
    void ended(const std::string& id, const belay::detail::RunEnd& end);

    // Also told of every end, on the Loop lane. Before the first.
    void set_observer(std::function<void(const std::string& id)> observer) {
        observer_ = std::move(observer);
    }

    // The watched runs that are over by what the store says: their ends were recorded elsewhere, or nobody here has heard
    // of it. Of all that are watched, or of those `among` them. One read at most, and none if nobody waits for any.
    using Ends = std::vector<std::pair<std::string, belay::detail::RunEnd>>;
    Ends look(store::Store& store, const std::set<model::RunNo>* among = nullptr);
    // Tells whoever waits for those.
    void ended(const Ends& ends);

    // Ends every wait with Error{Stopped}, and those to come.
    void stop();

    std::size_t count();  // threads that wait

private:
    struct Watch {
        std::optional<model::RunNo> run{};  // once it is known; guarded by `mutex_`
        std::optional<belay::detail::RunEnd> end;
        Tell tell{};  // told instead of a thread that waits
    };

    void forget(const std::string& id, const std::shared_ptr<Watch>& watch);
    void tell_on_pool(Tell tell, std::exception_ptr error, belay::detail::RunEnd end);
    static Error stopped_before(const std::string& id);

    Environment& world_;
    std::mutex mutex_;
    std::condition_variable changed_;
    // Shared by the thread that waits and the run's end that may come after it gave up.
    std::unordered_multimap<std::string, std::shared_ptr<Watch>> watches_;
    bool stopped_ = false;
    std::function<void(const std::string& id)> observer_;
};

// How a run stands, as its handle reports it.
belay::detail::RunEnd end_of(const model::Run& run);

}  // namespace belay::engine
