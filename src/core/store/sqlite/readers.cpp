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
    const std::lock_guard lock{mutex_};
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
    Reader* const one = reader.get();
    std::shared_ptr<Reader> out{
        one, [this, reader = std::move(reader), generation = generation_](Reader*) mutable {
            come_back(std::move(reader), generation);
        }};
    newest_ = out;
    return out;
}

void Readers::come_back(std::shared_ptr<Reader> reader, std::uint64_t generation) {
    const std::lock_guard lock{mutex_};
    if (generation != generation_) return;
    --under_way_;
    idle_.push_back(std::move(reader));
}

}  // namespace belay::store::sqlite
