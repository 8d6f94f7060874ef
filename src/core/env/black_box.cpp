#include "core/env/black_box.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include <belay/outside.hpp>

#include "core/base/assert.hpp"
#include "core/base/utf8.hpp"

namespace belay::env {

namespace {

constexpr std::uint64_t kMagic = 0x31786f6279616c65;  // "elaybox1"

}  // namespace

struct BlackBox::Head {
    std::uint64_t magic;
    std::atomic<std::int64_t> last_seen;
    std::atomic<std::int32_t> signal;
    std::uint32_t worker_size;
    char worker[512];
};

struct alignas(128) BlackBox::Slot {
    std::atomic<std::int64_t> run;  // 0: nobody's code
    std::atomic<std::int64_t> epoch;
    std::atomic<std::int32_t> signal;
    std::uint32_t stage_size;
    char stage[104];
};

namespace {

static_assert(sizeof(BlackBox::Slot) == 128 && sizeof(BlackBox::Head) <= 4096);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::size_t kNoNumber = BlackBox::kSlots;

// Small numbers of threads that live, given again when one ends: the index of its slot in every box.
class ThreadNumbers {
public:
    std::size_t take() {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < used_.size(); ++i) {
            if (!used_[i]) return used_[i] = true, i;
        }
        return kNoNumber;
    }
    void give_back(std::size_t number) {
        const std::lock_guard lock(mutex_);
        if (number < used_.size()) used_[number] = false;
    }

private:
    std::mutex mutex_;
    std::array<bool, BlackBox::kSlots> used_{};
};

// Never destroyed: threads may end after the statics are gone.
ThreadNumbers& numbers() {
    static auto* const numbers = new ThreadNumbers;
    return *numbers;
}

struct ThreadNumber {
    ThreadNumber() : number(numbers().take()) {}
    ~ThreadNumber() { numbers().give_back(number); }
    ThreadNumber(const ThreadNumber&) = delete;
    ThreadNumber& operator=(const ThreadNumber&) = delete;
    std::size_t number;
};

std::size_t own_number() {
    thread_local const ThreadNumber own;
    return own.number;
}

// Read by the signal handler, which may not allocate: hence no dynamic TLS.
[[gnu::tls_model("initial-exec")]] thread_local constinit BlackBox::Slot* current_slot = nullptr;

// The boxes of this process, for the handler: no lock, a few entries.
constinit std::array<std::atomic<BlackBox::Head*>, 64> live_heads{};

}  // namespace

BlackBox::BlackBox(std::span<std::byte> memory, std::string_view worker, Time now)
    : head_(reinterpret_cast<Head*>(memory.data())),
      slots_(reinterpret_cast<Slot*>(memory.data() + 4096)) {
    BELAY_ASSERT(memory.size() == kBytes, "a box has {} bytes, not {}", kBytes, memory.size());
    head_->worker_size =
        static_cast<std::uint32_t>(std::min(worker.size(), sizeof(head_->worker)));
    std::memcpy(head_->worker, worker.data(), head_->worker_size);
    seen(now);
    head_->magic = kMagic;
    for (auto& place : live_heads) {
        Head* free = nullptr;
        if (place.compare_exchange_strong(free, head_)) break;
    }
}

BlackBox::~BlackBox() {
    for (auto& place : live_heads) {
        Head* own = head_;
        if (place.compare_exchange_strong(own, nullptr)) break;
    }
}

void BlackBox::seen(Time now) { head_->last_seen.store(now.time_since_epoch().count(), kRelaxed); }

bool BlackBox::read(std::span<const std::byte> memory, DeadBox& box) {
    if (memory.size() != kBytes) return false;
    const auto* head = reinterpret_cast<const Head*>(memory.data());
    if (head->magic != kMagic || head->worker_size > sizeof(head->worker)) return false;
    box.worker.assign(head->worker, head->worker_size);
    box.last_seen = Time{Duration{head->last_seen.load(kRelaxed)}};
    box.signal = head->signal.load(kRelaxed);
    const auto* slots = reinterpret_cast<const Slot*>(memory.data() + 4096);
    for (const Slot& slot : std::span(slots, kSlots)) {
        const std::int64_t run = slot.run.load(kRelaxed);
        if (run == 0) continue;
        const std::size_t size = std::min<std::size_t>(slot.stage_size, sizeof(slot.stage));
        box.executing.push_back({run, slot.epoch.load(kRelaxed),
                                 base::to_valid_utf8(std::string_view(slot.stage, size)),
                                 slot.signal.load(kRelaxed) != 0});
    }
    return true;
}

// Called by the handler of a fatal signal: only lock-free stores.
void note_signal(int signal) noexcept {
    for (auto& place : live_heads) {
        if (BlackBox::Head* head = place.load()) head->signal.store(signal, kRelaxed);
    }
    if (current_slot != nullptr) current_slot->signal.store(signal, kRelaxed);
}

}  // namespace belay::env

namespace belay::detail {

using env::BlackBox;

// The epoch is in its place before the run is seen: a process that dies in between has a slot that is empty, or that
// names an epoch nobody has.
Executing::Executing(BlackBox* box, std::int64_t run, std::int64_t epoch,
                     std::string_view stage) noexcept {
    if (box == nullptr || run == 0) return;
    const std::size_t number = env::own_number();
    if (number >= BlackBox::kSlots) return;
    BlackBox::Slot& slot = box->slots_[number];
    run_ = slot.run.load(env::kRelaxed);
    epoch_ = slot.epoch.load(env::kRelaxed);
    slot.run.store(0, env::kRelaxed);
    slot.epoch.store(epoch, std::memory_order_release);
    slot.signal.store(0, env::kRelaxed);
    const std::size_t size = std::min(stage.size(), sizeof(slot.stage));
    std::memcpy(slot.stage, stage.data(), size);
    slot.stage_size = static_cast<std::uint32_t>(size);
    slot.run.store(run, std::memory_order_release);
    slot_ = &slot;
    outer_ = env::current_slot;
    env::current_slot = &slot;
}

Executing::~Executing() {
    if (slot_ == nullptr) return;
    auto& slot = *static_cast<BlackBox::Slot*>(slot_);
    slot.run.store(0, std::memory_order_release);
    if (run_ != 0) {
        // What it was inside of goes on; which stage that was is not kept.
        slot.stage_size = 0;
        slot.epoch.store(epoch_, std::memory_order_release);
        slot.run.store(run_, std::memory_order_release);
    }
    env::current_slot = static_cast<BlackBox::Slot*>(outer_);
}

}  // namespace belay::detail

namespace belay {

Outside::Outside() noexcept : slot_(env::current_slot) {
    if (slot_ == nullptr) return;
    auto& slot = *static_cast<env::BlackBox::Slot*>(slot_);
    run_ = slot.run.exchange(0, std::memory_order_release);
}

Outside::~Outside() {
    if (slot_ == nullptr || run_ == 0) return;
    static_cast<env::BlackBox::Slot*>(slot_)->run.store(run_, std::memory_order_release);
}

}  // namespace belay
