// fan_call.hpp — a fan under way: which branches have begun, which have ended, and what that decides.
//
// Internal to the headers; programs use ctx.map, ctx.all and ctx.race. A fan is a stage of its own. Its
// row says first how many branches there are, so that a replay with another number is noticed; a branch
// is a stage inside it, at the path of its number. The engine tells the fan of each branch that ends,
// once, in any order: joining costs the same for every branch. When the outcome follows from the branches
// alone (all of them have ended), the fan's own record is derived and nobody waits for it. When it does
// not (a race, a failure that stops the others), it is a checkpoint, committed together with the losers'
// `skipped`, and the code goes on after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <belay/codec.hpp>
#include <belay/context.hpp>
#include <belay/error.hpp>

namespace belay {

// When a fan ends, and what a failed branch means for the others.
enum class FanPolicy {
    FailFast,  // the first failure stops the others and fails the fan
    WaitAll,   // every branch ends; then any failure fails the fan, with every error
    Collect,   // every branch ends; results and errors are for the code to judge
    AtLeast,   // so many successes stop the others; when they cannot be reached any more it fails
    Race,      // the first to end, however, stops the others and is the outcome
};

namespace detail {

// What is recorded of a fan: its size from the start, the rest with its end.
struct FanRecord {
    std::uint64_t size = 0;
    std::vector<std::string> names{};  // of all and race; those of a map follow from its own
    std::vector<std::uint64_t>
        counted{};  // the branches that decided it, unless it was all of them
    std::vector<BranchFailure> failures{};  // the first kFanFailuresKept of them
    std::uint64_t failed = 0;
};
BOOST_DESCRIBE_STRUCT(FanRecord, (), (size, names, counted, failures, failed))

inline constexpr std::size_t kFanFailuresKept = 1000;

class FanCall : public Call, public std::enable_shared_from_this<FanCall> {
public:
    FanCall(Context& context, std::string_view name, std::size_t size);
    ~FanCall() override;

    FanPolicy policy = FanPolicy::FailFast;
    std::size_t needed = 1;  // AtLeast
    std::size_t width = 0;   // branches under way at once; 0: all

    // ---- for the code that awaits it

    std::size_t size() const { return states_.size(); }
    bool has_succeeded(std::size_t branch) const { return states_[branch] == State::Succeeded; }
    // Why a branch failed; of the first kFanFailuresKept, otherwise an empty one.
    BranchFailure failure(std::size_t branch) const;
    std::size_t winner() const { return winner_; }

    // Begins what may begin. True: the fan is over and the code goes on at once; otherwise `waiter` is
    // resumed when it is.
    bool start();
    // Its outcome is recorded: each branch that counts takes its value from its own record. False if one
    // has none; the run is then stopped.
    bool replay();

    // The run is about to be undone: every branch goes as far as it was recorded, also one that had lost.
    void visit();

    // ---- for the engine, on the run's own turn

    const FanRecord& record() const { return record_; }
    // Throws Error{BadValue} if the record is of a fan of another size or with other branches.
    void accept(std::string_view record) override;
    std::exception_ptr failure_as_error() const;
    bool has_failed() const { return failed_; }
    Context& sink() { return sink_; }

    // Calls inside it that were under way when it was decided.
    std::vector<std::shared_ptr<Call>> left_behind;

    void branch_ended(Call& branch);
    // One of those that had lost and could not be stopped at once has ended.
    void loser_ended();
    // Its outcome is durable.
    void ended() { loop.waiter.resume(); }

protected:
    // Makes the call of one branch; asked once for each.
    virtual std::shared_ptr<Call> make_branch(std::size_t branch) = 0;
    virtual void take_value(std::size_t branch, Call& call) = 0;
    void set_names(std::vector<std::string> names) { record_.names = std::move(names); }

private:
    enum class State : std::uint8_t { NotBegun, UnderWay, Succeeded, Failed };

    std::shared_ptr<Call> prepare(std::size_t branch);
    // False: the run goes no further.
    bool begin_branch(std::size_t branch);
    void note_end(std::size_t branch, Call& call);
    void decide();
    void decide_as(bool failed);
    // Begins more branches, or ends the fan. True: it has ended and the code may go on.
    bool go_on();

    FanRecord record_;
    std::vector<State> states_;
    std::unordered_map<std::size_t, Task<void>> tasks_;  // of branches that are coroutines
    std::vector<std::shared_ptr<Call>> visited_;         // by visit(): a branch is made once
    Context sink_;  // sees the ends of branches; the code sees one time, when the fan has ended
    std::size_t next_ = 0;
    std::size_t under_way_ = 0;
    std::size_t succeeded_ = 0;
    std::size_t losers_ = 0;  // that could not be stopped at once
    std::size_t winner_ = 0;  // the first to end
    bool anyone_ended_ = false;
    bool decided_ = false;
    bool stopped_others_ = false;
    bool failed_ = false;
    bool ending_ = false;
};

}  // namespace detail
}  // namespace belay
