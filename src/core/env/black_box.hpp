// black_box.hpp — whose code each thread executes, kept where it survives the process.
//
// A page that is mapped from a file keeps what was written to it when its process is killed, and writing to it costs a
// store. Each thread has a slot: it writes there the run whose code it enters, and takes it back when it leaves
// (belay/detail/executing.hpp, belay/outside.hpp). The next process reads the boxes of those that are dead: only what
// was in a slot can have killed them (docs/deaths.md). Power loss loses the page, and then nobody is blamed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <belay/detail/executing.hpp>
#include <belay/time.hpp>

namespace belay::env {

// A dead process's box, read.
struct DeadBox {
    struct Executing {
        std::int64_t run = 0;
        std::int64_t epoch = 0;
        std::string stage{};
        bool raised = false;  // the signal that the process died of
    };
    std::string worker{};
    Time last_seen{};
    int signal = 0;  // 0: it died without a word
    std::vector<Executing> executing{};
};

// The box of a process that lives: a view of its memory. Slots are written by their own thread alone.
class BlackBox {
public:
    struct Slot;
    struct Head;
    static constexpr std::size_t kSlots = 512;  // threads above that are not kept
    static constexpr std::size_t kBytes = 4096 + kSlots * 128;

    // `memory` is kBytes, zeroed, aligned to a page, and outlives it.
    BlackBox(std::span<std::byte> memory, std::string_view worker, Time now);
    ~BlackBox();
    BlackBox(const BlackBox&) = delete;
    BlackBox& operator=(const BlackBox&) = delete;

    // It is alive at that time. From any thread.
    void seen(Time now);

    // What such memory says; nothing if it is no box.
    static bool read(std::span<const std::byte> memory, DeadBox& box);

private:
    friend class detail::Executing;
    Head* head_;
    Slot* slots_;
};

// The boxes of one store on one machine: this process's own, and those that the dead have left.
class BlackBoxes {
public:
    virtual ~BlackBoxes() = default;

    // This process's, made under that name; null if it cannot be made (`why` says it). Once.
    virtual BlackBox* open(std::string_view worker, Time now, std::string& why) = 0;
    // Of those that live no more, each once until it is forgotten or this process ends. From any thread; so is forget().
    virtual std::vector<DeadBox> dead() = 0;
    // That death is in the store.
    virtual void forget(const std::string& worker) = 0;
    // This process ends in order: its box goes, and nobody takes it for dead.
    virtual void close() = 0;
};

// In a folder: `<prefix><something>.box` for each process, locked for as long as it lives. A folder that is not there
// is made, for its owner alone.
std::unique_ptr<BlackBoxes> boxes_in(std::filesystem::path folder, std::string prefix);

// Notes SIGSEGV, SIGABRT, SIGBUS, SIGFPE and SIGILL in every box of this process, and which slot's thread raised it,
// before whoever handled them before does. Once for the process; a handler that is set later is not asked for.
void note_fatal_signals();

}  // namespace belay::env
