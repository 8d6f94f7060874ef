// replaced.hpp — texts that documents had before, and when they may be removed.
//
// A text is an immutable object that several documents may share (content.hpp). When a document says something else, its
// old text is noted here; a sweep removes it later, if no document has it then. A fetch may find the object there while
// the sweep is at it: so a text is marked before it goes, and a fetch that finds the mark writes it again
// (keep_content), whichever of the two commits first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <belay/engine.hpp>
#include <belay/time.hpp>
#include <belay/tx.hpp>

namespace belay::documents {

// The document's text is about to become another one than `next_path`: the one it has can go, in time.
void note_replaced(Tx& tx, std::int64_t document_seq, const std::string& next_path);

// Somebody who has just put this text counts on it from now on. Throws, for the step to run again, while it is being
// removed.
void keep_content(Tx& tx, const std::string& path);

// Texts that were replaced before that time and that no document has, at most so many: marked as being removed, those
// that an earlier sweep marked and did not finish included.
std::vector<std::string> choose_replaced(Tx& tx, Time before, std::int64_t count_max);

// They are gone.
bool is_removing(Engine& engine, const std::string& path);
void forget_replaced(Tx& tx, const std::vector<std::string>& paths);

}  // namespace belay::documents
