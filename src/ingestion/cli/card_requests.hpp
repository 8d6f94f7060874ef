// card_requests.hpp — what `belay cards` asks of the process that executes: receipts for the lines of a statement.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/describe.hpp>

#include <belay/tx.hpp>

#include "ingestion/workflows/paper/match_rows.hpp"
#include "ingestion/workflows/paper/services.hpp"

namespace belay::cli {

// The kind of a control request whose payload is a CardRequest.
inline constexpr std::string_view kCardsRequest = "cards";

struct CardRequest {
    std::string verb{};  // match, link, confirm, reject, ignore
    std::string organization_id{};
    std::string document_id{};  // of match
    std::int64_t line = 0;      // of the others
    std::string receipt{};      // of link: the receipt's file
};
BOOST_DESCRIBE_STRUCT(CardRequest, (), (verb, organization_id, document_id, line, receipt))

// Does what the request says; gives a MatchSummary or a LineChanged as JSON. Throws Error{InputMismatch} with the reason
// if the line cannot be changed so, {NotFound}.
std::string card_request(Tx& tx, const std::string& request,
                         const workflows::MatchSettings& settings);

}  // namespace belay::cli
