// page.hpp — what fetching a web address gave.
#pragma once

#include <string>
#include <string_view>

#include <belay/error.hpp>

namespace belay::web::fetch {

enum class PageKind { Html, Markdown, Text, Pdf };

std::string_view to_string(PageKind kind);

// What an earlier fetch said about its version: sent along, so that an unchanged page costs no body.
struct Validators {
    std::string etag{};
    std::string last_modified{};
};

struct Page {
    std::string final_url{};  // after redirects
    int status = 0;
    // The version of the validators is still the current one; there is no body and no kind then.
    bool not_modified = false;
    PageKind kind = PageKind::Html;
    std::string content_type{};  // as the server said, without parameters, in lower case
    std::string charset{};       // as the server said, in lower case; empty if it did not
    std::string body{};          // its bytes, unpacked
    std::string etag{};          // as it was sent, with its quotes
    std::string last_modified{};
};

enum class Refusal {
    BadUrl,           // no http or https address, or one with a password in it
    RefusedAddress,   // it leads into a private network
    Robots,           // the site asks not to
    Status,           // the server says no: 404, 403, …
    UnsupportedType,  // neither HTML, Markdown, text nor PDF
    TooLarge,         // more bytes than allowed
    Redirects,        // too many, or one that leads nowhere
    Tls,              // its certificate is not right
};

std::string_view to_string(Refusal refusal);

// Another attempt would end the same way.
class PageRefused : public NonRetryable {
public:
    PageRefused(Refusal why, const std::string& message, int status = 0)
        : NonRetryable(message), why_(why), status_(status) {}

    Refusal why() const { return why_; }
    int status() const { return status_; }  // of Refusal::Status

private:
    Refusal why_;
    int status_;
};

}  // namespace belay::web::fetch
