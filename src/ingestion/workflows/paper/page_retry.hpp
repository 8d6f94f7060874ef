// page_retry.hpp — a run that succeeded without a page is made again for that page alone.
//
// The paper gets a new run, which takes over every page that was read (and leaves out those that still cannot be), reads
// this one, and then merges, analyses and saves anew, because the text is another one now.
#pragma once

#include <optional>
#include <string>

#include <belay/tx.hpp>

namespace belay::workflows {

// The new run's id; nothing if the organization has no such paper or page. Throws Error{InvalidArgument} that says why
// not: the page was read, the run is not over or has failed (retry that), or somebody approved what was found.
std::optional<std::string> retry_page(Tx& tx, const std::string& organization_id,
                                      const std::string& file_id, int number);

}  // namespace belay::workflows
