#include "core/engine/deaths.hpp"

#include <algorithm>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/engine/writer.hpp"

namespace belay::engine {

namespace {

store::NoteDeath verb_of(const env::DeadBox& box) {
    store::NoteDeath verb;
    verb.worker = box.worker;
    verb.last_seen = box.last_seen;
    // A crash names its thread: the others were only there. Without a name nobody can tell, and all of them may have.
    const bool is_named = std::any_of(box.executing.begin(), box.executing.end(),
                                      [](const auto& one) { return one.raised; });
    verb.reason = box.signal != 0 ? model::DeathReason::Signal : model::DeathReason::Killed;
    for (const env::DeadBox::Executing& one : box.executing) {
        if (is_named && !one.raised) continue;
        const bool is_known = std::any_of(
            verb.executing.begin(), verb.executing.end(), [&](const auto& known) {
                return known.lease.run.value == one.run && known.lease.epoch == one.epoch;
            });
        if (!is_known) verb.executing.push_back({{store::RunNo{one.run}, one.epoch}, one.stage});
    }
    return verb;
}

}  // namespace

Deaths::Deaths(Services& services, std::unique_ptr<env::BlackBoxes> boxes)
    : services_(services), boxes_(std::move(boxes)) {}

env::BlackBox* Deaths::open() {
    if (!boxes_) return nullptr;
    std::string why;
    box_ = boxes_->open(services_.worker, services_.now(), why);
    if (box_ == nullptr) {
        services_.log(LogLevel::Warning, "no_black_box",
                      fmt::format("there is no black box ({}): a run that kills this process will "
                                  "not be found out. EngineOptions::black_box_folder says where "
                                  "they are kept.",
                                  why));
    }
    return box_;
}

void Deaths::look(std::function<void()> then) {
    std::vector<env::DeadBox> dead;
    if (boxes_) dead = boxes_->dead();
    // The last one to be committed says that all are: they are in one order.
    for (std::size_t i = 0; i < dead.size(); ++i) {
        const bool is_last = i + 1 == dead.size();
        store::NoteDeath verb = verb_of(dead[i]);
        services_.writer.push(
            std::move(verb), [this, box = std::move(dead[i]),
                              then = is_last ? then : nullptr](store::Verb& committed) {
                said(box, std::get<store::NoteDeath>(committed));
                if (then) then();
            });
    }
    if (dead.empty() && then) services_.world.executor.post(env::Lane::Loop, std::move(then));
}

void Deaths::said(const env::DeadBox& box, const store::NoteDeath& verb) {
    boxes_->forget(box.worker);
    services_.log(
        LogLevel::Warning, "worker_died",
        fmt::format("worker {} died{} (last seen {:%Y-%m-%dT%H:%M:%S}Z); {} of its runs {} charged "
                    "with it{}",
                    box.worker, box.signal != 0 ? fmt::format(" of signal {}", box.signal) : "",
                    fmt::gmtime(std::chrono::system_clock::to_time_t(
                        std::chrono::time_point_cast<std::chrono::system_clock::duration>(
                            box.last_seen))),
                    verb.charged.size(), verb.charged.size() == 1 ? "is" : "are",
                    verb.charged.empty() ? "" : ": their own code was executing"));
}

void Deaths::close() {
    if (boxes_) boxes_->close();
    box_ = nullptr;
}

}  // namespace belay::engine
