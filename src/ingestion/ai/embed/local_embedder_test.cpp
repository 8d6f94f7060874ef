#include "ingestion/ai/embed/local_embedder.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include <belay/error.hpp>

#include <gtest/gtest.h>

#include "ingestion/ai/embed/words.hpp"

namespace belay::ai::embed {
namespace {

// A model of a few words in three dimensions: water, money, and what every text shares.
std::filesystem::path small_model() {
    const std::map<std::string, std::array<std::int8_t, 3>> words = {
        {"bank", {60, 60, 60}},  {"lake", {120, 0, 40}}, {"money", {0, 120, 40}},
        {"river", {127, 0, 30}}, {"the", {10, 10, 127}}, {"well", {90, 0, 40}}};
    WordFileHeader header;
    header.count = static_cast<std::uint32_t>(words.size());
    header.dimension = 3;
    std::strcpy(header.model, "small");
    std::string body, characters, offsets, ranks, scales, vectors;
    const auto put = [](std::string& to, const auto& value) {
        to.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (const float value : {0.f, 0.f, 1.f}) put(body, value);
    for (const auto& [word, vector] : words) {
        put(offsets, static_cast<std::uint32_t>(characters.size()));
        put(ranks, static_cast<std::uint32_t>(word == "the" ? 0 : 5000));
        put(scales, 1.f / 127);
        for (const auto value : vector) put(vectors, value);
        characters += word;
    }
    put(offsets, static_cast<std::uint32_t>(characters.size()));
    body += offsets + ranks + scales + vectors + characters;
    header.characters = characters.size();
    header.checksum = fnv1a(kFnvStart, body.data(), body.size());
    const auto path = std::filesystem::path{testing::TempDir()} / "small.vec";
    std::ofstream out{path, std::ios::binary | std::ios::trunc};
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out << body;
    return path;
}

float cosine(const Vector& a, const Vector& b) {
    float sum = 0;
    for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
    return sum;
}

Vector embed(LocalEmbedder& model, const std::string& text) {
    return model.embed(std::vector{text}).front();
}

TEST(LocalEmbedder, texts_about_the_same_point_the_same_way) {
    LocalEmbedder model{small_model()};

    const auto lake = embed(model, "The lake."), river = embed(model, "the RIVER"),
               money = embed(model, "money");

    EXPECT_EQ(model.model(), "small");
    EXPECT_EQ(model.dimension(), 3u);
    EXPECT_GT(cosine(lake, river), 0.99f);
    EXPECT_LT(cosine(lake, money), 0.1f);
    EXPECT_NEAR(cosine(lake, lake), 1, 1e-5);
}

TEST(LocalEmbedder, an_unknown_word_is_found_again_and_a_compound_is_its_parts) {
    LocalEmbedder model{small_model()};
    EXPECT_NEAR(cosine(embed(model, "Skellefteå"), embed(model, "skellefteå")), 1, 1e-5);
    EXPECT_GT(cosine(embed(model, "river-lake"), embed(model, "river lake")), 0.999f);
}

TEST(LocalEmbedder, a_text_without_a_word_is_an_error_and_not_a_vector) {
    LocalEmbedder model{small_model()};
    EXPECT_THROW(embed(model, " … !"), NonRetryable);
    EXPECT_THROW(model.embed(std::vector<std::string>(kTextsMax + 1, "a")), NonRetryable);
    EXPECT_TRUE(model.embed({}).empty());
    EXPECT_NO_THROW(embed(model, "the the the"));
}

TEST(WordVectors, refuse_a_file_that_is_damaged_cut_or_something_else) {
    const auto path = small_model();
    std::string bytes;
    {
        std::ifstream in{path, std::ios::binary};
        bytes.assign(std::istreambuf_iterator<char>{in}, {});
    }
    const auto opens = [&](std::string changed) {
        std::ofstream{path, std::ios::binary | std::ios::trunc} << changed;
        try {
            WordVectors{path};
            return true;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::BadValue);
            return false;
        }
    };
    EXPECT_TRUE(opens(bytes));
    EXPECT_FALSE(opens(bytes.substr(0, bytes.size() - 1)));
    EXPECT_FALSE(opens(bytes + "x"));
    EXPECT_FALSE(opens(""));
    EXPECT_FALSE(
        opens("not a model, only a text that is longer than the header of one, by a little"));
    std::string flipped = bytes;
    flipped[80] = static_cast<char>(flipped[80] ^ 1);
    EXPECT_FALSE(opens(flipped));
}

TEST(Words, are_lower_case_without_marks_and_markup) {
    EXPECT_EQ(words_of("The **Well-Known** river’s [bank](https://x.y/z), don't!"),
              (std::vector<std::string>{"the", "well-known", "river", "bank", "don't"}));
    EXPECT_EQ(words_of("ÅNGSTRÖM—Привет «x» https://a.b/c"),
              (std::vector<std::string>{"ångström", "привет", "x"}));
    EXPECT_TRUE(words_of(" -- '' ").empty());
    EXPECT_TRUE(words_of(std::string(1000, 'x')).empty());
}

}  // namespace
}  // namespace belay::ai::embed
