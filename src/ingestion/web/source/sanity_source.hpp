// sanity_source.hpp — documents of Sanity, a content system, by its query API: the one adapter so far.
//
// A document's fields are taken by their usual names (title, author, publishedAt, description or excerpt, slug); its
// text is the first field that holds Portable Text (body, content, …), or a plain string of that name.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "core/env/clock.hpp"
#include "ingestion/web/source/source.hpp"
#include "service/http/client.hpp"

namespace belay::web::source {

struct SanityOptions {
    // {project} is replaced by the document's; tests put a server of their own.
    std::string base_url = "https://{project}.api.sanity.io/v2021-10-21";
    std::string token{};  // for datasets that are not public
    Duration time_max = std::chrono::seconds{30};
};

class SanitySource final : public Source {
public:
    // Both outlive this.
    SanitySource(http::Client& client, const env::Clock& clock, SanityOptions options = {});

    Got fetch(Attempt& attempt, const Wanted& wanted) override;

private:
    http::Client& client_;
    const env::Clock& clock_;
    SanityOptions options_;
};

// An array of Portable Text blocks (https://www.portabletext.org) as Markdown: headings, quotes, lists, code, links,
// emphasis, pictures. Blocks of unknown kinds are left out.
std::string portable_text(const boost::json::value& blocks);

}  // namespace belay::web::source
