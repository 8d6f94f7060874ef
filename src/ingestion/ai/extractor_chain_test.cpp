#include "ingestion/ai/extractor_chain.hpp"

#include <functional>

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "ingestion/ai/spending.hpp"

namespace belay::ai {
namespace {

using namespace std::chrono_literals;

Cost cents(const std::string& amount) {
    Cost cost;
    cost.pay(Money(amount, "USD"));
    return cost;
}

class Scripted final : public Extractor {
public:
    Scripted(std::string name, std::function<Extraction()> answer)
        : name_(std::move(name)), answer_(std::move(answer)) {}

    Extraction extract(const Task&, const std::string&, std::stop_token) override {
        return answer_();
    }
    std::string model() const override { return name_; }

private:
    std::string name_;
    std::function<Extraction()> answer_;
};

std::function<Extraction()> says(const std::string& what, const std::string& cost) {
    return [=] { return Extraction{boost::json::value(what), what, cents(cost)}; };
}
template <class Failure>
std::function<Extraction()> fails(Failure failure, const std::string& cost) {
    return [=]() -> Extraction {
        Spending::add(cents(cost));
        throw failure;
    };
}

ExtractorChain chain_of(std::vector<std::function<Extraction()>> answers) {
    std::vector<ExtractorChain::Link> links;
    for (auto& answer : answers) {
        const std::string number = std::to_string(links.size() + 1);
        links.push_back(
            {"server " + number, std::make_unique<Scripted>("model " + number, std::move(answer))});
    }
    return ExtractorChain(std::move(links));
}

const Schema kAnything{boost::json::object{}};
Task task() { return {"task", "Do it.", kAnything}; }

TEST(ExtractorChain, the_first_that_answers_is_taken_and_pays_for_those_before_it) {
    Spending::take();
    Spending::add(cents("9"));  // somebody else's
    auto chain = chain_of({fails(NonRetryable("it refuses"), "1"),
                           fails(std::runtime_error("it is late"), "2"), says("yes", "4"),
                           says("never asked", "8")});

    const Extraction found = chain.extract(task(), "text");

    EXPECT_EQ(found.model, "yes");
    EXPECT_EQ(found.provider, "server 3");
    EXPECT_EQ(found.passed_over, (std::vector<std::string>{"it refuses", "it is late"}));
    EXPECT_EQ(found.cost.money.at("USD").amount(), "7");
    EXPECT_EQ(Spending::take().money.at("USD").amount(), "9");
}

TEST(ExtractorChain, an_answer_that_the_task_refuses_is_passed_over_but_the_last_is_given) {
    auto chain = chain_of({says("wrong", "1"), says("wrong as well", "2")});
    Task asked = task();
    asked.refuses = [](const boost::json::value& answer) {
        return std::string(answer.as_string().starts_with("wrong") ? "it is wrong" : "");
    };

    const Extraction found = chain.extract(asked, "text");

    EXPECT_EQ(found.model, "wrong as well");
    EXPECT_EQ(found.passed_over, std::vector<std::string>{"wrong was not taken: it is wrong"});
    EXPECT_EQ(found.cost.money.at("USD").amount(), "3");
}

TEST(ExtractorChain, when_none_answers_it_fails_as_the_one_that_may_still_answer) {
    const auto outcome = [](std::vector<std::function<Extraction()>> answers) -> std::string {
        auto chain = chain_of(std::move(answers));
        Spending::take();
        try {
            chain.extract(task(), "text");
            return "answered";
        } catch (const RetryAfter& busy) {
            return "after " + std::to_string(busy.after().count()) + ": " + busy.what();
        } catch (const NonRetryable& refused) {
            return std::string("final: ") + refused.what();
        } catch (const std::exception& failed) {
            return std::string("again: ") + failed.what();
        }
    };

    EXPECT_EQ(outcome({fails(NonRetryable("no"), "1"), fails(NonRetryable("nor I"), "1")}),
              "final: no; nor I");
    EXPECT_EQ(Spending::take().money.at("USD").amount(), "2");
    EXPECT_EQ(outcome({fails(std::runtime_error("late"), "1"), fails(NonRetryable("no"), "1")}),
              "again: late; no");
    EXPECT_EQ(outcome({fails(RetryAfter("busy", 20s), "1"), fails(RetryAfter("busier", 10s), "1")}),
              "after 10000: busy; busier");
    EXPECT_EQ(outcome({fails(RetryAfter("busy", 20s), "1")}), "after 20000: busy");
}

TEST(ExtractorChain, who_is_asked_to_stop_asks_nobody_else) {
    std::stop_source stop;
    int asked = 0;
    auto chain = chain_of({[&]() -> Extraction {
                               stop.request_stop();
                               throw std::runtime_error("stopped");
                           },
                           [&]() -> Extraction {
                               ++asked;
                               return says("yes", "1")();
                           }});
    EXPECT_THROW(chain.extract(task(), "text", stop.get_token()), std::runtime_error);
    EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace belay::ai
