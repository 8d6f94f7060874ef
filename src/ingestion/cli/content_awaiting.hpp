// content_awaiting.hpp — waits for the runs of a command on documents, tells how far they are, and how each ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include <belay/engine.hpp>

#include "core/env/clock.hpp"
#include "ingestion/documents/door.hpp"
#include "service/cli/command.hpp"

namespace belay::cli {

// Counts phases as steps end, for the line at the bottom of a terminal. told() may be called from any thread.
class Progress {
public:
    Progress(const Screen& screen, bool shown, const env::Clock& clock);

    void told(std::string_view phase);
    void show(std::size_t done, std::size_t total) const;
    void clear() const;

private:
    const Screen& screen_;
    const bool shown_;
    const env::Clock& clock_;
    const Time began_;
    std::atomic<std::size_t> fetched_{0}, embedded_{0}, saved_{0}, linked_{0}, indexed_{0};
};

// What came of a fetch, for people: its title and size; `result` is a run's of FETCH_DOCUMENT or FETCH_AND_INDEX.
std::string fetched_text(const boost::json::value& result, bool duplicate);

// One line for each, in order, as soon as those before it have ended. Failed if any did.
ExitCode await_all(Engine& engine, const std::vector<documents::Requested>& requests,
                   const Progress& progress, bool as_json, World& world);

}  // namespace belay::cli
