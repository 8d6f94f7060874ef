// memory_boxes.hpp — black boxes of simulated processes: what they leave is on a shelf that outlives them.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/env/black_box.hpp"

namespace belay::env {

// Of one machine: the boxes of its dead, by worker.
using BoxShelf = std::map<std::string, DeadBox>;

class MemoryBoxes final : public BlackBoxes {
public:
    explicit MemoryBoxes(std::shared_ptr<BoxShelf> shelf) : shelf_(std::move(shelf)) {}
    ~MemoryBoxes() override { die(); }

    BlackBox* open(std::string_view worker, Time now, std::string&) override {
        memory_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, BlackBox::kBytes)));
        std::memset(memory_.get(), 0, BlackBox::kBytes);
        worker_ = worker;
        box_ = std::make_unique<BlackBox>(std::span(memory_.get(), BlackBox::kBytes), worker, now);
        return box_.get();
    }
    std::vector<DeadBox> dead() override {
        std::vector<DeadBox> found;
        for (const auto& [worker, box] : *shelf_) found.push_back(box);
        return found;
    }
    void forget(const std::string& worker) override { shelf_->erase(worker); }
    void close() override { is_over_ = true; }

    // The process is killed here: what its box says now is what it leaves. Its code may unwind after that. With a
    // signal, the thread that calls this has raised it: in a simulation there is no other.
    void die(int signal = 0) {
        DeadBox left;
        if (std::exchange(is_over_, true) || !box_) return;
        if (!BlackBox::read(std::span(memory_.get(), BlackBox::kBytes), left)) return;
        left.signal = signal;
        for (DeadBox::Executing& one : left.executing) one.raised = signal != 0;
        (*shelf_)[left.worker] = left;
    }
    const std::string& worker() const { return worker_; }

private:
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::shared_ptr<BoxShelf> shelf_;
    std::unique_ptr<std::byte[], Free> memory_;
    std::unique_ptr<BlackBox> box_;
    std::string worker_;
    bool is_over_ = false;
};

}  // namespace belay::env
