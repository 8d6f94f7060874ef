#include "ingestion/isolate/failure.hpp"

namespace belay::isolate {

std::string_view to_string(FailureCode code) {
    switch (code) {
        case FailureCode::Crashed:
            return "Crashed";
        case FailureCode::TimedOut:
            return "TimedOut";
        case FailureCode::OutOfMemory:
            return "OutOfMemory";
        case FailureCode::OutputTooLarge:
            return "OutputTooLarge";
        case FailureCode::Rejected:
            return "Rejected";
        case FailureCode::SandboxUnavailable:
            return "SandboxUnavailable";
        case FailureCode::Stopped:
            return "Stopped";
    }
    return "Crashed";
}

}  // namespace belay::isolate
