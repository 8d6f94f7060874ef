// tail_over_http.hpp — what changed in a server's runs since the last look, as lines: Tail (tail.hpp) over HTTP.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "service/cli/over_http.hpp"
#include "service/cli/tail.hpp"

namespace belay::cli {

class ServerTail {
public:
    // Follows one run, or all of them if `only` is empty. `remote` outlives it.
    ServerTail(const ServerClient& remote, std::string only)
        : remote_(remote), only_(std::move(only)) {}

    // As Tail::look(). Throws as ServerClient::get does.
    std::vector<TailLine> look();

    bool ended() const { return !only_.empty() && last_ && is_finished(*last_); }
    bool succeeded() const { return last_ == RunStatus::Succeeded; }

private:
    struct Seen {
        std::string status{};
        std::string updated_at{};
        std::map<std::string, std::pair<std::string, std::int64_t>>
            stages{};  // by place and key: status, attempt
    };
    void look_at(const boost::json::value& run, bool quiet, std::vector<TailLine>& lines);

    const ServerClient& remote_;
    const std::string only_;
    std::map<std::string, Seen> seen_{};
    std::optional<RunStatus> last_{};  // of the one run
    bool first_ = true;
};

}  // namespace belay::cli
