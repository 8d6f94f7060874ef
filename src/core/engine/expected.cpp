#include "core/engine/expected.hpp"

#include <fmt/format.h>

namespace belay::engine {

using belay::detail::Call;

namespace {

std::string key_of(std::string_view organization, std::string_view run, std::string_view topic) {
    return fmt::format("{}\n{}\n{}", organization, run, topic);
}

std::string key_of(const Call& receive) {
    const auto& run = *receive.run_shared;
    return key_of(run.organization_id, run.id, receive.message()->topic);
}

}  // namespace

void Expected::add(const std::shared_ptr<Call>& receive) {
    const std::lock_guard lock(mutex_);
    auto& calls = waiting_[key_of(*receive)];
    for (const auto& call : calls) {
        if (call.lock() == receive) return;
    }
    calls.push_back(receive);
}

void Expected::remove(const Call& receive) {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(key_of(receive));
    if (found == waiting_.end()) return;
    std::erase_if(found->second, [&](const auto& weak) {
        const auto call = weak.lock();
        return !call || call.get() == &receive;
    });
    if (found->second.empty()) waiting_.erase(found);
}

std::string Expected::misfit(const model::NewMessage& message) const {
    std::vector<std::shared_ptr<Call>> calls;
    {
        const std::lock_guard lock(mutex_);
        const auto found =
            waiting_.find(key_of(message.organization_id, message.run_id, message.topic));
        if (found == waiting_.end()) return {};
        for (const auto& weak : found->second) {
            if (auto call = weak.lock()) calls.push_back(std::move(call));
        }
    }
    std::string why;
    for (const auto& call : calls) {
        why = misfit_of(*call, fmt::format("[{}]", message.payload));
        if (why.empty()) return {};
    }
    if (why.empty()) return {};
    return fmt::format("the message on topic `{}` for run `{}` does not fit what it waits for: {}",
                       message.topic, message.run_id, why);
}

std::string misfit_of(const Call& receive, std::string_view record) {
    try {
        receive.check(record);
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace belay::engine
