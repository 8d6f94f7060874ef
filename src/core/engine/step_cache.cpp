#include "core/engine/step_cache.hpp"

#include <fmt/format.h>

#include "core/base/hash.hpp"
#include "core/model/cost.hpp"

namespace belay::engine {

namespace {

// Whoever lets go of the last copy, on whatever thread, ends the flight.
class Flight {
public:
    Flight(env::Executor& executor, std::function<void()> landed)
        : executor_(executor), landed_(std::move(landed)) {}
    ~Flight() { executor_.post(env::Lane::Loop, std::move(landed_)); }
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

private:
    env::Executor& executor_;
    std::function<void()> landed_;
};

}  // namespace

std::string stored_key(const std::string& organization_id, const belay::detail::CacheUse& cache) {
    return fmt::format(
        "{}:{}", cache.scope,
        base::sha256_hex(fmt::format("{}\n{}\n{}", organization_id, cache.scope, cache.key)));
}

bool StepCache::take_off(belay::detail::Work& work, std::function<void()> landed) {
    belay::detail::CacheUse& cache = *work.cache;
    if (cache.flight) return true;
    if (cache.stored_key.empty())
        cache.stored_key = stored_key(work.call.run_shared->organization_id, cache);
    const auto [flight, is_new] = flights_->try_emplace(cache.stored_key);
    if (!is_new) {
        flight->second.push_back(std::move(landed));
        return false;
    }
    cache.flight = std::make_shared<Flight>(services_.world.executor,
                                            [flights = flights_, key = cache.stored_key] {
                                                const auto at = flights->find(key);
                                                if (at == flights->end()) return;
                                                const auto waiting = std::move(at->second);
                                                flights->erase(at);
                                                // The first of them takes off again, if it still has to; the others wait for that one.
                                                for (const auto& ask_again : waiting) ask_again();
                                            });
    return true;
}

std::optional<store::Store::Cached> StepCache::find(const belay::detail::Work& work, int attempt) {
    try {
        auto found = services_.store.find_cached(work.cache->stored_key, services_.now());
        if (found) work.call.check(found->output);
        return found;
    } catch (const std::exception& error) {
        // It is only a cache: the step is run.
        services_.log(LogLevel::Warning, "cache_unusable",
                      fmt::format("step `{}` of run `{}`: the cached answer cannot be used: {}",
                                  work.call.name, work.call.run_shared->id, error.what()),
                      about(*work.call.run_shared, work.call.name, attempt));
        return std::nullopt;
    }
}

void StepCache::take(belay::detail::Work& work, store::Store::Cached answer) {
    work.call.accept(answer.output);
    work.found.output = std::move(answer.output);
    model::Stage from;
    from.cost = std::move(answer.cost);
    work.found.spared = std::make_unique<Cost>(model::cost_of(from));
    ++services_.counters.steps_cached;
}

}  // namespace belay::engine
