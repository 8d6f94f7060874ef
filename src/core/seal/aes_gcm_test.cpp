#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>

#include <belay/error.hpp>
#include <belay/seal.hpp>

namespace belay {
namespace {

SealKeys keys_of(std::string current) {
    return {std::move(current),
            {{"old", std::string(32, 'o')}, {"new", std::string(32, 'n')}},
            std::string(32, 'f')};
}

std::string refusal(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(AesGcm, what_is_sealed_can_be_opened_and_says_nothing) {
    const auto seal = aes_gcm(keys_of("new"));
    for (const std::string plain : {"", "a", "{\"item\":\"rope\"}", "gr\xc3\xbc\xc3\x9f"}) {
        const auto sealed = seal->seal(plain, "beside");
        EXPECT_EQ(sealed.key, "new");
        EXPECT_TRUE(plain.size() < 3 || !says(sealed.bytes, plain));
        EXPECT_EQ(seal->open(sealed, "beside"), plain);
        EXPECT_NE(seal->seal(plain, "beside").bytes, sealed.bytes) << "the same nonce twice";
    }
}

TEST(AesGcm, every_changed_bit_is_noticed) {
    const auto seal = aes_gcm(keys_of("new"));
    const auto sealed = seal->seal("rope", "beside");
    for (std::size_t at = 0; at < sealed.bytes.size(); ++at) {
        auto changed = sealed;
        changed.bytes[at] = static_cast<char>(changed.bytes[at] ^ 1);
        EXPECT_NE(refusal([&] { seal->open(changed, "beside"); }), "") << at;
    }
    EXPECT_NE(refusal([&] { seal->open(sealed, "besides"); }), "");
    EXPECT_NE(refusal([&] { seal->open({"new", sealed.bytes.substr(0, 20)}, "beside"); }), "");
}

TEST(AesGcm, an_older_key_opens_and_a_missing_one_is_named) {
    const auto sealed = aes_gcm(keys_of("old"))->seal("rope", "");
    EXPECT_EQ(aes_gcm(keys_of("new"))->open(sealed, ""), "rope");

    auto without = keys_of("new");
    without.keys.erase("old");
    EXPECT_TRUE(says(refusal([&] { aes_gcm(without)->open(sealed, ""); }), "`old`"));
}

TEST(AesGcm, a_fingerprint_is_the_same_under_every_key) {
    const auto older = aes_gcm(keys_of("old")), newer = aes_gcm(keys_of("new"));
    EXPECT_EQ(older->fingerprint("rope"), newer->fingerprint("rope"));
    EXPECT_NE(older->fingerprint("rope"), older->fingerprint("robe"));
    EXPECT_EQ(older->fingerprint("rope").size(), 16u);
}

TEST(AesGcm, keys_that_are_none_are_refused_by_name) {
    auto short_key = keys_of("new");
    short_key.keys["new"] = "short";
    EXPECT_TRUE(says(refusal([&] { aes_gcm(short_key); }), "`new` has 5 bytes"));
    EXPECT_TRUE(says(refusal([&] { aes_gcm(keys_of("newer")); }), "`newer`"));
    auto odd = keys_of("new");
    odd.keys["a:b"] = std::string(32, 'x');
    EXPECT_TRUE(says(refusal([&] { aes_gcm(odd); }), "`a:b`"));
}

class KeyFile : public testing::Test {
protected:
    KeyFile() {
        std::string pattern = (std::filesystem::temp_directory_path() / "belay-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~KeyFile() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path file(const std::string& text, std::filesystem::perms may =
                                                            std::filesystem::perms::owner_read) {
        const auto path = folder_ / "keys";
        std::filesystem::remove(path);
        std::ofstream{path} << text;
        std::filesystem::permissions(path, may);
        return path;
    }
    std::string refused(const std::string& text) {
        return refusal([&] { read_seal_keys(file(text)); });
    }

    std::filesystem::path folder_;
};

TEST_F(KeyFile, names_its_keys_and_the_last_one_seals) {
    const std::string a(64, 'a'), b(64, 'b'), f(64, '0');
    const auto keys = read_seal_keys(file("# made by hand\nfingerprint = " + f + "\n2025 = " + a +
                                          "\n\n2026=" + b + " # since June\n"));

    EXPECT_EQ(keys.current, "2026");
    EXPECT_EQ(keys.keys.at("2025"), std::string(32, '\xaa'));
    EXPECT_EQ(keys.fingerprint, std::string(32, '\0'));
    EXPECT_EQ(aes_gcm(keys)->seal("x", "").key, "2026");
}

TEST_F(KeyFile, what_is_wrong_is_named_with_its_line) {
    const std::string a(64, 'a');
    EXPECT_TRUE(says(refused("fingerprint = " + a + "\nk = short\n"), "keys:2: the key `k`"));
    EXPECT_TRUE(says(refused("k = " + a + "\nk = " + a + "\n"), "keys:2: the key `k` is there twice"));
    EXPECT_TRUE(says(refused("k = " + a + "\n"), "fingerprint"));
    EXPECT_TRUE(says(refused("fingerprint = " + a + "\n"), "beside"));
    EXPECT_TRUE(says(refused("nothing\n"), "keys:1"));
}

TEST_F(KeyFile, one_that_others_may_read_is_refused) {
    using std::filesystem::perms;
    const auto path = file("", perms::owner_read | perms::others_read);
    EXPECT_TRUE(says(refusal([&] { read_seal_keys(path); }), "chmod 600"));
}

}  // namespace
}  // namespace belay
