// routes.hpp — POST /api/documents, GET /api/documents[/{id}[/links]], GET /api/search?q=.
//
// A document of another organization is not found (P9).
#pragma once

#include <belay/engine.hpp>

#include "ingestion/documents/search.hpp"
#include "ingestion/objects/store.hpp"
#include "service/api/route.hpp"

namespace belay::documents {

// All of them outlive the routes.
struct DocumentParts {
    Engine& engine;
    objects::Store& objects;
    SearchIndex& search;
};

void add_document_routes(api::Routes& routes, DocumentParts parts);

}  // namespace belay::documents
