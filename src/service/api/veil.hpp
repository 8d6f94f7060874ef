// veil.hpp — what of the server's inside its callers are not shown, and run ids as they call them.
//
// The last look at every answer and every event: a route that is added is covered without anybody thinking of it.
// Organizations other than the server's own read no host names, paths and addresses of the machine they are guests on,
// wherever a message picked them up (a recorded failure of a step, say).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {
class Error;
}

namespace belay::api {

class Veil {
public:
    // `own_organization` is the server's: it is shown all.
    explicit Veil(std::string own_organization) : own_organization_(std::move(own_organization)) {}

    // Before the first answer. A text of fewer than four characters hides nothing.
    void hide(std::string_view text, std::string instead);

    // Nobody ("", who could not be asked for a token) is a stranger.
    bool is_own(std::string_view organization) const { return organization == own_organization_; }

    // JSON, as the organization may read it. Ids of runs that it chose are called as it called them
    // (model/chosen_id.hpp).
    std::string json(std::string_view organization, std::string json) const;

private:
    std::string own_organization_;
    std::vector<std::pair<std::string, std::string>> hidden_{};  // as JSON has them; longest first
};

// A failure of the store for those who must not know where it is: what it means for them, and whether to try again.
std::string told_to_strangers(const Error& error);

// "host/7/abc" without the host.
std::string worker_for_strangers(std::string_view worker);

}  // namespace belay::api
