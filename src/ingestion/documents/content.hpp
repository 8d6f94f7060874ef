// content.hpp — what a document says, kept as an immutable object under the hash of its bytes.
//
// Written, durably, before any row or checkpoint names it; so a crash leaves at most an object that nobody names,
// and a document's row switches from one whole text to the next. Two addresses with the same text share one object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/describe.hpp>

#include "ingestion/media/article.hpp"
#include "ingestion/objects/store.hpp"

namespace belay::documents {

// Larger texts are refused: a page's bytes are at most 32 MiB, and what is read in them is less.
inline constexpr std::uint64_t kContentBytesMax = 64u << 20;

struct ContentRef {
    std::string hash{};  // the fingerprint: another one if anything that the page says has changed
    std::string path{};  // the object's key
    std::int64_t length = 0;  // bytes of Markdown
};
BOOST_DESCRIBE_STRUCT(ContentRef, (), (hash, path, length))

// The key of the text with that hash.
std::string content_path(const std::string& organization_id, const std::string& hash);

// Durable when it returns. The article's `url` does not count.
ContentRef put_content(objects::Store& store, const std::string& organization_id,
                       media::Article article);

// Throws NonRetryable if it is not there any more or is not what was put; for a text of another organization as for one
// that is not there.
media::Article get_content(objects::Store& store, const std::string& organization_id,
                           const std::string& path);

// A reference that was recorded, if it is one that put_content gives to that organization; throws NonRetryable.
const ContentRef& own_content(const std::string& organization_id, const ContentRef& recorded);

}  // namespace belay::documents
