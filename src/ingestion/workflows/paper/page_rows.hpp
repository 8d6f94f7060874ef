// page_rows.hpp — pages as rows: the words that were read, for the stages that come after and for people.
//
// A checkpoint holds what a stage decided, not the ten thousand words that it decided by: those are rows of
// page_readings, written in the stage's own commit.
#pragma once

#include <string>
#include <vector>

#include <belay/engine.hpp>
#include <belay/tx.hpp>

#include "ingestion/media/einvoice.hpp"
#include "ingestion/media/page.hpp"
#include "ingestion/workflows/paper/table_reader.hpp"

namespace belay::workflows {

// As a person would type it: a line of print on a line, the page's blocks in reading order.
std::string page_text(const media::Page& page);

// Replaces that reading (1: the first, 2: a second opinion) of that page.
void save_page(Tx& tx, const std::string& file_id, const media::Page& page, int reading);

// The pages of a file in order; those that could not be read are missing.
std::vector<media::Page> load_pages(const TableReader& tables, const std::string& file_id,
                                    int reading);

// The electronic invoice that a file is or carries, and what was wrong with it; replaces what was known.
void save_einvoice(Tx& tx, const std::string& file_id, const media::ReadEInvoice::Result& read);
// Empty for a file without one.
media::ReadEInvoice::Result load_einvoice(const TableReader& tables, const std::string& file_id);

}  // namespace belay::workflows
