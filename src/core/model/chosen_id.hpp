// chosen_id.hpp — the ids that callers choose, each in a place of its organization's own.
//
// The ids of runs are unique in the store. What a caller of acme names `july` is kept as `chosen@acme/july`: no other
// organization can take it, join it or find out that it is there, and nobody can write an id that Belay derives
// (`imgcls_…`, `july/3`). The server's own organization shares one place with the program that serves it: there `july`
// stays `july` unless it looks like a derived id. (docs/decisions/0011-chosen-ids.md)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belay::model {

// Where the ids of that organization's callers begin. No organization has a slash, so no two of them meet.
std::string chosen_prefix(std::string_view organization_id);

// The id as it is kept when the caller is not of the server's own organization, or the id looks derived.
std::string kept_id(std::string_view organization_id, std::string_view chosen);

// Whether an id looks like one that Belay derives: with a slash, one of a schedule, or a word as long as a hash.
bool looks_derived(std::string_view id);

// Under which ids a run may be kept that a caller calls so, in the order to look: as it is (it was derived, or is
// older than this rule), then as chosen. Whoever looks has to check that what is found is the organization's.
std::vector<std::string> kept_ids(std::string_view organization_id, std::string_view called);

// As the organization's callers know it.
std::string_view called_id(std::string_view organization_id, std::string_view kept);

}  // namespace belay::model
