#include "core/engine/feed.hpp"

#include <algorithm>
#include <chrono>

#include <boost/json.hpp>

#include <belay/error.hpp>

namespace belay::engine {

namespace {

// What a person can follow.
constexpr Duration kProgressEvery{100};
// Runs whose last report is remembered; above this it is forgotten, and each may report once too often.
constexpr std::size_t kProgressRunsMax = 10'000;

}  // namespace

// One listener's buffer.
struct Buffer {
    WatchOptions options;
    std::deque<std::shared_ptr<const Event>> events{};
    std::int64_t lost = 0;
};

struct Feed::Shared {
    std::atomic<int> listeners{0};
    std::mutex mutex;  // guards the rest
    std::condition_variable news;
    std::list<Buffer> buffers;
    std::int64_t last_id = 0;
    bool stopped = false;
};

class Feed::Listener final : public belay::detail::EventSource {
public:
    Listener(std::shared_ptr<Shared> shared, Environment& world, const WatchOptions& options)
        : shared_(std::move(shared)), world_(world) {
        const std::lock_guard lock(shared_->mutex);
        buffer_ = shared_->buffers.insert(shared_->buffers.end(), Buffer{options, {}, 0});
        ++shared_->listeners;
    }
    ~Listener() override {
        const std::lock_guard lock(shared_->mutex);
        shared_->buffers.erase(buffer_);
        --shared_->listeners;
    }

    std::optional<Event> next(Duration at_most) override {
        std::unique_lock lock(shared_->mutex);
        const auto ready = [this] { return !buffer_->events.empty() || shared_->stopped; };
        if (at_most > Duration{0} && !ready()) wait(lock, at_most, ready);
        if (buffer_->events.empty()) return std::nullopt;
        const std::shared_ptr<const Event> event = std::move(buffer_->events.front());
        buffer_->events.pop_front();
        lock.unlock();
        return *event;
    }

    std::int64_t take_lost() override {
        const std::lock_guard lock(shared_->mutex);
        return std::exchange(buffer_->lost, 0);
    }

    bool ended() override {
        const std::lock_guard lock(shared_->mutex);
        return shared_->stopped && buffer_->events.empty();
    }

private:
    // The world is only used while the feed has not stopped: it outlives the feed.
    template <class Ready>
    void wait(std::unique_lock<std::mutex>& lock, Duration at_most, const Ready& ready) {
        if (world_.executor.threaded()) {
            const auto until = std::chrono::steady_clock::now() +
                               std::min<Duration>(at_most, std::chrono::hours(24 * 365));
            shared_->news.wait_until(lock, until, ready);
            return;
        }
        const Time until = world_.clock.now() + at_most;
        while (!ready() && world_.clock.now() < until) {
            lock.unlock();
            const bool ran = world_.executor.run_one();
            lock.lock();
            if (!ran) return;
        }
    }

    const std::shared_ptr<Shared> shared_;
    Environment& world_;
    std::list<Buffer>::iterator buffer_;
};

Feed::Feed(Environment& world)
    : world_(world), shared_(std::make_shared<Shared>()), listeners_(&shared_->listeners) {}

std::unique_ptr<belay::detail::EventSource> Feed::watch(const WatchOptions& options) {
    if (options.buffer_max == 0) {
        throw Error(ErrorCode::InvalidArgument, "WatchOptions::buffer_max must be at least 1");
    }
    return std::make_unique<Listener>(shared_, world_, options);
}

void Feed::publish(std::vector<Event> events) {
    if (events.empty()) return;
    const std::lock_guard lock(shared_->mutex);
    for (Event& made : events) {
        made.id = ++shared_->last_id;
        std::shared_ptr<const Event> event;  // shared by the listeners that it is for
        for (Buffer& buffer : shared_->buffers) {
            const WatchOptions& wants = buffer.options;
            if (!wants.organization_id.empty() && wants.organization_id != made.organization_id)
                continue;
            if (!wants.run_id.empty() && wants.run_id != made.run_id) continue;
            if (!event) event = std::make_shared<const Event>(made);
            buffer.events.push_back(event);
            if (buffer.events.size() <= wants.buffer_max) continue;
            buffer.events.pop_front();
            ++buffer.lost;
        }
    }
    shared_->news.notify_all();
}

void Feed::gap() {
    const std::lock_guard lock(shared_->mutex);
    for (Buffer& buffer : shared_->buffers) ++buffer.lost;
    shared_->news.notify_all();
}

void Feed::stop() {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopped = true;
    shared_->news.notify_all();
}

bool Feed::is_redacted(std::string_view workflow_key) const {
    return std::find(redacted_.begin(), redacted_.end(), workflow_key) != redacted_.end();
}

void Feed::reported(const belay::detail::RunShared& run, std::int64_t done, std::int64_t total,
                    std::string_view text) {
    if (!wanted()) return;
    const Time now = world_.clock.now();
    {
        const std::lock_guard lock(progress_mutex_);
        if (told_progress_.size() >= kProgressRunsMax) told_progress_.clear();
        const auto [told, is_new] = told_progress_.try_emplace(run.id, now);
        if (!is_new && now - told->second < kProgressEvery) return;
        told->second = now;
    }
    Event event;
    event.at = now;
    event.type = "run_progress";
    event.organization_id = run.organization_id;
    event.run_id = run.id;
    event.workflow_key = run.workflow_key;
    event.status = to_string(RunStatus::Running);
    event.data = progress_json(done, total, is_redacted(run.workflow_key) ? "" : text);
    std::vector<Event> events;
    events.push_back(std::move(event));
    publish(std::move(events));
}

std::string progress_json(std::int64_t done, std::int64_t total, std::string_view text) {
    return boost::json::serialize(
        boost::json::object{{"done", done}, {"total", total}, {"text", text}});
}

}  // namespace belay::engine
