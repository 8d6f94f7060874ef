// routes.hpp — receipts, invoices and card statements over HTTP: what was found, matching, pages, exports.
//
// What belongs to another organization is not found (P9).
#pragma once

#include "ingestion/ingest/uploads.hpp"
#include "ingestion/workflows/paper/services.hpp"
#include "service/api/route.hpp"

namespace belay::workflows {

// Everything below. `services` and `uploads` outlive the routes.
void add_paper_routes(api::Routes& routes, const PaperServices& services, ingest::Uploads& uploads);

// GET /api/receipts[/{id}], GET /api/invoices[/{id}], GET /api/review, their CSV files, GET /api/export/sie,
// GET /api/export/originals.zip.
void add_finding_routes(api::Routes& routes, const PaperServices& services);
// GET|POST /api/card-invoices, GET /api/card-invoices/{id}, its lines, candidates and matches; matching on demand and
// by hand.
void add_card_routes(api::Routes& routes, const PaperServices& services, ingest::Uploads& uploads);
// PATCH /api/receipts/{id}, /api/invoices/{id}, POST …/approve: what a person says about them.
void add_correction_routes(api::Routes& routes, const PaperServices& services);
// GET /api/files/{id}/pages, GET /api/files/{id}/pages/{number}, GET /api/files/{id}/thumbnail.
void add_page_routes(api::Routes& routes, const PaperServices& services);
// GET /api/helper/jobs.
void add_helper_routes(api::Routes& routes, const PaperServices& services);

}  // namespace belay::workflows
