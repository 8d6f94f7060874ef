#include "core/model/chosen_id.hpp"

#include <gtest/gtest.h>

namespace belay::model {
namespace {

TEST(ChosenId, two_organizations_that_choose_one_id_have_two) {
    EXPECT_NE(kept_id("acme", "july"), kept_id("other", "july"));
    EXPECT_EQ(called_id("acme", kept_id("acme", "july")), "july");
    EXPECT_EQ(called_id("acme", kept_id("acme", "july") + "/3"), "july/3");
}

TEST(ChosenId, what_another_organization_chose_is_called_as_it_is_kept) {
    EXPECT_EQ(called_id("other", kept_id("acme", "july")), kept_id("acme", "july"));
    EXPECT_EQ(called_id("acm", kept_id("acme", "july")), kept_id("acme", "july"));
}

TEST(ChosenId, no_choice_reaches_into_another_organizations_place) {
    // However it is put together: what `a` chooses stays below `a/`.
    for (const char* chosen : {"b/july", "/../b/july", "chosen@b/july", "@b/july"})
        EXPECT_TRUE(kept_id("a", chosen).starts_with("chosen@a/"));
    EXPECT_TRUE(looks_derived("chosen@acme/july"));
}

TEST(ChosenId, what_belay_derives_looks_derived_and_what_people_type_does_not) {
    for (const char* id :
         {"july/3", "july/fork-1", "imgcls_0123456789abcdef0123456789abcdef",
          "wf2_0123456789abcdef0123456789abcdef", "approval_tx_01jd3m8x4s6z7q9v2w5y8b0c1d",
          "01jd3m8x4s6z7q9v2w5y8b0c1d", "sched_nightly_2026-11-18T03:30:00Z"})
        EXPECT_TRUE(looks_derived(id)) << id;
    for (const char* id : {"july", "order-7", "550e8400-e29b-41d4-a716-446655440000", "Rechnung 7"})
        EXPECT_FALSE(looks_derived(id)) << id;
}

}  // namespace
}  // namespace belay::model
