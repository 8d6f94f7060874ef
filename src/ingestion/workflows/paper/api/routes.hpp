// routes.hpp — receipts, invoices and card statements over HTTP: what was found, matching, pages, exports.
//
// What belongs to another organization is not found (P9).
#pragma once

#include <functional>
#include <set>
#include <string>

#include "ingestion/ingest/uploads.hpp"
#include "ingestion/workflows/paper/export.hpp"
#include "ingestion/workflows/paper/services.hpp"
#include "service/api/route.hpp"

namespace belay::workflows {

// What an organization's books are like.
using LedgerOf = std::function<LedgerOptions(const std::string& organization_id)>;
// As the organizations have decided it in their settings (service/api/settings.hpp). `engine` outlives it.
LedgerOf ledgers_of(Engine& engine);
inline LedgerOptions ledger_of_all(const std::string&) { return {}; }

// Everything below. `services` and `uploads` outlive the routes.
void add_paper_routes(api::Routes& routes, const PaperServices& services, ingest::Uploads& uploads,
                      LedgerOf ledger_of = ledger_of_all);

// GET /api/receipts[/{id}], GET /api/invoices[/{id}], GET /api/review, their CSV files, GET /api/export/sie,
// GET /api/export/originals.zip.
void add_finding_routes(api::Routes& routes, const PaperServices& services, LedgerOf ledger_of);
// GET|POST /api/card-invoices, GET /api/card-invoices/{id}, its lines, candidates and matches; matching on demand and
// by hand.
void add_card_routes(api::Routes& routes, const PaperServices& services, ingest::Uploads& uploads);
// PATCH /api/receipts/{id}, /api/invoices/{id}, POST …/approve: what a person says about them.
void add_correction_routes(api::Routes& routes, const PaperServices& services);
// GET /api/files/{id}/pages, GET /api/files/{id}/pages/{number}, GET /api/files/{id}/thumbnail.
void add_page_routes(api::Routes& routes, const PaperServices& services);
// The organization's runs of which everything that came to the helper waits for its turn.
std::set<std::string> runs_without_turn(const PaperServices& services,
                                        const std::string& organization);
// GET /api/helper/jobs.
void add_helper_routes(api::Routes& routes, const PaperServices& services);

}  // namespace belay::workflows
