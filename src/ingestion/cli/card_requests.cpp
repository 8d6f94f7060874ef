#include "ingestion/cli/card_requests.hpp"

#include <fmt/format.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

namespace belay::cli {

namespace {

namespace flow = belay::workflows;

flow::LineAction action_of(const std::string& verb) {
    if (verb == "link") return flow::LineAction::Link;
    if (verb == "confirm") return flow::LineAction::Confirm;
    if (verb == "reject") return flow::LineAction::Reject;
    if (verb == "ignore") return flow::LineAction::Ignore;
    throw Error(ErrorCode::InvalidArgument, fmt::format("a line cannot be asked to `{}`", verb));
}

[[noreturn]] void refuse(const flow::LineOutcome& outcome, std::int64_t line) {
    if (std::holds_alternative<flow::ReceiptNotFound>(outcome))
        throw Error(ErrorCode::NotFound, "there is no such receipt");
    if (const auto* taken = std::get_if<flow::ReceiptTaken>(&outcome))
        throw Error(
            ErrorCode::InputMismatch,
            fmt::format("line {} has this receipt: reject that match first", taken->by_line));
    if (const auto* no = std::get_if<flow::NotPossible>(&outcome))
        throw Error(
            ErrorCode::InputMismatch,
            fmt::format("the line is `{}`{}", no->from,
                        no->to.empty() ? " and changed meanwhile"
                                       : fmt::format(", which cannot become `{}`", no->to)));
    throw Error(ErrorCode::NotFound, fmt::format("there is no line {}", line));
}

}  // namespace

std::string card_request(Tx& tx, const std::string& text, const flow::MatchSettings& settings) {
    const auto request = from_json<CardRequest>(text);
    if (request.verb == "match")
        return to_json(flow::match_document(tx, request.document_id, settings));
    const flow::LineOutcome outcome = flow::change_line(
        tx, request.organization_id, request.line, action_of(request.verb), request.receipt, "cli");
    const auto* changed = std::get_if<flow::LineChanged>(&outcome);
    if (changed == nullptr) refuse(outcome, request.line);
    return to_json(*changed);
}

}  // namespace belay::cli
