#include "ingestion/media/read_error.hpp"

#include "ingestion/media/read_jobs.hpp"

namespace belay::media {

std::string_view reject_code(ReadErrorKind kind) {
    switch (kind) {
        case ReadErrorKind::Broken:
            return "broken";
        case ReadErrorKind::Encrypted:
            return "encrypted";
        case ReadErrorKind::Unsupported:
            return "unsupported";
        case ReadErrorKind::NoPages:
            return "no_pages";
        case ReadErrorKind::NoSuchPage:
            return "no_such_page";
        case ReadErrorKind::TooManyPages:
            return "too_many_pages";
        case ReadErrorKind::TooLarge:
            return "too_large";
        case ReadErrorKind::TookTooLong:
            return "took_too_long";
        case ReadErrorKind::Unavailable:
            return "unavailable";
    }
    return "broken";
}

}  // namespace belay::media
