// tables.hpp — the rows of web documents: the documents, their vectors, links and names, and the text that is
// searched.
//
// Names and columns are those of spec/FACTS.md B1. Times are milliseconds. The text of a document is not here but
// in an immutable object (content.hpp); what is here is one row that says which object is the current one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belay::documents {

inline constexpr std::string_view kOwner = "documents";

// For Engine::migrate(kOwner, migrations()). Frozen once released: add one, never change one.
std::vector<std::string> migrations();

}  // namespace belay::documents
