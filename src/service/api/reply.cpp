#include "service/api/reply.hpp"

#include <stdexcept>
#include <utility>

namespace belay::api {

class Awaited::State {
public:
    explicit State(std::function<void()> rings) : rings_(std::move(rings)) {}

    bool end(ReplyOutcome outcome) {
        std::function<void()> ring;
        {
            const std::lock_guard lock(mutex_);
            if (ended_) return false;
            ended_ = true;
            outcome_ = std::move(outcome);
            gone_call_ = nullptr;
            ring = std::exchange(rings_, nullptr);
        }
        if (ring) ring();
        return true;
    }

    bool leave() {
        std::function<void()> gone;
        {
            const std::lock_guard lock(mutex_);
            rings_ = nullptr;
            if (ended_) return false;
            ended_ = true;
            gone_ = true;
            gone = std::exchange(gone_call_, nullptr);
        }
        if (gone) gone();
        return true;
    }

    std::optional<ReplyOutcome> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(outcome_, std::nullopt);
    }

    bool is_gone() const {
        const std::lock_guard lock(mutex_);
        return gone_;
    }

    void on_gone(std::function<void()> call) {
        {
            const std::lock_guard lock(mutex_);
            if (!gone_) {
                if (!ended_) gone_call_ = std::move(call);
                return;
            }
        }
        call();
    }

private:
    mutable std::mutex mutex_;
    std::function<void()> rings_;
    std::function<void()> gone_call_;
    std::optional<ReplyOutcome> outcome_;
    bool ended_ = false;  // answered, or given up
    bool gone_ = false;
};

Awaited::Awaited(std::function<void()> rings) : state_(std::make_shared<State>(std::move(rings))) {}
Awaited::~Awaited() { state_->leave(); }
std::optional<ReplyOutcome> Awaited::take() { return state_->take(); }
bool Awaited::give_up() { return state_->leave(); }

class Reply::Last {
public:
    explicit Last(std::shared_ptr<Awaited::State> state) : state_(std::move(state)) {}
    ~Last() {
        state_->end(std::make_exception_ptr(std::logic_error("a request was dropped unanswered")));
    }
    Awaited::State& state() { return *state_; }

private:
    std::shared_ptr<Awaited::State> state_;
};

Reply::Reply(const Awaited& awaited) : last_(std::make_shared<Last>(awaited.state())) {}
bool Reply::answer(Response response) const { return last_->state().end(std::move(response)); }
bool Reply::fail(std::exception_ptr error) const { return last_->state().end(std::move(error)); }
bool Reply::is_gone() const { return last_->state().is_gone(); }
void Reply::on_gone(std::function<void()> gone) const { last_->state().on_gone(std::move(gone)); }

}  // namespace belay::api
