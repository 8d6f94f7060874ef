// What every object store does, whichever it is: conformance_kinds_test.cpp lists them.
#include <algorithm>

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "ingestion/objects/conformance_bench.hpp"
#include "service/http/curl_client.hpp"
#include "service/http/digest.hpp"

namespace belay::objects {
namespace {

constexpr std::uint64_t kPlenty = 1ULL << 30;

// Bytes that differ everywhere, so that a wrong offset is seen.
std::string pattern(std::size_t size, unsigned seed = 1) {
    std::string bytes(size, '\0');
    std::uint32_t state = seed;
    for (auto& byte : bytes) {
        state = state * 1664525 + 1013904223;
        byte = static_cast<char>(state >> 24);
    }
    return bytes;
}

class Conformance : public testing::TestWithParam<StoreKind> {
protected:
    std::vector<std::string> keys(std::string_view prefix) {
        std::vector<std::string> keys;
        for (const auto& object : store.list(prefix).objects) keys.push_back(object.key.text());
        return keys;
    }

    std::unique_ptr<StoreUnderTest> bench = GetParam().make();
    Store& store = bench->store();
};

INSTANTIATE_TEST_SUITE_P(, Conformance, testing::ValuesIn(store_kinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Conformance, an_object_comes_back_with_all_that_was_said_about_it) {
    const Description description{"image/jpeg",
                                  {{"workflow_type", "receipt"}, {"name", "kvitto å 100%.jpg"}}};

    const auto put = store.put(Key{"acme/a.jpg"}, "hello", description);
    const auto head = store.head(Key{"acme/a.jpg"});

    EXPECT_EQ(put.key.text(), "acme/a.jpg");
    EXPECT_EQ(put.etag, http::md5_hex("hello"));
    EXPECT_EQ(put.size, 5U);
    EXPECT_EQ(put.content_type, "image/jpeg");
    EXPECT_EQ(put.sha256, base::sha256_hex(std::string_view{"hello"}));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->key, put.key);
    EXPECT_EQ(head->etag, put.etag);
    EXPECT_EQ(head->size, put.size);
    EXPECT_EQ(head->content_type, put.content_type);
    EXPECT_EQ(head->sha256, put.sha256);
    EXPECT_EQ(head->metadata, description.metadata);
    EXPECT_EQ(store.get(Key{"acme/a.jpg"}, 100), "hello");
}

TEST_P(Conformance, what_is_not_there_is_a_value) {
    EXPECT_FALSE(store.head(Key{"acme/none"}));
    EXPECT_EQ(store.open(Key{"acme/none"}), nullptr);
    EXPECT_FALSE(store.get(Key{"acme/none"}, 100));
    EXPECT_NO_THROW(store.remove(Key{"acme/none"}));
    EXPECT_TRUE(store.list("acme/").objects.empty());
}

TEST_P(Conformance, bytes_of_every_size_come_back_as_they_were) {
    // Around the sizes where stores change their ways: empty, inline or not, one part or many.
    for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 65'537U, 1'000'000U, 17'000'000U}) {
        const auto bytes = pattern(size);
        const auto writer = store.begin(kPlenty);
        for (std::size_t at = 0; at < size; at += 100'000)
            writer->write(std::string_view{bytes}.substr(at, 100'000));
        EXPECT_EQ(writer->size(), size);
        const auto put = writer->finish(Key{"acme/bytes"}, {});

        EXPECT_EQ(put.size, size);
        EXPECT_EQ(put.sha256, base::sha256_hex(std::string_view{bytes}));
        EXPECT_TRUE(store.get(Key{"acme/bytes"}, kPlenty) == bytes) << size;
        EXPECT_EQ(store.head(Key{"acme/bytes"})->etag, put.etag);
        EXPECT_EQ(put.etag == http::md5_hex(bytes), size <= kMd5BytesMax) << put.etag;
    }
}

TEST_P(Conformance, a_range_is_exactly_those_bytes) {
    for (const std::size_t size : {1000U, 200'000U}) {
        const auto bytes = pattern(size);
        store.put(Key{"acme/range"}, bytes);
        const auto range = [&](std::uint64_t offset, std::uint64_t length) {
            return store.get(Key{"acme/range"}, kPlenty, {offset, length}).value();
        };

        EXPECT_EQ(range(0, 1), bytes.substr(0, 1));
        EXPECT_EQ(range(10, 500), bytes.substr(10, 500));
        EXPECT_EQ(range(size - 1, 1), bytes.substr(size - 1));
        EXPECT_EQ(range(size - 10, 1000), bytes.substr(size - 10));
        EXPECT_EQ(range(size, 10), "");
        EXPECT_EQ(range(size + 1000, 10), "");
        EXPECT_EQ(range(5, 0), "");
    }
}

TEST_P(Conformance, a_stream_gives_the_bytes_in_pieces_and_then_ends) {
    const auto bytes = pattern(300'000);
    store.put(Key{"acme/stream"}, bytes);

    const auto reader = store.open(Key{"acme/stream"}, {100, 250'000});
    EXPECT_EQ(reader->length(), 250'000U);
    EXPECT_EQ(reader->object().size, 300'000U);
    std::string got;
    std::string piece(7777, '\0');
    while (const auto count = reader->read(std::as_writable_bytes(std::span(piece))))
        got += piece.substr(0, count);

    EXPECT_TRUE(got == bytes.substr(100, 250'000));
    EXPECT_EQ(reader->read(std::as_writable_bytes(std::span(piece))), 0U);
}

TEST_P(Conformance, an_address_for_downloads_works_for_whoever_has_it) {
    const auto bytes = pattern(100'000);
    store.put(Key{"acme/kvitto å.jpg"}, bytes, {"image/jpeg", {}});
    const auto url =
        store.download_url(Key{"acme/kvitto å.jpg"}, std::chrono::minutes{10}, "mitt kvitto.jpg");
    if (!url) return;  // a folder has none: the server gives the bytes itself

    http::CurlClient stranger{{.addresses = http::AddressPolicy::any()}};
    const auto response = stranger.send({.url = *url});

    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_TRUE(response.body == bytes);
    EXPECT_EQ(response.headers.get("content-type"), "image/jpeg");
    EXPECT_EQ(stranger.send({.url = *url + "0"}).status, 403);
}

TEST_P(Conformance, a_second_put_replaces_bytes_and_metadata) {
    store.put(Key{"acme/a"}, pattern(100'000), {"text/plain", {{"one", "1"}}});
    store.put(Key{"acme/a"}, "new", {"text/html", {{"two", "2"}}});

    const auto head = store.head(Key{"acme/a"});
    EXPECT_EQ(head->size, 3U);
    EXPECT_EQ(head->content_type, "text/html");
    EXPECT_EQ(head->metadata, (Metadata{{"two", "2"}}));
    EXPECT_EQ(store.get(Key{"acme/a"}, 100), "new");
}

TEST_P(Conformance, the_same_bytes_under_two_keys_are_two_objects) {
    const auto bytes = pattern(100'000);
    store.put(Key{"acme/a"}, bytes);
    store.put(Key{"other/b"}, bytes);

    store.remove(Key{"acme/a"});

    EXPECT_FALSE(store.head(Key{"acme/a"}));
    EXPECT_TRUE(store.get(Key{"other/b"}, kPlenty) == bytes);
}

TEST_P(Conformance, a_writer_that_is_dropped_leaves_nothing) {
    {
        const auto writer = store.begin(kPlenty);
        writer->write(pattern(200'000));
    }
    EXPECT_TRUE(store.list("").objects.empty());
}

TEST_P(Conformance, more_bytes_than_allowed_are_refused_with_the_limit) {
    const auto writer = store.begin(100'000);
    writer->write(pattern(100'000));
    try {
        writer->write("x");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::PayloadTooLarge);
        EXPECT_STREQ(error.what(), "the object has more than 100000 bytes, the limit");
    }
}

TEST_P(Conformance, more_bytes_than_asked_for_are_not_read) {
    store.put(Key{"acme/a"}, "12345");
    EXPECT_THROW(store.get(Key{"acme/a"}, 4), Error);
    EXPECT_EQ(store.get(Key{"acme/a"}, 4, {0, 4}), "1234");
}

TEST_P(Conformance, a_description_that_cannot_be_kept_is_refused) {
    const auto put = [&](const Description& description) {
        store.put(Key{"acme/a"}, "x", description);
    };
    EXPECT_THROW(put({"text/plain\r\nX: y", {}}), Error);
    EXPECT_THROW(put({"", {}}), Error);
    EXPECT_THROW(put({"text/plain", {{"Upper", "x"}}}), Error);
    EXPECT_THROW(put({"text/plain", {{"a", "line\nbreak"}}}), Error);
    EXPECT_THROW(put({"text/plain", {{"a", std::string(2001, 'x')}}}), Error);
    EXPECT_FALSE(store.head(Key{"acme/a"}));
}

TEST_P(Conformance, keys_with_strange_characters_are_kept_apart) {
    const std::vector<std::string> strange{
        "acme/a b+c", "acme/a%20b", "acme/a~b",    "acme/å/ö?x=1&y#z", "acme/a/b", "acme/a",
        "acme/a.o",   "acme/a.d/x", "acme/(1)*'!", "acme/\"q\"",       "acme/<&>"};
    for (const auto& key : strange) store.put(Key{key}, key);
    for (const auto& key : strange) EXPECT_EQ(store.get(Key{key}, 100), key);

    auto sorted = strange;
    std::ranges::sort(sorted);
    EXPECT_EQ(keys("acme/"), sorted);
    for (const auto& key : strange) store.remove(Key{key});
    EXPECT_TRUE(keys("").empty());
}

TEST_P(Conformance, a_listing_has_the_keys_with_the_prefix_in_order) {
    for (const auto* key : {"b/1", "a/x/2", "a/x", "a/x.1", "a/x/1", "ab/1", "a/w"})
        store.put(Key{key}, key);

    EXPECT_EQ(keys("a/"), (std::vector<std::string>{"a/w", "a/x", "a/x.1", "a/x/1", "a/x/2"}));
    EXPECT_EQ(keys("a/x/"), (std::vector<std::string>{"a/x/1", "a/x/2"}));
    EXPECT_EQ(keys("a"),
              (std::vector<std::string>{"a/w", "a/x", "a/x.1", "a/x/1", "a/x/2", "ab/1"}));
    EXPECT_EQ(keys("c"), std::vector<std::string>{});
    const auto listed = store.list("b/").objects.at(0);
    EXPECT_EQ(listed.size, 3U);
    EXPECT_EQ(listed.etag, http::md5_hex("b/1"));
}

TEST_P(Conformance, a_listing_goes_on_where_its_cursor_says) {
    std::vector<std::string> all;
    for (int i = 0; i < 25; ++i) {
        all.push_back("acme/" + std::string(1, static_cast<char>('a' + i / 5)) + "/" +
                      std::to_string(i % 5));
        store.put(Key{all.back()}, "x");
    }

    for (const std::size_t limit : {1U, 4U, 5U, 24U, 25U, 26U}) {
        std::vector<std::string> got;
        std::optional<std::string> cursor;
        do {
            const auto page = store.list("acme/", cursor, limit);
            EXPECT_LE(page.objects.size(), limit);
            for (const auto& object : page.objects) got.push_back(object.key.text());
            cursor = page.next_cursor;
        } while (cursor);
        EXPECT_EQ(got, all) << "with a limit of " << limit;
    }
}

}  // namespace
}  // namespace belay::objects
