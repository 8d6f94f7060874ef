#include "service/server/multipart.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "service/api/errors.hpp"

namespace belay::server {
namespace {

struct Part {
    MultipartHead head;
    std::string bytes;
    bool ended = false;
};

struct Collector final : MultipartListener {
    std::vector<Part> parts;
    void part_begins(const MultipartHead& head) override { parts.push_back({head, "", false}); }
    void part_bytes(std::string_view bytes) override { parts.back().bytes += bytes; }
    void part_ends() override { parts.back().ended = true; }
};

std::vector<Part> parse(std::string_view body, std::size_t piece = SIZE_MAX,
                        MultipartLimits limits = {}) {
    Collector collector;
    Multipart parser("XyZ", collector, limits);
    for (std::size_t i = 0; i < body.size(); i += std::min(piece, body.size()))
        parser.feed(body.substr(i, piece));
    parser.finish();
    return collector.parts;
}

std::string refusal(std::string_view body, MultipartLimits limits = {}) {
    for (const std::size_t piece : {SIZE_MAX, std::size_t{1}}) {
        try {
            parse(body, piece, limits);
        } catch (const api::ApiError& error) {
            if (piece == 1) return error.what();
            continue;
        }
        return "";
    }
    return "";
}

const std::string kTwoParts =
    "--XyZ\r\n"
    "Content-Disposition: form-data; name=\"workflow_type\"\r\n"
    "\r\n"
    "image\r\n"
    "--XyZ\r\n"
    "Content-Disposition: form-data; name=\"files\"; filename=\"a \\\"b\\\".png\"\r\n"
    "Content-Type: image/png\r\n"
    "\r\n"
    "\x89PNG\r\n\r\n--Xy\r\n-\r\r\n--XyY\r\n"
    "\r\n--XyZ--\r\n";

TEST(Multipart, parts_come_out_the_same_however_the_body_is_cut) {
    for (std::size_t piece = 1; piece <= kTwoParts.size(); ++piece) {
        const auto parts = parse(kTwoParts, piece);
        ASSERT_EQ(parts.size(), 2u) << piece;
        EXPECT_EQ(parts[0].head.name, "workflow_type");
        EXPECT_FALSE(parts[0].head.file_name);
        EXPECT_EQ(parts[0].bytes, "image");
        EXPECT_EQ(parts[1].head.file_name, "a \"b\".png");
        EXPECT_EQ(parts[1].head.content_type, "image/png");
        EXPECT_EQ(parts[1].bytes, "\x89PNG\r\n\r\n--Xy\r\n-\r\r\n--XyY\r\n");
        EXPECT_TRUE(parts[1].ended);
    }
}

TEST(Multipart, random_bytes_full_of_near_boundaries_survive_random_cuts) {
    std::mt19937 random(7);
    const std::vector<std::string> bits{"\r",     "\n",       "\r\n",  "-", "--",
                                        "\r\n--", "\r\n--Xy", "--XyZ", "x", "\r\r\n--X"};
    for (int round = 0; round < 300; ++round) {
        std::string content;
        for (int i = 0; i < 60; ++i) content += bits[random() % bits.size()];
        while (content.find("\r\n--XyZ") != std::string::npos)
            content.erase(content.find("\r\n--XyZ"), 3);
        if (content.starts_with("--XyZ")) continue;
        const std::string body =
            "--XyZ\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n" + content +
            "\r\n--XyZ--";
        // The end of the content may itself look like a boundary with what follows it.
        if (body.find("\r\n--XyZ") != body.size() - 9) continue;
        Collector collector;
        Multipart parser("XyZ", collector, {});
        for (std::size_t i = 0; i < body.size();) {
            const std::size_t piece = 1 + random() % 9;
            parser.feed(std::string_view(body).substr(i, piece));
            i += piece;
        }
        parser.finish();
        ASSERT_EQ(collector.parts.size(), 1u);
        ASSERT_EQ(collector.parts[0].bytes, content) << round;
    }
}

TEST(Multipart, an_empty_part_an_empty_form_a_preamble_and_padding_are_fine) {
    const std::string head = "Content-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n";
    const auto empty = parse("--XyZ\r\n" + head + "\r\n--XyZ--");
    ASSERT_EQ(empty.size(), 1u);
    EXPECT_EQ(empty[0].bytes, "");
    EXPECT_TRUE(parse("--XyZ--\r\n").empty());
    EXPECT_EQ(parse("hello\r\n--XyZ  \r\n" + head + "1\r\n--XyZ --bye").size(), 1u);
}

TEST(Multipart, what_is_cut_off_or_malformed_is_refused_with_the_part) {
    const std::string head = "Content-Disposition: form-data; name=\"f\"\r\n\r\n";
    EXPECT_NE(refusal("").find("before its first part"), std::string::npos);
    EXPECT_NE(refusal("--XyZ\r\n" + head + "half").find("inside part 1"), std::string::npos);
    EXPECT_NE(refusal("--XyZ\r\n" + head + "x\r\n--XyZ\r\n").find("without its last boundary"),
              std::string::npos);
    EXPECT_NE(refusal("--XyZ!!").find("neither"), std::string::npos);
    EXPECT_NE(refusal("--XyZ\r\n\r\nx\r\n--XyZ--").find("no Content-Disposition"),
              std::string::npos);
    EXPECT_NE(refusal("--XyZ\r\nContent-Type: a\r\n\r\nx\r\n--XyZ--").find("part 1 has no"),
              std::string::npos);
    EXPECT_NE(refusal("--XyZ\r\nnonsense\r\n\r\nx\r\n--XyZ--").find("not a header"),
              std::string::npos);
    EXPECT_NE(refusal("--XyZ\r\nContent-Transfer-Encoding: base64\r\n" + head + "x\r\n--XyZ--")
                  .find("base64"),
              std::string::npos);
    EXPECT_NE(refusal(std::string(5000, 'a')).find("does not come up"), std::string::npos);
    EXPECT_NE(refusal("--XyZ--" + std::string(5000, 'a')).find("more after the last part"),
              std::string::npos);
}

TEST(Multipart, limits_on_parts_and_headers_bind) {
    const std::string part = "--XyZ\r\nContent-Disposition: form-data; name=f\r\n\r\nx\r\n";
    EXPECT_EQ(parse(part + part + "--XyZ--", SIZE_MAX, {.parts_max = 2}).size(), 2u);
    EXPECT_NE(refusal(part + part + part + "--XyZ--", {.parts_max = 2}).find("more than 2 parts"),
              std::string::npos);
    const std::string long_head =
        "--XyZ\r\nContent-Disposition: form-data; name=f\r\nX: " + std::string(300, 'x');
    EXPECT_NE(refusal(long_head + "\r\n\r\nx\r\n--XyZ--", {.head_bytes_max = 200})
                  .find("longer than 200"),
              std::string::npos);
}

TEST(Multipart, a_head_that_just_fits_is_taken_however_the_body_is_cut) {
    const std::string head = "Content-Disposition: form-data; name=f";
    const std::string body = "--XyZ\r\n" + head + "\r\n\r\nx\r\n--XyZ--";
    for (std::size_t piece = 1; piece <= body.size(); ++piece) {
        EXPECT_EQ(parse(body, piece, {.head_bytes_max = head.size()}).size(), 1u) << piece;
        EXPECT_THROW(parse(body, piece, {.head_bytes_max = head.size() - 1}), api::ApiError)
            << piece;
    }
}

TEST(Multipart, the_boundary_comes_from_the_content_type) {
    EXPECT_EQ(boundary_of("multipart/form-data; boundary=abc"), "abc");
    EXPECT_EQ(boundary_of("Multipart/Form-Data;charset=x; boundary=\"a b\""), "a b");
    EXPECT_FALSE(boundary_of("multipart/form-data"));
    EXPECT_FALSE(boundary_of("multipart/mixed; boundary=abc"));
    EXPECT_FALSE(boundary_of("multipart/form-data; boundary="));
    EXPECT_FALSE(boundary_of("multipart/form-data; boundary=\"a\rb\""));
    EXPECT_FALSE(boundary_of("multipart/form-data; boundary=" + std::string(71, 'x')));
}

TEST(Multipart, file_names_lose_their_paths_and_what_a_terminal_would_obey) {
    EXPECT_EQ(safe_file_name("C:\\Users\\me\\july.pdf"), "july.pdf");
    EXPECT_EQ(safe_file_name("../../etc/passwd"), "passwd");
    EXPECT_EQ(safe_file_name(".."), "unnamed");
    EXPECT_EQ(safe_file_name("a/"), "unnamed");
    EXPECT_EQ(safe_file_name("a\x1b[31m.png"), "a_[31m.png");
    const auto named = [](const std::string& parameters) {
        return parse("--XyZ\r\nContent-Disposition: form-data; name=f; " + parameters +
                     "\r\n\r\nx\r\n--XyZ--")[0]
            .head.file_name;
    };
    EXPECT_EQ(named("filename=\"kvitto å.png\""), "kvitto å.png");
    EXPECT_EQ(named("filename*=UTF-8''caf%C3%A9.png; filename=cafe.png"), "café.png");
    EXPECT_EQ(named("filename=\"a%22b.png\""), "a\"b.png");
    EXPECT_EQ(named("filename=\"\""), std::nullopt);
}

TEST(Multipart, what_is_said_twice_is_refused) {
    const auto part = [](const std::string& head) {
        return "--XyZ\r\n" + head + "\r\n\r\nx\r\n--XyZ--\r\n";
    };
    const std::string good = "Content-Disposition: form-data; name=\"a\"";
    EXPECT_EQ(refusal(part(good)), "");
    EXPECT_NE(refusal(part(good + "\r\n" + good)), "");
    EXPECT_NE(refusal(part(good + "; name=\"b\"")), "");
    EXPECT_NE(refusal(part(good + "; FileName=\"a\"; filename=\"b\"")), "");
    EXPECT_NE(refusal(part(good + "\r\n folded: yes")), "");
    EXPECT_NE(refusal(part("Content-Disposition : form-data; name=\"a\"")), "");
    EXPECT_EQ(boundary_of("multipart/form-data; boundary=a; boundary=b"), std::nullopt);
}

}  // namespace
}  // namespace belay::server
