#include "ingestion/ai/extractor_chain.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <belay/error.hpp>

#include "ingestion/ai/spending.hpp"

namespace belay::ai {

namespace {

// What those that were asked in vain come to: something that another attempt may find otherwise, or not.
struct InVain {
    std::vector<std::string> reasons{};
    bool may_pass = false;
    std::optional<Duration> soonest{};  // of those who said when

    void note(const std::exception_ptr& error) {
        try {
            std::rethrow_exception(error);
        } catch (const RetryAfter& busy) {
            may_pass = true;
            soonest = std::min(soonest.value_or(busy.after()), busy.after());
            reasons.emplace_back(busy.what());
        } catch (const NonRetryable& refused) {
            reasons.emplace_back(refused.what());
        } catch (const std::exception& failed) {
            may_pass = true;
            reasons.emplace_back(failed.what());
        }
    }
    [[noreturn]] void fail() const {
        const std::string all = fmt::format("{}", fmt::join(reasons, "; "));
        if (!may_pass) throw NonRetryable(all);
        if (soonest) throw RetryAfter(all, *soonest);
        throw std::runtime_error(all);
    }
};

}  // namespace

ExtractorChain::ExtractorChain(std::vector<Link> links) : links_(std::move(links)) {
    if (links_.empty())
        throw Error(ErrorCode::InvalidArgument, "a chain of models has one at least");
}

Extraction ExtractorChain::extract(const Task& task, const std::string& text,
                                   std::stop_token stop) {
    const Cost before = Spending::take();  // on this thread, and not for this
    try {
        Extraction said = ask_in_turn(task, text, stop);
        said.cost += Spending::take();  // the others, whose answers are paid all the same
        Spending::add(before);
        return said;
    } catch (...) {
        Spending::add(before);
        throw;
    }
}

Extraction ExtractorChain::ask_in_turn(const Task& task, const std::string& text,
                                       const std::stop_token& stop) {
    if (links_.size() == 1) {
        Extraction said = links_.front().extractor->extract(task, text, stop);
        said.provider = links_.front().provider;
        return said;
    }
    InVain in_vain;
    for (const Link& link : links_) {
        const bool is_last = &link == &links_.back();
        try {
            Extraction said = link.extractor->extract(task, text, stop);
            const std::string refused =
                is_last || !task.refuses ? std::string() : task.refuses(said.value);
            if (refused.empty()) {
                said.provider = link.provider;
                said.passed_over = std::move(in_vain.reasons);
                return said;
            }
            Spending::add(said.cost);
            in_vain.may_pass = true;
            in_vain.reasons.push_back(fmt::format("{} was not taken: {}", said.model, refused));
        } catch (...) {
            if (stop.stop_requested()) throw;
            in_vain.note(std::current_exception());
        }
    }
    in_vain.fail();
}

Cost ExtractorChain::costs_at_most() const {
    Cost sum;
    for (const Link& link : links_) sum += link.extractor->costs_at_most();
    return sum;
}

std::string ExtractorChain::model() const {
    std::vector<std::string> models;
    for (const Link& link : links_) models.push_back(link.extractor->model());
    return fmt::format("{}", fmt::join(models, ", then "));
}

}  // namespace belay::ai
