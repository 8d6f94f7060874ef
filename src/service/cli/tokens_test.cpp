#include "service/cli/tokens.hpp"

#include <gtest/gtest.h>

#include "service/cli/cli_test.hpp"

namespace belay::cli {
namespace {

TEST(TokensCommand, without_an_executor_the_row_is_written_here) {
    CliBench b;
    EXPECT_TRUE(tokens_of(b.outside, b.clock).empty());
    const auto token = api::make_token("acme", "ci");

    change_tokens_here(b.store, b.clock, token.request);

    const auto tokens = tokens_of(b.outside, b.clock);
    ASSERT_EQ(tokens.size(), 1u);
    EXPECT_EQ(tokens[0].id, token.id);
    EXPECT_EQ(tokens[0].organization_id, "acme");
    EXPECT_EQ(tokens[0].created_at, b.now());
    change_tokens_here(b.store, b.clock, api::revoke_request(token.id));
    EXPECT_TRUE(tokens_of(b.outside, b.clock)[0].revoked_at);
    EXPECT_THROW(change_tokens_here(b.store, b.clock, api::revoke_request("tok_0")), Error);
}

TEST(TokensCommand, an_executor_is_asked_and_never_hears_the_secret) {
    CliBench b;
    const auto token = api::make_token("acme", "ci");
    const auto nap = [&](Duration) {
        for (const auto& request : b.commit(store::TakeRequests{}).outcome) {
            EXPECT_EQ(request.kind, "tokens");
            EXPECT_EQ(request.payload.find(token.secret), std::string::npos);
            b.commit(store::AnswerRequest{request.id, true, "done"});
        }
    };
    ask_to_change_tokens(b.outside, b.now(), token.request, nap);

    EXPECT_THROW(ask_to_change_tokens(b.outside, b.now(), token.request, [](Duration) {}), Error);
}

}  // namespace
}  // namespace belay::cli
