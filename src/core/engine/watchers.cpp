#include "core/engine/watchers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/saturate.hpp"

namespace belay::engine {

belay::detail::RunEnd end_of(const model::Run& run) {
    belay::detail::RunEnd end;
    end.status = run.status;
    if (run.result) end.result = *run.result;
    if (run.failure) {
        end.error = run.failure->message;
        end.code = run.failure->code;
    }
    return end;
}

belay::detail::RunEnd Watchers::wait(store::Store& store, const std::string& id,
                                     std::optional<Duration> at_most) {
    const auto watch = std::make_shared<Watch>();
    {
        const std::lock_guard lock(mutex_);
        watches_.emplace(id, watch);
    }
    // However this ends, nobody waits here any more.
    struct Forget {
        Watchers& watchers;
        const std::string& id;
        const std::shared_ptr<Watch>& watch;
        ~Forget() { watchers.forget(id, watch); }
    } const forgets{*this, id, watch};
    const auto run = store.find_run(id);
    if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
    if (auto end = end_of(*run); end.is_over()) return end;
    {
        const std::lock_guard lock(mutex_);
        watch->run = run->no;
    }
    const Time now = world_.clock.now();
    const Time until = at_most ? base::later(now, *at_most) : base::kTimeMax;
    const auto real_until = std::chrono::steady_clock::now() + (until - now);
    std::unique_lock lock(mutex_);
    const auto over = [&] { return watch->end.has_value() || stopped_; };
    while (!over()) {
        if (world_.executor.threaded()) {
            if (!at_most) {
                changed_.wait(lock);
            } else if (changed_.wait_until(lock, real_until) == std::cv_status::timeout) {
                break;
            }
        } else {
            lock.unlock();
            const bool ran = world_.executor.run_one();
            lock.lock();
            if (!ran && !over()) {
                if (at_most) break;
                lock.unlock();
                const auto left = end_of(*store.find_run(id));
                throw Error(
                    ErrorCode::Stopped,
                    left.status == RunStatus::Paused
                        ? fmt::format("run `{}` is paused, and nobody resumes it: {}", id,
                                      left.error)
                        : fmt::format("run `{}` waits for something that cannot come any more",
                                      id));
            }
        }
        if (at_most && world_.clock.now() >= until) break;
    }
    const bool ended = watch->end.has_value();
    const bool stopped = stopped_;
    lock.unlock();
    if (ended) return *watch->end;
    if (stopped) {
        throw stopped_before(id);
    }
    return end_of(*store.find_run(id));
}

Error Watchers::stopped_before(const std::string& id) {
    return Error(ErrorCode::Stopped,
                 fmt::format("the engine stopped before run `{}` ended; the run goes on when an "
                             "engine is started on this store again",
                             id));
}

void Watchers::tell_when_over(store::Store& store, const std::string& id, Tell tell) {
    const auto watch = std::make_shared<Watch>();
    watch->tell = std::move(tell);
    bool stopped = false;
    {
        const std::lock_guard lock(mutex_);
        stopped = stopped_;
        if (!stopped) watches_.emplace(id, watch);
    }
    if (stopped) throw stopped_before(id);
    std::optional<model::Run> run;
    try {
        run = store.find_run(id);
        if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
    } catch (...) {
        forget(id, watch);
        throw;
    }
    if (end_of(*run).is_over()) ended(id, end_of(*run));
}

void Watchers::tell_on_pool(Tell tell, std::exception_ptr error, belay::detail::RunEnd end) {
    world_.executor.post(env::Lane::Pool, [tell = std::move(tell), error, end = std::move(end)] {
        tell(error, end);
    });
}

void Watchers::forget(const std::string& id, const std::shared_ptr<Watch>& watch) {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = watches_.equal_range(id);
    const auto at = std::find_if(first, last, [&](const auto& one) { return one.second == watch; });
    if (at != last) watches_.erase(at);
}

std::size_t Watchers::count() {
    const std::lock_guard lock(mutex_);
    return watches_.size();
}

void Watchers::ended(const std::string& id, const belay::detail::RunEnd& end) {
    if (observer_) observer_(id);
    if (!end.is_over()) return;
    const std::lock_guard lock(mutex_);
    const auto [first, last] = watches_.equal_range(id);
    if (first == last) return;
    for (auto at = first; at != last;) {
        if (at->second->tell) {
            tell_on_pool(std::move(at->second->tell), nullptr, end);
            at = watches_.erase(at);
        } else {
            at->second->end = end;
            ++at;
        }
    }
    changed_.notify_all();
}

Watchers::Ends Watchers::look(store::Store& store, const std::set<model::RunNo>* among) {
    std::vector<std::string> ids;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [id, watch] : watches_) {
            // One whose number is not known yet may have read it before it ended.
            if (among != nullptr && watch->run && !among->contains(*watch->run)) continue;
            if (ids.empty() || ids.back() != id)
                ids.push_back(id);  // who waits for one run stands together
        }
    }
    Ends ends;
    if (ids.empty()) return ends;
    for (const model::Run& run : store.ended_of(ids)) {
        if (auto end = end_of(run); end.is_over()) ends.emplace_back(run.id, std::move(end));
    }
    return ends;
}

void Watchers::ended(const Ends& ends) {
    for (const auto& [id, end] : ends) ended(id, end);
}

void Watchers::stop() {
    std::vector<std::pair<std::string, Tell>> told;
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        for (auto& [id, watch] : watches_) {
            if (watch->tell) told.emplace_back(id, std::move(watch->tell));
        }
        changed_.notify_all();
    }
    // Here: the pool takes nothing any more.
    for (const auto& [id, tell] : told) tell(std::make_exception_ptr(stopped_before(id)), {});
}

}  // namespace belay::engine
