// ingest_target.hpp — where `belay ingest` brings files: a data directory of its own, or a server.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "service/cli/command.hpp"

namespace belay::cli {

// A file that was taken.
struct Taken {
    std::string workflow_run_id{};
    std::string workflow_key{};
    std::string status{};
    bool duplicate = false;
};

// How its run ended.
struct Ended {
    std::string status{};
    std::optional<std::string> error{};
    boost::json::value result{};
};

class IngestTarget {
public:
    virtual ~IngestTarget() = default;

    // Durable when it returns. `file` is a path, `type` a workflow_type or empty. Throws Error that says what is
    // wrong with this file; {StoreUnavailable}: with all of them. One thread calls it, another calls await().
    virtual Taken put(const std::string& file, const std::string& type) = 0;
    virtual Ended await(const std::string& workflow_run_id) = 0;
};

// An engine on the data directory, with the workflows of files. Throws Error{StoreLocked} if a server runs there.
std::unique_ptr<IngestTarget> local_target(const Place& place, World& world);
std::unique_ptr<IngestTarget> remote_target(std::unique_ptr<ServerClient> remote, World& world);

}  // namespace belay::cli
