// server_note.hpp — where the server of a data directory is: a line in it, while the server runs.
//
// `belay ingest` on a directory that a server works on finds the way to it. What a dead server left is of no harm:
// the lock tells whether one is alive.
#pragma once

#include <optional>
#include <string>

#include "service/cli/place.hpp"

namespace belay::cli {

class ServerNote {
public:
    ServerNote(const Place& place, const std::string& url);
    ~ServerNote();
    ServerNote(const ServerNote&) = delete;
    ServerNote& operator=(const ServerNote&) = delete;

private:
    std::filesystem::path file_;
};

// The address noted there, if somebody executes on the store.
std::optional<std::string> noted_server(const Place& place);

}  // namespace belay::cli
