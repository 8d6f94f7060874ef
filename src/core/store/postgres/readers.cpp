#include "core/store/postgres/readers.hpp"

#include <utility>

namespace belay::store::postgres {

Readers::Readers(ConnectOptions options, std::string name, std::size_t most, Duration idle_for)
    : options_(std::move(options)), name_(std::move(name)), most_(most), idle_for_(idle_for) {}

Readers::Lent Readers::take() {
    std::unique_lock lock{mutex_};
    returned_.wait(lock, [&] { return !idle_.empty() || lent_ < most_; });
    std::unique_ptr<Reader> reader;
    if (idle_.empty()) {
        reader = std::make_unique<Reader>(options_, name_);  // connects when it reads
    } else {
        reader = std::move(idle_.back().reader);
        idle_.pop_back();
    }
    ++lent_;
    return {reader.release(), GiveBack{this}};
}

void Readers::give_back(Reader* reader) {
    std::deque<Idle> closed;
    {
        const std::lock_guard lock{mutex_};
        --lent_;
        idle_.push_back({std::unique_ptr<Reader>(reader), Steady::now()});
        closed = taken_from_idle();
    }
    returned_.notify_one();
}

void Readers::close_idle() {
    std::deque<Idle> closed;
    const std::lock_guard lock{mutex_};
    closed = taken_from_idle();
}

// With the lock held; they are closed without it.
std::deque<Readers::Idle> Readers::taken_from_idle() {
    std::deque<Idle> out;
    const auto before = Steady::now() - idle_for_;
    while (idle_.size() > 1 && idle_.front().since <= before) {
        out.push_back(std::move(idle_.front()));
        idle_.pop_front();
    }
    return out;
}

}  // namespace belay::store::postgres
