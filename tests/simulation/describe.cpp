#include "simulation/describe.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace belay::test {
namespace {

std::string outcome_of(const store::WriteOutcome& outcome) {
    static constexpr const char* kNames[] = {"applied", "fenced", "refused", "body failed", "lost"};
    return kNames[outcome.index()];
}

struct Describe {
    template <class... Args>
    static std::string text(fmt::format_string<Args...> format, Args&&... args) {
        return fmt::format(format, std::forward<Args>(args)...);
    }
    std::string operator()(const store::Submit& v) const { return text("submit {}", v.run.id); }
    std::string operator()(const store::Record& v) const {
        return text("record {}@{} {} {} {}", v.lease.run.value, v.lease.epoch, v.stage.path,
                    to_string(v.stage.status), outcome_of(v.outcome));
    }
    std::string operator()(const store::End& v) const {
        return text("end {}@{} {} {}", v.lease.run.value, v.lease.epoch, to_string(v.status),
                    outcome_of(v.outcome));
    }
    std::string operator()(const store::Wait& v) const {
        return text("wait {}@{} signals {} {}", v.lease.run.value, v.lease.epoch, v.signals,
                    outcome_of(v.outcome));
    }
    std::string operator()(const store::Release& v) const {
        return text("release {}@{} {}", v.lease.run.value, v.lease.epoch, outcome_of(v.outcome));
    }
    std::string operator()(const store::Await& v) const {
        return text("await {}@{} {} {}{} signals {} {}", v.lease.run.value, v.lease.epoch,
                    v.stage.path, v.topic, v.child_id, v.signals,
                    v.came ? "came" : outcome_of(v.outcome));
    }
    std::string operator()(const store::Send& v) const {
        return text("send {} {}", v.message.run_id, v.message.topic);
    }
    std::string operator()(const store::Claim& v) const {
        std::string runs;
        for (const model::Run& run : v.outcome.claimed)
            runs += text(" {}@{}", run.no.value, run.epoch);
        return text("claim up to {}:{}{}", v.limit, runs, v.outcome.more_due ? " and more" : "");
    }
    std::string operator()(const store::Reclaim& v) const {
        std::string runs;
        for (const model::Run& run : v.outcome) runs += text(" {}@{}", run.no.value, run.epoch);
        return text("reclaim:{}", runs);
    }
    std::string operator()(const store::NoteDeath& v) const {
        std::string runs;
        for (const auto& one : v.executing)
            runs += text(" {}@{}", one.lease.run.value, one.lease.epoch);
        return text("death of {} in{}, {} charged", v.worker, runs, v.charged.size());
    }
    std::string operator()(const store::Control& v) const {
        return text("control {} {} {}", v.run_id, static_cast<int>(v.kind),
                    static_cast<int>(v.outcome));
    }
    template <class Other>
    std::string operator()(const Other&) const {
        return "other";
    }
};

}  // namespace

std::string describe(const store::Batch& batch) {
    std::vector<std::string> parts;
    for (const store::Verb& verb : batch.verbs) parts.push_back(std::visit(Describe{}, verb));
    for (const store::Woken& woken : batch.woken) {
        parts.push_back(fmt::format("wakes {} {}{}", woken.run.value, woken.topic, woken.path));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace belay::test
