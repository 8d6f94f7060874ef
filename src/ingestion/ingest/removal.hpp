// removal.hpp — what goes with a file that is deleted: its pages, the statement that it was, the matches that it had.
//
// In the transaction of the deletion, whoever deletes (a person, a notification). A copy, which shares its run, takes its
// place in everything. A statement that another file shows, too, stays, and so do its matches; otherwise it leaves every
// list with its items, and its receipts are free again. The line that a deleted receipt belonged to has none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <belay/engine.hpp>
#include <belay/tx.hpp>

#include "ingestion/objects/store.hpp"

namespace belay::ingest {

// What is left to do when the transaction is committed.
struct Leftovers {
    std::vector<std::string> page_keys{};  // objects of the pages
    std::vector<std::string> runs{};       // that no file is left for: they are to be canceled
};

// `file_id` has been marked as deleted in this transaction.
void take_out(Tx& tx, const std::string& file_id, Leftovers& left);

// The same content is run anew as another file: what is known of the old one, which has been marked as deleted, is the
// new one's. Its pages are not: they are drawn anew.
void hand_over(Tx& tx, const std::string& old_file, const std::string& new_file, Leftovers& left);

inline constexpr std::string_view kRunAnew = "its file is run anew";

// After the commit. What cannot be done is left: bytes that nobody names, and runs that stop at their next step, because
// their file is gone.
void clear_away(Engine& engine, objects::Store& objects, const Leftovers& left,
                std::string_view reason);

}  // namespace belay::ingest
