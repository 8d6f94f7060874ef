#include "service/api/veil.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::api {
namespace {

TEST(Veil, the_ids_that_an_organization_chose_are_called_as_it_called_them) {
    const Veil veil{"default"};
    EXPECT_EQ(
        veil.json("acme", R"({"id":"chosen@acme/july","error":"no run `chosen@acme/july/3`"})"),
        R"({"id":"july","error":"no run `july/3`"})");
    EXPECT_EQ(veil.json("default", R"({"id":"chosen@default/a/b"})"), R"({"id":"a/b"})");
    EXPECT_EQ(veil.json("other", R"("chosen@acme/july")"), R"("chosen@acme/july")");
}

TEST(Veil, an_organization_whose_name_needs_escapes_has_its_ids_too) {
    const Veil veil{"default"};
    EXPECT_EQ(veil.json(R"(a"b)", R"({"id":"chosen@a\"b/july"})"), R"({"id":"july"})");
}

TEST(Veil, guests_do_not_read_where_they_are_and_the_host_does) {
    Veil veil{"default"};
    veil.hide("/var/lib/belay", "(the data folder)");
    veil.hide("/var/lib/belay/belay.db", "(the store)");
    veil.hide("/", "never");

    const std::string text = R"({"error":"/var/lib/belay/belay.db: no space in /var/lib/belay"})";

    EXPECT_EQ(veil.json("acme", text),
              R"j({"error":"(the store): no space in (the data folder)"})j");
    EXPECT_EQ(veil.json("", text), veil.json("acme", text));
    EXPECT_EQ(veil.json("default", text), text);
}

TEST(Veil, a_failure_of_the_store_is_told_without_its_place) {
    const Error full(ErrorCode::StoreUnavailable,
                     "the disk is full: free space in /srv and the runs go on (/srv/belay.db)");
    const Error gone(ErrorCode::StoreUnavailable,
                     "postgres://db.internal/belay cannot be reached: user \"belay\"");

    EXPECT_EQ(told_to_strangers(full),
              "the disk is full: nothing is written until there is room again; try later");
    EXPECT_EQ(told_to_strangers(gone), "the store cannot be used now; try again later");
    EXPECT_EQ(told_to_strangers(Error(ErrorCode::Overloaded, "9 writes wait")), "9 writes wait");
}

TEST(Veil, a_worker_is_told_without_its_host) {
    EXPECT_EQ(worker_for_strangers("srv-17.example/7/abc"), "worker/7/abc");
    EXPECT_EQ(worker_for_strangers(""), "");
}

}  // namespace
}  // namespace belay::api
