// content_extract_test.cpp — saved pages through the real helper, as the command runs it.
#include "ingestion/cli/content_extract.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <zlib.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

namespace belay::cli {
namespace {

constexpr const char* kPage = R"(<!doctype html><html lang="sv"><head><title>Sommaren i Lund</title>
<meta name="author" content="Ada Lovelace"></head><body><nav><a href="/a">Hem</a></nav><article>
<h1>Sommaren i Lund</h1><p>Det var en gång en sommar i Lund, och den var lång och varm och full av regn ibland.</p>
<p>Den som ville kunde gå till <a href="/park">parken</a>, där det fanns bänkar, träd, vatten och lugn.</p>
<p>Om kvällarna var det musik, och folk satt kvar länge, tills lamporna släcktes och alla gick hem.</p>
</article></body></html>)";

class ContentExtract : public testing::Test {
protected:
    ContentExtract() {
        std::string name = testing::TempDir() + "belay-content-XXXXXX";
        folder = ::mkdtemp(name.data());
    }
    ~ContentExtract() override { std::filesystem::remove_all(folder); }

    std::string write(const std::string& name, std::string_view bytes) const {
        const auto file = folder / name;
        std::ofstream(file, std::ios::binary) << bytes;
        return file.string();
    }
    ExitCode run(const ExtractOptions& options, bool json) {
        World world{Screen{out}, errors, [](const std::string&) { return std::nullopt; }, clock,
                    [](Duration) {}};
        isolate::PoolOptions helper;
        helper.program = BELAY_MEDIA_PROGRAM;
        isolate::Pool pool{helper};
        return extract(options, pool, json, world);
    }

    std::filesystem::path folder;
    env::ManualClock clock;
    std::ostringstream out;
    std::ostringstream errors;
};

TEST_F(ContentExtract, a_page_is_one_line_of_json_with_the_fixed_names) {
    const std::string file = write("page.html", kPage);

    ASSERT_EQ(run({{file}, "https://lund.example/sommar"}, true), ExitCode::Ok) << errors.str();

    const auto article = boost::json::parse(out.str()).as_object();
    EXPECT_EQ(article.at("title").as_string(), "Sommaren i Lund");
    EXPECT_EQ(article.at("author").as_string(), "Ada Lovelace");
    EXPECT_EQ(article.at("language").as_string(), "sv");
    EXPECT_TRUE(article.at("date").is_null());
    EXPECT_NE(article.at("markdown").as_string().find("[parken](https://lund.example/park)"),
              std::string::npos);
    EXPECT_EQ(article.at("text").as_string().find("Hem"), std::string::npos);
    EXPECT_EQ(article.size(), 10u);
}

TEST_F(ContentExtract, one_that_cannot_be_read_is_told_and_the_others_go_on) {
    const std::string file = write("page.html", kPage);

    EXPECT_EQ(run({{(folder / "gone.html").string(), file}, ""}, false), ExitCode::Failed);

    EXPECT_NE(errors.str().find("there is no such file"), std::string::npos);
    EXPECT_NE(out.str().find("Sommaren i Lund"), std::string::npos);
}

TEST_F(ContentExtract, a_gzipped_page_is_opened_and_a_damaged_one_refused) {
    const std::string packed = (folder / "page.html.gz").string();
    gzFile to = gzopen(packed.c_str(), "wb");
    gzwrite(to, kPage, static_cast<unsigned>(std::string_view(kPage).size()));
    gzclose(to);

    EXPECT_EQ(read_page(packed), kPage);
    EXPECT_THROW(read_page(write("broken.gz", "\x1f\x8b not really")), Error);
}

}  // namespace
}  // namespace belay::cli
