// routes.hpp — POST /api/documents, GET /api/documents[/{id}[/links]], GET /api/search?q=.
//
// A document of another organization is not found (P9).
#pragma once

#include <belay/engine.hpp>

#include "api/route.hpp"
#include "documents/search.hpp"
#include "objects/store.hpp"

namespace belay::documents {

// All of them outlive the routes.
struct DocumentParts {
    Engine& engine;
    objects::Store& objects;
    SearchIndex& search;
};

void add_document_routes(api::Routes& routes, DocumentParts parts);

}  // namespace belay::documents
