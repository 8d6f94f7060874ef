#include "service/api/event_feed.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "core/base/assert.hpp"
#include "core/base/text.hpp"

namespace belay::api {

namespace {

// With what it takes to hold it.
std::size_t bytes_of(const Event& event) {
    constexpr std::size_t kAround = 64;
    return sizeof(Event) + kAround + event.organization_id.size() + event.type.size() +
           event.data.size();
}

}  // namespace

std::string event_text(const Event& event) {
    std::string text = R"({"id":)" + std::to_string(event.id) + R"(,"type":)" +
                       boost::json::serialize(boost::json::string(event.type)) + R"(,"at":")" +
                       base::format_time(event.at) + R"(","data":)";
    text += event.data.empty() ? "null" : event.data;
    text += '}';
    return text;
}

EventRing::EventRing(const env::Clock& clock, std::size_t events_max, std::size_t bytes_max)
    : clock_(clock), events_max_(events_max), bytes_max_(bytes_max),
      newest_(clock.now().time_since_epoch().count() * 1000), oldest_after_(newest_) {}

std::int64_t EventRing::publish(std::string_view organization_id, std::string_view type,
                                std::string data) {
    Event event;
    event.organization_id = organization_id;
    event.type = type;
    event.at = clock_.now();
    event.data = std::move(data);
    std::int64_t id = 0;
    {
        const std::lock_guard lock(mutex_);
        id = event.id = newest_ + 1;
        keep(std::move(event));
    }
    tell();
    return id;
}

void EventRing::publish(Event event) {
    {
        const std::lock_guard lock(mutex_);
        BELAY_ASSERT(event.id > newest_, "event {} comes after {}", event.id, newest_);
        keep(std::move(event));
    }
    tell();
}

void EventRing::keep(Event event) {
    newest_ = event.id;
    events_.push_back(std::make_shared<const Event>(std::move(event)));
    bytes_ += bytes_of(*events_.back());
    while (events_.size() > events_max_ || bytes_ > bytes_max_) {
        oldest_after_ = events_.front()->id;
        bytes_ -= bytes_of(*events_.front());
        events_.pop_front();
    }
}

void EventRing::skip() {
    {
        const std::lock_guard lock(mutex_);
        events_.clear();
        bytes_ = 0;
        oldest_after_ = ++newest_;
    }
    tell();
}

std::variant<EventFeed::Page, EventFeed::Gone> EventRing::read(std::string_view organization_id,
                                                               std::int64_t after,
                                                               std::size_t most) {
    const std::lock_guard lock(mutex_);
    // An id that was never given is no better than one that is forgotten.
    if (after < oldest_after_ || after > newest_) return Gone{newest_};
    Page page;
    page.last = after;
    auto event = std::upper_bound(events_.begin(), events_.end(), after,
                                  [](std::int64_t id, const auto& e) { return id < e->id; });
    for (; event != events_.end() && page.events.size() < most; ++event) {
        page.last = (*event)->id;
        if ((*event)->organization_id == organization_id) page.events.push_back(*event);
    }
    return page;
}

std::int64_t EventRing::newest() {
    const std::lock_guard lock(mutex_);
    return newest_;
}

env::Subscription EventRing::on_news(std::function<void()> news) {
    const std::lock_guard lock(listeners_mutex_);
    const auto place = listeners_.insert(listeners_.end(), std::move(news));
    return env::Subscription([this, place] {
        const std::lock_guard inner(listeners_mutex_);
        listeners_.erase(place);
    });
}

void EventRing::tell() {
    const std::lock_guard lock(listeners_mutex_);
    for (const auto& listener : listeners_) listener();
}

}  // namespace belay::api
