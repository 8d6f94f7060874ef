// progress_bar.hpp — how far a long command is: one line that is written over, for people only.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include <belay/time.hpp>

#include "core/env/clock.hpp"

namespace belay::cli {

// "[#########-----------]  12 of 40  3.1/s  9 s left".
std::string progress_line(std::size_t done, std::size_t all, Duration since);

class ProgressBar {
public:
    // Writes nothing unless `shown`.
    ProgressBar(std::ostream& out, const env::Clock& clock, std::size_t all, bool shown);
    ~ProgressBar() { clear(); }

    void show(std::size_t done);
    // Takes the line away, so that others may write; show() brings it back.
    void clear();

private:
    std::ostream& out_;
    const env::Clock& clock_;
    const Time since_;
    const std::size_t all_;
    const bool shown_;
    bool there_ = false;
};

}  // namespace belay::cli
