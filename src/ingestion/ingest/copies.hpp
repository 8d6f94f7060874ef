// copies.hpp — files with the same content share a run: how each of them has what it found.
//
// A run reads one file and writes what it finds on that file's row. Its copies get the same, so that each is whole when
// another is deleted. Where something is counted (exports, receipts for the lines of a card) one of them stands for all:
// the oldest that is there. docs/decisions/0053 says why.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <belay/tx.hpp>

namespace belay::ingest {

// Of a file `f`: no older one that is there shares its run.
inline constexpr std::string_view kOldestOfItsRun =
    "NOT EXISTS (SELECT 1 FROM unified_files o WHERE o.workflow_run_id = f.workflow_run_id AND "
    "o.deleted_at IS NULL AND o.file_type <> 'pdf_page' AND o.seq < f.seq)";

// What the row of `file_id` says of its content, on those of all files that are there and share the run.
void share_found(Tx& tx, const std::string& run_id, const std::string& file_id);

// What its run has found so far, on the row of a file that has just been added to it.
void inherit_found(Tx& tx, const std::string& file_id);

// The oldest file that is there and shares the run of `file_id`, which may be deleted; never itself.
std::optional<std::string> copy_of(Tx& tx, const std::string& file_id);

// Statements that show the one file show the other; the line of a card that the one receipt belongs to is the other's.
void move_documents(Tx& tx, const std::string& from, const std::string& to);
void move_lines(Tx& tx, const std::string& from, const std::string& to);

// The lines of cards that a receipt belongs to have none.
void free_lines_of(Tx& tx, const std::string& receipt);

// If `file_id` is deleted and a copy of it is there: what it has of statements and lines is the copy's from now on.
bool leave_to_copy(Tx& tx, const std::string& file_id);

}  // namespace belay::ingest
