// event_feed.hpp — what happens, in order, for those who watch.
//
// Every event has an id; ids grow by commit. A watcher holds only the id it has seen last and asks for
// what came after it, so it misses nothing over a lost connection and costs no queue. What is too old
// to be kept is told as Gone: the watcher reads the tables again and goes on from the newest id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <belay/time.hpp>

#include "core/env/clock.hpp"

namespace belay::api {

struct Event {
    std::int64_t id = 0;
    std::string organization_id{};
    std::string type{};  // "run_changed", "classification_updated", …
    Time at{};
    std::string data{};  // JSON
};

// The text that is sent for it: {"id","type","at","data"}.
std::string event_text(const Event& event);

// All functions may be called from any thread, and answer from memory: they never wait for a disk.
class EventFeed {
public:
    // Shared by the feed and by those who are still sending them.
    using Events = std::vector<std::shared_ptr<const Event>>;
    struct Page {
        Events events{};
        std::int64_t last = 0;  // go on after this one (events of others are passed over)
    };
    struct Gone {
        std::int64_t newest = 0;  // go on after this one, when everything was read again
    };

    virtual ~EventFeed() = default;

    // The events of the organization after `after`, at most `most` of them.
    virtual std::variant<Page, Gone> read(std::string_view organization_id, std::int64_t after,
                                          std::size_t most) = 0;
    // The id of the newest event of anyone.
    virtual std::int64_t newest() = 0;

    // Calls `news` after every event, until the subscription ends. `news` must be short: it wakes
    // whoever reads.
    [[nodiscard]] virtual env::Subscription on_news(std::function<void()> news) = 0;
};

// The newest events in memory. A process that starts again gives ids that are above all it gave
// before (they begin at the clock's milliseconds × 1000), so an id from before is Gone, never wrong.
class EventRing final : public EventFeed {
public:
    // A payload may have four kilobytes: a bound on their number alone would be one of half a gigabyte.
    static constexpr std::size_t kBytesMax = 32u << 20;

    // Keeps the newest events, as many as fit both bounds.
    EventRing(const env::Clock& clock, std::size_t events_max, std::size_t bytes_max = kBytesMax);

    // Gives the event its id and time.
    std::int64_t publish(std::string_view organization_id, std::string_view type, std::string data);
    // Something happened that nobody can be told: whoever watches reads the tables again.
    void skip();
    // An event whose id and time its source gave: ids must grow.
    void publish(Event event);

    std::variant<Page, Gone> read(std::string_view organization_id, std::int64_t after,
                                  std::size_t most) override;
    std::int64_t newest() override;
    [[nodiscard]] env::Subscription on_news(std::function<void()> news) override;

private:
    void keep(Event event);
    void tell();

    const env::Clock& clock_;
    const std::size_t events_max_;
    const std::size_t bytes_max_;
    std::mutex mutex_;
    std::deque<std::shared_ptr<const Event>> events_;  // by id
    std::size_t bytes_ = 0;                            // of them
    std::int64_t newest_;
    std::int64_t oldest_after_;  // whoever has seen this one or a later one has missed nothing
    std::mutex listeners_mutex_;
    std::list<std::function<void()>> listeners_;
};

}  // namespace belay::api
