#include "ingestion/web/fetch/page.hpp"

namespace belay::web::fetch {

std::string_view to_string(PageKind kind) {
    switch (kind) {
        case PageKind::Html:
            return "html";
        case PageKind::Markdown:
            return "markdown";
        case PageKind::Text:
            return "text";
        case PageKind::Pdf:
            return "pdf";
    }
    return "unknown";
}

std::string_view to_string(Refusal refusal) {
    switch (refusal) {
        case Refusal::BadUrl:
            return "BadUrl";
        case Refusal::RefusedAddress:
            return "RefusedAddress";
        case Refusal::Robots:
            return "Robots";
        case Refusal::Status:
            return "Status";
        case Refusal::UnsupportedType:
            return "UnsupportedType";
        case Refusal::TooLarge:
            return "TooLarge";
        case Refusal::Redirects:
            return "Redirects";
        case Refusal::Tls:
            return "Tls";
    }
    return "unknown";
}

}  // namespace belay::web::fetch
