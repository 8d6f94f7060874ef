#include "ingestion/isolate/turns.hpp"

#include <algorithm>
#include <condition_variable>

#include "core/base/assert.hpp"

namespace belay::isolate {

namespace {

// Beyond so many that have nothing to do, it is forgotten when they were last served.
constexpr std::size_t kRememberedMax = 4096;

thread_local const HeldTurn* held = nullptr;

std::size_t index(JobKind kind) { return static_cast<std::size_t>(kind); }

}  // namespace

std::string_view to_string(JobKind kind) {
    switch (kind) {
        case JobKind::Long:
            return "long";
        case JobKind::Short:
            return "short";
        case JobKind::Look:
            return "look";
    }
    return "?";
}

std::chrono::seconds cpu_time_max(JobKind kind) {
    return std::chrono::seconds{kind == JobKind::Long ? 60 : 15};
}

struct Turns::Waiter {
    Asker asker;
    Told told;
    std::uint64_t number = 0;  // in the order of asking
    Time since{};
    bool queued = true;  // under mutex_
    std::optional<std::stop_callback<std::function<void()>>> on_stop{};
};

bool Turns::Organization::is_idle() const {
    const auto is_empty = [](const auto& queue) { return queue.empty(); };
    return work.running == 0 && looks.running == 0 && std::ranges::all_of(queued, is_empty);
}

Turns::~Turns() {
    for (const auto& [name, organization] : organizations_)
        BELAY_ASSERT(organization.is_idle(), "turns end while {} has one or waits", name);
}

void Turns::ask(Asker asker, const std::stop_token& stop, Told told) {
    if (stop.stop_requested()) return told(std::nullopt);
    const auto waiter = std::make_shared<Waiter>();
    waiter->asker = std::move(asker);
    waiter->told = std::move(told);
    std::vector<std::pair<WaiterPtr, std::uint64_t>> admitted;
    {
        const std::lock_guard lock{mutex_};
        waiter->number = ++asked_;
        waiter->since = clock_.now();
        organizations_[waiter->asker.organization].queued[index(waiter->asker.kind)].push_back(
            waiter);
        admitted = admit();
    }
    // Outside the lock, because it runs at once if the stop was requested meanwhile.
    const bool mine = std::ranges::find(admitted, waiter, [](const auto& one) {
                          return one.first;
                      }) != admitted.end();
    if (!mine && stop.stop_possible()) {
        waiter->on_stop.emplace(stop, [this, weak = std::weak_ptr(waiter)] {
            if (const auto alive = weak.lock()) withdraw(alive);
        });
    }
    tell(std::move(admitted));
}

std::optional<Turns::Turn> Turns::wait(Asker asker, const std::stop_token& stop) {
    struct Heard {
        std::mutex mutex;
        std::condition_variable changed;
        bool told = false;
        std::optional<Turn> turn;
    };
    // Shared with the one who tells, who may still be in notify_one() when we are gone.
    const auto heard = std::make_shared<Heard>();
    ask(std::move(asker), stop, [heard](std::optional<Turn> turn) {
        const std::lock_guard lock{heard->mutex};
        if (turn) heard->turn.emplace(*std::move(turn));
        heard->told = true;
        heard->changed.notify_one();
    });
    std::unique_lock lock{heard->mutex};
    heard->changed.wait(lock, [&] { return heard->told; });
    if (!heard->turn) return std::nullopt;
    return std::optional<Turn>{*std::move(heard->turn)};
}

void Turns::withdraw(const WaiterPtr& waiter) {
    {
        const std::lock_guard lock{mutex_};
        if (!waiter->queued) return;
        waiter->queued = false;
        auto& queue = organizations_[waiter->asker.organization].queued[index(waiter->asker.kind)];
        std::erase(queue, waiter);
        forget_idle();
    }
    waiter->told(std::nullopt);
}

void Turns::give_back(std::uint64_t number) {
    std::vector<std::pair<WaiterPtr, std::uint64_t>> admitted;
    {
        const std::lock_guard lock{mutex_};
        const auto found = running_.find(number);
        const Asker& asker = found->second.asker;
        auto& organization = organizations_[asker.organization];
        --(asker.kind == JobKind::Look ? organization.looks : organization.work).running;
        --running_of_[index(asker.kind)];
        running_.erase(found);
        admitted = admit();
        forget_idle();
    }
    tell(std::move(admitted));
}

void Turns::tell(std::vector<std::pair<WaiterPtr, std::uint64_t>> admitted) {
    for (auto& [waiter, number] : admitted) waiter->told(Turn{*this, number});
}

std::vector<std::pair<Turns::WaiterPtr, std::uint64_t>> Turns::admit() {
    std::vector<std::pair<WaiterPtr, std::uint64_t>> admitted;
    for (const bool look : {false, true}) {
        while (const WaiterPtr next = take_next(look)) {
            next->queued = false;
            auto& organization = organizations_[next->asker.organization];
            Lane& lane = look ? organization.looks : organization.work;
            ++lane.running;
            lane.served = ++turns_;
            ++running_of_[index(next->asker.kind)];
            running_.emplace(turns_, Running{next->asker, clock_.now()});
            admitted.emplace_back(next, turns_);
        }
    }
    return admitted;
}

bool Turns::fits(JobKind kind) const {
    const int longs = running_of_[index(JobKind::Long)];
    const int work = longs + running_of_[index(JobKind::Short)];
    switch (kind) {
        case JobKind::Long:
            return longs < places_.work && work < places_.work + places_.kept_for_short;
        case JobKind::Short:
            return work < places_.work + places_.kept_for_short;
        case JobKind::Look:
            return running_of_[index(JobKind::Look)] < places_.looks;
    }
    return false;
}

// Where the organization's oldest waits that fits now; null.
std::deque<Turns::WaiterPtr>* Turns::first_of(Organization& of, bool look) {
    std::deque<WaiterPtr>* first = nullptr;
    for (const JobKind kind : kAllJobKinds) {
        auto& queue = of.queued[index(kind)];
        if ((kind == JobKind::Look) != look || queue.empty() || !fits(kind)) continue;
        if (first == nullptr || queue.front()->number < first->front()->number) first = &queue;
    }
    return first;
}

Turns::WaiterPtr Turns::take_next(bool look) {
    std::deque<WaiterPtr>* best = nullptr;
    std::pair<int, std::uint64_t> least;
    for (auto& [name, organization] : organizations_) {
        auto* first = first_of(organization, look);
        if (first == nullptr) continue;
        const Lane& lane = look ? organization.looks : organization.work;
        const std::pair has{lane.running, lane.served};
        if (best != nullptr && has >= least) continue;
        best = first;
        least = has;
    }
    if (best == nullptr) return nullptr;
    WaiterPtr next = std::move(best->front());
    best->pop_front();
    return next;
}

// Not at once: one that comes back has been served before those that it would else get ahead of.
void Turns::forget_idle() {
    if (organizations_.size() <= kRememberedMax) return;
    std::erase_if(organizations_, [](const auto& one) { return one.second.is_idle(); });
}

std::vector<Turns::Entry> Turns::entries() const {
    std::vector<Entry> all;
    const std::lock_guard lock{mutex_};
    for (const auto& [number, one] : running_) all.push_back({one.asker, one.since, false});
    const auto waiting_from = static_cast<std::ptrdiff_t>(all.size());
    for (const auto& [name, organization] : organizations_) {
        for (const auto& queue : organization.queued) {
            for (const auto& waiter : queue) all.push_back({waiter->asker, waiter->since, true});
        }
    }
    std::stable_sort(all.begin() + waiting_from, all.end(),
                     [](const Entry& a, const Entry& b) { return a.since < b.since; });
    return all;
}

int Turns::running(JobKind kind) const {
    const std::lock_guard lock{mutex_};
    return running_of_[index(kind)];
}

int Turns::waiting(JobKind kind) const {
    const std::lock_guard lock{mutex_};
    std::size_t count = 0;
    for (const auto& [name, organization] : organizations_)
        count += organization.queued[index(kind)].size();
    return static_cast<int>(count);
}

HeldTurn::HeldTurn(Turns::Turn turn, JobKind kind)
    : turn_(std::move(turn)), kind_(kind), outer_(std::exchange(held, this)) {}

HeldTurn::~HeldTurn() { held = outer_; }

std::optional<JobKind> HeldTurn::of_this_thread(const Turns& turns) {
    for (const HeldTurn* one = held; one != nullptr; one = one->outer_)
        if (one->turn_.of_ == &turns) return one->kind_;
    return std::nullopt;
}

}  // namespace belay::isolate
