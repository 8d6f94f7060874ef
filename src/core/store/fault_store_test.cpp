#include "core/store/fault_store.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/store/memory/memory_store.hpp"

namespace belay::store {
namespace {

class FaultStoreTest : public testing::Test {
protected:
    Batch submit(const std::string& id) {
        Submit verb;
        verb.run.id = id;
        verb.run.workflow_key = "invoice";
        Batch batch;
        batch.verbs.emplace_back(std::move(verb));
        return batch;
    }
    ErrorCode commit_fails(const std::string& id) {
        Batch batch = submit(id);
        try {
            store.commit(batch);
        } catch (const Error& e) {
            return e.code();
        }
        ADD_FAILURE() << "the commit did not fail";
        return ErrorCode::Stopped;
    }
    void commit(const std::string& id) {
        Batch batch = submit(id);
        store.commit(batch);
    }
    bool exists(const std::string& id) { return store.find_run(id).has_value(); }

    FaultStore store{std::make_unique<MemoryStore>()};
};

TEST_F(FaultStoreTest, without_orders_it_is_the_store_inside) {
    commit("a");

    EXPECT_TRUE(exists("a"));
    EXPECT_EQ(store.commits(), 1);
    EXPECT_EQ(store.name(), "memory");
}

TEST_F(FaultStoreTest, the_nth_commit_fails_before_it_happens) {
    store.fail_commit(2, Fault::Unavailable);

    commit("a");
    EXPECT_EQ(commit_fails("b"), ErrorCode::StoreUnavailable);
    commit("c");

    EXPECT_TRUE(exists("a"));
    EXPECT_FALSE(exists("b"));
    EXPECT_TRUE(exists("c"));
    EXPECT_EQ(store.commits(), 3);
}

TEST_F(FaultStoreTest, an_unknown_commit_has_happened_or_has_not) {
    store.fail_commit(1, Fault::UnknownApplied);
    store.fail_commit(2, Fault::UnknownLost);

    EXPECT_EQ(commit_fails("applied"), ErrorCode::CommitUnknown);
    EXPECT_EQ(commit_fails("lost"), ErrorCode::CommitUnknown);

    EXPECT_TRUE(exists("applied"));
    EXPECT_FALSE(exists("lost"));
}

TEST_F(FaultStoreTest, the_outcomes_of_an_unknown_commit_are_not_told) {
    store.fail_commit(1, Fault::UnknownApplied);
    Batch batch = submit("applied");

    EXPECT_THROW(store.commit(batch), Error);

    const auto& outcome = std::get<Submit>(batch.verbs[0]).outcome;
    EXPECT_FALSE(std::get<SubmitOutcome>(outcome).run.no);
}

TEST_F(FaultStoreTest, a_crash_before_a_commit_loses_it_and_one_after_it_does_not) {
    store.before_commit = [](std::int64_t n, const Batch&) {
        if (n == 1) throw CrashHere{n};
    };
    store.after_commit = [](std::int64_t n, const Batch&) {
        if (n == 2) throw CrashHere{n};
    };

    EXPECT_THROW(commit("before"), CrashHere);
    EXPECT_THROW(commit("after"), CrashHere);

    EXPECT_FALSE(exists("before"));
    EXPECT_TRUE(exists("after"));
}

TEST_F(FaultStoreTest, reopening_fails_as_often_as_it_is_told) {
    store.fail_reopens(2);

    EXPECT_THROW(store.reopen(), Error);
    EXPECT_THROW(store.reopen(), Error);
    EXPECT_NO_THROW(store.reopen());
    EXPECT_EQ(store.reopens(), 3);
}

}  // namespace
}  // namespace belay::store
