// await_call.hpp — calls that wait for a message or for another run, and those that send and start.
//
// Internal to the headers; programs use Context.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/error.hpp>
#include <belay/step.hpp>

namespace belay::detail {

template <class In>
concept ChildInput = !std::is_same_v<std::remove_cvref_t<In>, ChildOptions>;

inline const ChildOptions& no_child_options() {
    static const ChildOptions none;
    return none;
}

// Options that are built inside the co_await expression.
template <class Dependent>
consteval void check_named() {
    static_assert(!kTemporariesDieTwice || sizeof(Dependent) == 0,
                  "belay: options built inside the co_await expression would be destroyed twice "
                  "here (a g++ 12 bug). "
                  "Name them first: const belay::ChildOptions named{.id = id}; co_await "
                  "ctx.child(\"KEY\", input, "
                  "named);");
}

// What came from outside may not fit the type that the code wants: then the await throws StepFailed, the
// same in a replay.
template <class R>
class OutsideCall : public CallOf<R> {
public:
    using CallOf<R>::CallOf;

    void accept(std::string_view record) final {
        try {
            read(record);
        } catch (const Error& error) {
            this->loop.error = std::make_exception_ptr(StepFailed(
                error.code(), "what came for `" + this->name + "` does not fit: " + error.what(),
                this->name, this->path));
        }
    }

protected:
    virtual void read(std::string_view record) = 0;
};

// The record is `[message]`, or `[]` when the time was over first.
template <class T>
class ReceiveCall final : public OutsideCall<T> {
public:
    ReceiveCall(Context& context, std::string_view topic)
        : OutsideCall<T>(context, CallKind::Receive, topic), message_{std::string(topic), {}} {}

    AwaitedMessage* message() override { return &message_; }

    void check(std::string_view record) const override {
        static_cast<void>(from_json<std::vector<T>>(record));
    }

protected:
    void read(std::string_view record) override {
        auto messages = from_json<std::vector<T>>(record);
        this->value.emplace(std::move(messages.at(0)));
    }

private:
    AwaitedMessage message_;
};

template <class T>
class ReceiveForCall final : public OutsideCall<std::optional<T>> {
public:
    ReceiveForCall(Context& context, std::string_view topic, Duration timeout)
        : OutsideCall<std::optional<T>>(context, CallKind::Receive, topic), message_{
                                                                                std::string(topic),
                                                                                timeout} {}

    AwaitedMessage* message() override { return &message_; }

    void check(std::string_view record) const override {
        static_cast<void>(from_json<std::vector<T>>(record));
    }

protected:
    void read(std::string_view record) override {
        auto messages = from_json<std::vector<T>>(record);
        this->value.emplace();
        if (!messages.empty()) *this->value = std::move(messages[0]);
    }

private:
    AwaitedMessage message_;
};

template <class R>
class ChildCall final : public OutsideCall<R> {
public:
    ChildCall(Context& context, std::string_view workflow, std::string input,
              const ChildOptions& options)
        : OutsideCall<R>(context, CallKind::Child, options.name.empty() ? workflow : options.name) {
        child_.workflow = workflow;
        child_.input = std::move(input);
        child_.options = options;
    }

    AwaitedChild* child() override { return &child_; }

protected:
    void read(std::string_view record) override { this->value.emplace(from_json<Kept<R>>(record)); }

private:
    AwaitedChild child_;
};

// Starts a run in the commit of its own record.
class StartCall final : public StepCall<std::string> {
public:
    StartCall(Context& context, std::string_view workflow, std::string input,
              const ChildOptions& options)
        : StepCall(context, CallKind::Transaction, options.name.empty() ? workflow : options.name,
                   {}),
          when_parent_ends_(options.when_parent_ends.value_or(WhenParentEnds::Leave)),
          child_{std::string(workflow), std::move(input), {}} {
        has_commit_part = true;
        options_.id = options.id;
        options_.delay = options.delay;
        options_.file_id = options.file_id;
        options_.content_hash = options.content_hash;
        options_.queue = options.queue;
        options_.priority = options.priority;
        options_.partition = options.partition;
        options_.labels = options.labels;
    }

    std::string commit(Tx& tx) override {
        keep(when_parent_ends_ == WhenParentEnds::Leave
                 ? tx.submit_json(child_.workflow, child_.input, options_)
                 : tx.submit_child_json(child_.workflow, child_.input, options_, path));
        return found.output;
    }

    const StartedChild* started_child() override {
        if (when_parent_ends_ != WhenParentEnds::Wait) return nullptr;
        if (value) child_.id = *value;
        return &child_;
    }

private:
    WhenParentEnds when_parent_ends_;
    StartedChild child_;
    SubmitOptions options_;
};

// Sends a message in the commit of its own record: once (rule 8).
class SendCall final : public StepCall<void> {
public:
    SendCall(Context& context, std::string_view run_id, std::string_view topic, std::string payload)
        : StepCall(context, CallKind::Transaction, topic, {}), run_id_(run_id), topic_(topic),
          payload_(std::move(payload)) {
        has_commit_part = true;
    }

    std::string commit(Tx& tx) override {
        tx.send_json(run_id_, topic_, payload_, {});
        keep(Nothing{});
        return found.output;
    }

private:
    std::string run_id_;
    std::string topic_;
    std::string payload_;
};

}  // namespace belay::detail
