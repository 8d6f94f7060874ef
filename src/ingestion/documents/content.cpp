#include "ingestion/documents/content.hpp"

#include <fmt/format.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/hash.hpp"

namespace belay::documents {

namespace {

NonRetryable no_content(const std::string& path) {
    return NonRetryable(fmt::format("the content {} is not stored any more", path));
}

}  // namespace

std::string content_path(const std::string& organization_id, const std::string& hash) {
    return fmt::format("{}/documents/{}.json", organization_id, hash);
}

ContentRef put_content(objects::Store& store, const std::string& organization_id,
                       media::Article article) {
    article.url.clear();
    const std::string bytes = to_json(article);
    ContentRef ref;
    ref.hash = base::sha256_hex(bytes);
    ref.length = static_cast<std::int64_t>(article.markdown.size());
    ref.path = content_path(organization_id, ref.hash);
    const objects::Key key{ref.path};
    if (!store.head(key)) {
        objects::Description description;
        description.content_type = "application/json";
        const auto writer = store.begin(kContentBytesMax);
        writer->write(bytes);
        writer->finish(key, description);
    }
    return ref;
}

const ContentRef& own_content(const std::string& organization_id, const ContentRef& recorded) {
    if (recorded.path != content_path(organization_id, recorded.hash))
        throw no_content(recorded.path);
    return recorded;
}

media::Article get_content(objects::Store& store, const std::string& organization_id,
                           const std::string& path) {
    const bool is_key = !objects::Key::problem(path);
    const objects::Key key{is_key ? path : content_path(organization_id, "none")};
    const bool is_own = is_key && key.organization() == organization_id;
    const auto bytes = is_own ? store.get(key, kContentBytesMax) : std::nullopt;
    if (!bytes) throw no_content(path);
    try {
        return from_json<media::Article>(*bytes);
    } catch (const Error& error) {
        throw NonRetryable(fmt::format("the content {} is damaged: {}", path, error.what()));
    }
}

}  // namespace belay::documents
