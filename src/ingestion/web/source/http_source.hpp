// http_source.hpp — documents from the web: robots.txt is respected, and nobody is asked too fast.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/env/clock.hpp"
#include "core/env/pause.hpp"
#include "ingestion/isolate/pool.hpp"
#include "ingestion/web/fetch/fetch.hpp"
#include "ingestion/web/source/host_gate.hpp"
#include "ingestion/web/source/page_reader.hpp"
#include "ingestion/web/source/robots_cache.hpp"
#include "ingestion/web/source/source.hpp"
#include "service/http/client.hpp"

namespace belay::web::source {

struct HttpSourceOptions {
    fetch::FetchOptions limits{};
    bool obey_robots = true;
    // Between two requests to one host that does not ask for more itself.
    Duration interval = std::chrono::milliseconds{500};
    // Hosts that belong to whoever runs this, which are asked as fast as they answer.
    std::function<bool(const std::string& host)> is_own{};
};

class HttpSource final : public Source {
public:
    // `client`, `clock` and the helpers outlive this.
    HttpSource(http::Client& client, Helpers helpers, const env::Clock& clock, env::Pause& pause,
               HttpSourceOptions options = {});

    Got fetch(Attempt& attempt, const Wanted& wanted) override;

    // A file's bytes by the same rules, whatever they are; nothing if the server does not have it (4xx).
    std::optional<std::string> get_file(const std::string& url, std::uint64_t bytes_max,
                                        std::stop_token stop);

    RobotsCache& robots() { return robots_; }

private:
    fetch::Page get(const std::string& url, const fetch::Validators& known, std::stop_token stop);
    bool allows(const std::string& url, const std::stop_token& stop, Duration wait_max);

    http::Client& client_;
    const env::Clock& clock_;
    HttpSourceOptions options_;
    RobotsCache robots_;
    HostGate gate_;
    PageReader reader_;
};

}  // namespace belay::web::source
