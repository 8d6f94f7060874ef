// source.hpp — where documents come from: the web, or a content system with an API.
#pragma once

#include <string>

#include <belay/attempt.hpp>

#include "ingestion/media/article.hpp"
#include "ingestion/web/fetch/page.hpp"

namespace belay::web::source {

// Which document, as its row says.
struct Wanted {
    std::string url{};
    std::string cms_platform{};
    std::string cms_instance{};
    std::string cms_document_id{};
    fetch::Validators known{};   // of the version that is here; empty: none, or it is wanted anew
    std::string organization{};  // who asks: takes its turn at the helper as such
};

struct Got {
    bool unchanged =
        false;  // the version of `known` is still the current one; there is no article then
    media::Article article{};
    std::string final_url{};
    std::string kind{};  // "html", "markdown", "text", "pdf"
    fetch::Validators version{};
    std::int64_t bytes = 0;  // that came over the network
};

class Source {
public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    // Throws NonRetryable when another attempt cannot help, RetryAfter when somebody said when, another
    // std::exception otherwise. Blocks; any thread.
    virtual Got fetch(Attempt& attempt, const Wanted& wanted) = 0;
};

}  // namespace belay::web::source
