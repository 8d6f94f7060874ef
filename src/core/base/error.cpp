// error.cpp — the names of the error codes.
#include <belay/error.hpp>

namespace belay {

// No default: with -Wall the compiler names the code that was added and forgotten here.
std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
            return "InvalidArgument";
        case ErrorCode::UnknownWorkflow:
            return "UnknownWorkflow";
        case ErrorCode::NotFound:
            return "NotFound";
        case ErrorCode::InputMismatch:
            return "InputMismatch";
        case ErrorCode::RunFailed:
            return "RunFailed";
        case ErrorCode::RunCanceled:
            return "RunCanceled";
        case ErrorCode::DeadlineExceeded:
            return "DeadlineExceeded";
        case ErrorCode::RunPaused:
            return "RunPaused";
        case ErrorCode::CrashLoop:
            return "CrashLoop";
        case ErrorCode::UndoFailed:
            return "UndoFailed";
        case ErrorCode::BudgetReached:
            return "BudgetReached";
        case ErrorCode::RunDeleted:
            return "RunDeleted";
        case ErrorCode::StepFailed:
            return "StepFailed";
        case ErrorCode::StepTimeout:
            return "StepTimeout";
        case ErrorCode::BadValue:
            return "BadValue";
        case ErrorCode::PayloadTooLarge:
            return "PayloadTooLarge";
        case ErrorCode::TransactionRefused:
            return "TransactionRefused";
        case ErrorCode::Nondeterminism:
            return "Nondeterminism";
        case ErrorCode::StoreUnavailable:
            return "StoreUnavailable";
        case ErrorCode::CommitUnknown:
            return "CommitUnknown";
        case ErrorCode::StoreLocked:
            return "StoreLocked";
        case ErrorCode::SchemaTooNew:
            return "SchemaTooNew";
        case ErrorCode::NoAnswer:
            return "NoAnswer";
        case ErrorCode::Overloaded:
            return "Overloaded";
        case ErrorCode::Stopped:
            return "Stopped";
    }
    return "unknown error code";
}

}  // namespace belay
