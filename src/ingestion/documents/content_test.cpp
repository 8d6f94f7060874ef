// content_test.cpp — a text is read by the organization whose it is, and by nobody else.
#include "ingestion/documents/content.hpp"

#include <string>

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "core/env/memory_files.hpp"
#include "ingestion/objects/filesystem_store.hpp"

namespace belay::documents {
namespace {

class Content : public testing::Test {
protected:
    ContentRef put(const std::string& organization) {
        media::Article article;
        article.title = "The numbers of the quarter";
        article.markdown = "They are good.";
        return put_content(objects, organization, article);
    }
    // What whoever asks is told; empty if it is given.
    std::string refusal(const std::string& organization, const std::string& path) {
        try {
            get_content(objects, organization, path);
        } catch (const NonRetryable& error) {
            return error.what();
        }
        return {};
    }

    env::ManualClock clock;
    env::MemoryFiles files;
    objects::FilesystemStore objects{"/objects", files, clock};
};

TEST_F(Content, what_was_put_is_read_by_the_organization_whose_it_is) {
    const ContentRef ref = put("acme");

    EXPECT_EQ(get_content(objects, "acme", ref.path).markdown, "They are good.");
    EXPECT_EQ(own_content("acme", ref).path, ref.path);
}

TEST_F(Content, another_organizations_text_is_as_one_that_is_not_there) {
    const ContentRef ref = put("acme");
    const std::string none = content_path("acme", std::string(64, '0'));

    for (const std::string& path : {ref.path, none, "../" + ref.path, "stranger/../" + ref.path,
                                    "/objects/" + ref.path, std::string()}) {
        EXPECT_EQ(refusal("stranger", path), "the content " + path + " is not stored any more");
    }
    EXPECT_THROW(own_content("stranger", ref), NonRetryable);
}

TEST_F(Content, a_reference_whose_path_is_not_that_of_its_hash_is_nobodys) {
    const ContentRef theirs = put("acme");
    ContentRef forged = put("stranger");
    forged.path = theirs.path;

    EXPECT_THROW(own_content("stranger", forged), NonRetryable);
    forged.path = content_path("stranger", "../../acme/documents/" + theirs.hash);
    forged.hash = "../../acme/documents/" + theirs.hash;
    EXPECT_THROW(get_content(objects, "stranger", own_content("stranger", forged).path),
                 NonRetryable);
}

}  // namespace
}  // namespace belay::documents
