// corrections.hpp — what a person says about a paper that was read: this value is another one; all of it is right.
//
// A corrected value takes the place of the one that was read, everywhere it is kept, and is sure; what it was before
// stands in the history with who changed it. Approving ends `manual_review`. Neither runs anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include <belay/tx.hpp>

#include "ingestion/ai/rules/accounting.hpp"

namespace belay::workflows {

struct Correction {
    std::string field{};                 // as the result names it: "total", "seller_name", …
    std::optional<std::string> value{};  // nothing: it does not stand on the paper
    // Of `items`, `lines` and `vat` the rows instead, all of them, each as the result has it.
    std::optional<boost::json::array> rows{};
};

enum class Judged { Done, NotFound };

// `kind` is "receipt" or "invoice", `by` whoever asked. All or nothing. Throws Error{InvalidArgument} that names the
// field for one that the kind does not have, and for a value that is no day, amount or currency. How a receipt would be
// booked follows what is right now.
Judged correct_paper(Tx& tx, const std::string& organization_id, const std::string& kind,
                     const std::string& file_id, const std::vector<Correction>& corrections,
                     const std::string& by, const ai::rules::AccountingOptions& accounting = {});

// NotFound also while its run has found nothing yet.
Judged approve_paper(Tx& tx, const std::string& organization_id, const std::string& kind,
                     const std::string& file_id, const std::string& by);

// Takes an approval back: what was doubted is to be looked at again.
Judged reopen_paper(Tx& tx, const std::string& organization_id, const std::string& kind,
                    const std::string& file_id, const std::string& by);

}  // namespace belay::workflows
