// settings.hpp — what can be set about `belay serve`: by flag, environment variable or file, from one table.
//
// A flag wins over the environment, which wins over the file, which wins over the default. A value that
// cannot be is refused with where it was found.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/log.hpp>
#include <belay/server.hpp>

#include "service/cli/place.hpp"
#include "service/traces/options.hpp"

#include <belay/time.hpp>

namespace belay::cli {

using belay::GivenSettings;
using belay::Setting;  // --tls-cert; BELAY_TLS_CERT; tls_cert = …
using Given = GivenSetting;
using Settings = std::vector<Setting>;

// The placeholder of one that is on or off: as a flag it takes no value.
inline constexpr const char* kYesOrNo = "yes|no";

// Those of every server. A bundle adds its own (belay/server.hpp).
const Settings& server_settings();

// "tls-cert" → "BELAY_TLS_CERT". A program of another name has its own variables in place of these (cli/run.hpp).
std::string environment_name(std::string_view setting);

// `flags` are those that were given on the command line. OpenTelemetry's own variables stand for `otlp` and its kin where
// those are not given. Throws Error{InvalidArgument} for a file that
// cannot be read, a line that is not `key = value`, a key that there is not.
GivenSettings gather_settings(const Settings& known,
                              const std::map<std::string, std::string>& flags,
                              const Environment& environment, const std::string& config_file);

// The text of a configuration file, as `gather_settings` reads it. `name` is for messages.
GivenSettings read_settings(const Settings& known, std::string_view text, const std::string& name);

// A commented file with every setting at its default.
std::string sample_config(const Settings& known);

struct ServeOptions {
    std::string host{};
    std::uint16_t port = 0;
    std::string
        data{};  // this and `store` without the flags, which every command has: see serve_place
    std::string store{};
    std::size_t workers = 0;
    std::size_t http_threads = 0;
    std::string tls_cert{};
    std::string tls_key{};
    std::uint64_t max_upload_bytes = 0;
    std::size_t max_connections = 0;
    Duration header_time{};
    Duration body_time{};
    Duration idle_time{};
    double rate_limit = 0;
    std::vector<std::string> allow_hosts{};
    std::vector<std::string> cors_origins{};
    std::string organization{};
    std::string access_log{};  // "-": standard error; "off"; else a file
    LogFormat log_format = LogFormat::Text;
    std::int64_t stop_seconds = 0;
    std::string objects{};  // from the file only, as `data`
    std::string webhook_url{};
    std::string webhook_secret{};
    bool observe = false;
    traces::TraceOptions traces{};
    GivenSettings given{};  // all of them, an application's own too
};

// A refusal that speaks of a variable, in the words of where its value was given: a flag, or a line of the file.
std::string in_given_words(std::string text, const GivenSettings& given);

// The value as it was given; "" for a setting that is not there.
const std::string& value_of(const GivenSettings& given, std::string_view name);

// Throws Error{InvalidArgument}: the setting, where its value came from, and what would be right.
[[noreturn]] void refuse_setting(const GivenSettings& given, std::string_view name,
                                 std::string_view expected);

// Throws Error{InvalidArgument} naming the setting, where it came from, and what would be right.
ServeOptions serve_options(const GivenSettings& given);

// "2GiB", "500 MB", "1048576" → bytes; nothing for anything else.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace belay::cli
