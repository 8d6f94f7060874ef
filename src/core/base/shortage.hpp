// shortage.hpp — the machine has no descriptor, process or memory left.
//
// Whoever meets that is not at fault: a step is tried again without using up its attempts, a door refuses new work for
// as long as it lasts. Evidence is what the system answered, not the name of an exception: on its way up an error
// becomes "the helper cannot start" or "no connection". So who asks the system notes what it said, on its own thread.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace belay::base {

// Whether an errno says so: EMFILE, ENFILE, ENOMEM, ENOBUFS, and EAGAIN of whoever starts a process or a thread.
bool is_shortage(int error_number);

// Notes it for this thread and for shortage_lately(), if it is one.
void note_shortage(int error_number);

// How often this thread has met one: two looks tell whether it did between them.
std::uint64_t shortages_of_thread();

// Whether the exception itself says so: a std::system_error, std::bad_alloc.
bool is_shortage(const std::exception_ptr& error);

// Whether no descriptor can be had at this moment; notes it.
bool no_descriptor_left();

// What was noted in the last two seconds, by any thread, as a sentence.
std::optional<std::string> shortage_lately();

}  // namespace belay::base
