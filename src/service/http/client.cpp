#include "service/http/client.hpp"

namespace belay::http {

std::string_view to_string(FailureKind kind) {
    switch (kind) {
        case FailureKind::BadUrl:
            return "BadUrl";
        case FailureKind::Dns:
            return "Dns";
        case FailureKind::RefusedAddress:
            return "RefusedAddress";
        case FailureKind::Connect:
            return "Connect";
        case FailureKind::Tls:
            return "Tls";
        case FailureKind::Timeout:
            return "Timeout";
        case FailureKind::TooLarge:
            return "TooLarge";
        case FailureKind::TooManyRedirects:
            return "TooManyRedirects";
        case FailureKind::Protocol:
            return "Protocol";
        case FailureKind::Stopped:
            return "Stopped";
    }
    return "unknown";
}

bool Failure::is_transient() const {
    return kind_ == FailureKind::Dns || kind_ == FailureKind::Connect ||
           kind_ == FailureKind::Timeout || kind_ == FailureKind::Protocol;
}

}  // namespace belay::http
