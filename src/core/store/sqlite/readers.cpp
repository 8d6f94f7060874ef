#include "core/store/sqlite/readers.hpp"

#include <utility>

namespace belay::store::sqlite {

namespace {

// Beyond this many at once the disk or the cores are what is waited for.
constexpr std::size_t kAtOnceMax = 8;

}  // namespace

Readers::Readers(std::filesystem::path file, Duration busy_time_max, Blobs& blobs)
    : file_(std::move(file)), busy_time_max_(busy_time_max), blobs_(blobs) {
    idle_.push_back(
        std::make_shared<Reader>(file_, busy_time_max_, blobs_));  // a bad file is told at once
}

std::shared_ptr<Reader> Readers::take() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return !gate_closed_; });
    if (!idle_.empty()) {
        std::shared_ptr<Reader> reader = std::move(idle_.back());
        idle_.pop_back();
        return hand_out(std::move(reader));
    }
    if (under_way_ >= kAtOnceMax) {
        if (auto shared = newest_.lock()) return shared;
    }
    return hand_out(std::make_shared<Reader>(file_, busy_time_max_, blobs_));
}

void Readers::close() {
    const std::lock_guard lock{mutex_};
    ++generation_;
    under_way_ = 0;
    idle_.clear();
}

// With the lock held.
std::shared_ptr<Reader> Readers::hand_out(std::shared_ptr<Reader> reader) {
    ++under_way_;
    ++out_;
    Reader* const one = reader.get();
    std::weak_ptr<Reader> seen = reader;
    std::shared_ptr<Reader> out{
        one, [this, reader = std::move(reader), generation = generation_](Reader*) mutable {
            come_back(std::move(reader), generation);
        }};
    newest_ = out;
    reads_.push_back({std::move(seen), Steady::now()});
    return out;
}

void Readers::come_back(std::shared_ptr<Reader> reader, std::uint64_t generation) {
    const std::lock_guard lock{mutex_};
    std::erase_if(reads_, [&](const UnderWay& read) { return read.reader.lock() == reader; });
    if (--out_ == 0 && gate_closed_) changed_.notify_all();
    if (generation != generation_) return;
    --under_way_;
    idle_.push_back(std::move(reader));
}

Readers::Gate Readers::close_gate(std::chrono::milliseconds wait) {
    std::unique_lock lock{mutex_};
    gate_closed_ = true;
    const bool is_quiet = changed_.wait_for(lock, wait, [this] { return out_ == 0; });
    return Gate{this, is_quiet};
}

void Readers::open_gate() {
    {
        const std::lock_guard lock{mutex_};
        gate_closed_ = false;
    }
    changed_.notify_all();
}

void Readers::end_older_than(std::chrono::milliseconds age) {
    const std::lock_guard lock{mutex_};
    for (const UnderWay& read : reads_) {
        if (Steady::now() - read.since < age) continue;
        if (const auto reader = read.reader.lock()) reader->interrupt();
    }
}

}  // namespace belay::store::sqlite
