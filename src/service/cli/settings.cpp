#include "service/cli/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/duration_text.hpp"
#include "service/api/headers.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

constexpr Duration kTimeLeast{100};
constexpr Duration kTimeMost = std::chrono::hours{1};

std::string file_name(std::string_view setting) {
    std::string name{setting};
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

[[noreturn]] void refuse(std::string_view name, const Given& given, std::string_view expected) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{}: {} is {}, not `{}`", given.from, name, expected, given.value));
}

const Given& given_of(const GivenSettings& given, std::string_view name) {
    const auto found = given.find(name);
    static const Given kNone;
    return found == given.end() ? kNone : found->second;
}

template <class T>
T number_of(const GivenSettings& all, std::string_view name, T least, T most) {
    const Given& given = given_of(all, name);
    T value{};
    const char* end = given.value.data() + given.value.size();
    const auto [at, error] = std::from_chars(given.value.data(), end, value);
    if (error != std::errc{} || at != end || value < least || value > most)
        refuse(name, given, fmt::format("a number from {} to {}", least, most));
    return value;
}

void set_listen(ServeOptions& options, const GivenSettings& all) {
    const Given& given = given_of(all, "listen");
    const std::string_view text = given.value;
    const auto colon = text.rfind(':');
    const auto wrong = [&] {
        refuse("listen", given, "HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080");
    };
    if (colon == std::string_view::npos || colon == 0) wrong();
    options.host = text.substr(0, colon);
    if (options.host.find(':') != std::string::npos && !options.host.starts_with('[')) wrong();
    const std::string_view port = text.substr(colon + 1);
    const auto [at, error] = std::from_chars(port.data(), port.data() + port.size(), options.port);
    if (error != std::errc{} || port.empty() || at != port.data() + port.size()) wrong();
}

Duration duration_of(const GivenSettings& all, std::string_view name) {
    const Given& given = given_of(all, name);
    const auto duration = base::parse_duration(given.value);
    if (!duration || *duration < kTimeLeast || *duration > kTimeMost)
        refuse(name, given, "a duration from 100ms to 1h");
    return *duration;
}

std::vector<std::string> list_of(const GivenSettings& all, std::string_view name) {
    std::vector<std::string> items;
    for (const std::string_view item : api::list_items(given_of(all, name).value))
        items.emplace_back(item);
    return items;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) throw Error(ErrorCode::InvalidArgument, fmt::format("{} cannot be read", path));
    return text.str();
}

}  // namespace

std::string environment_name(std::string_view setting) {
    std::string name = "BELAY_";
    for (const char c : setting)
        name += static_cast<char>(c == '-' ? '_' : c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return name;
}

const std::string& value_of(const GivenSettings& given, std::string_view name) {
    return given_of(given, name).value;
}

void refuse_setting(const GivenSettings& given, std::string_view name, std::string_view expected) {
    refuse(name, given_of(given, name), expected);
}

const Settings& server_settings() {
    static const Settings kSettings{
        {"listen", "127.0.0.1:8080", "HOST:PORT",
         "where to listen; port 0 is any that is free. An address that others can reach needs a "
         "token first"},
        {"data", "", "DIR",
         "Belay's folder: the database is belay.db in it (./belay-data if not given)"},
        {"store", "", "STORE",
         "the database, if it is not the one in data: FILE.db, or postgres://user@host/db for many "
         "workers. A --data "
         "on the command line means the one in it"},
        {"objects", "", "WHERE",
         "where files are kept: a folder (shared:FOLDER if every worker of a PostgreSQL store sees "
         "it), or "
         "s3://bucket?region=…&endpoint=… with AWS_ACCESS_KEY_ID and "
         "AWS_SECRET_ACCESS_KEY in the environment (the folder objects in data if not given)"},
        {"workers", "32", "N", "blocking steps at once"},
        {"http-threads", "16", "N", "requests handled at once; more wait"},
        {"tls-cert", "", "FILE", "PEM certificate with its chain; with --tls-key it is https"},
        {"tls-key", "", "FILE", "PEM key of the certificate"},
        {"max-upload", "2GiB", "SIZE", "largest request with files"},
        {"max-connections", "2000", "N", "connections at once; one more is told 503"},
        {"header-time", "10s", "DURATION", "within which all headers of a request must have come"},
        {"body-time", "30s", "DURATION",
         "in each such span a body must bring, or an answer be taken by, 1 KiB for every second"},
        {"idle-time", "60s", "DURATION", "how long a connection may wait for its next request"},
        {"rate-limit", "100", "N",
         "requests a second for one token, twice that at once; 0: no limit"},
        {"allow-host", "", "NAMES",
         "further names for this machine in the Host header, behind a proxy"},
        {"cors-origin", "", "ORIGINS", "pages of other sites that may use the API; normally none"},
        {"organization", "default", "NAME", "whose runs they are that come without a token"},
        {"access-log", "-", "WHERE",
         "one line of JSON per request: - for standard error, a file, or off"},
        {"log-format", "text", "text|json",
         "what goes wrong, on standard error: a sentence per line, or an object of JSON with every "
         "event"},
        {"webhook-url", "", "URL", "told, by POST, whenever a run has ended"},
        {"webhook-secret", "", "SECRET", "signs what is told; better in BELAY_WEBHOOK_SECRET"},
        {"otlp", "", "URL",
         "where traces of runs are sent, to OpenTelemetry's OTLP over HTTP: http://127.0.0.1:4318. "
         "Without it OTEL_EXPORTER_OTLP_ENDPOINT says it"},
        {"otlp-headers", "", "LIST",
         "sent with them, as name=value,name=value; better in OTEL_EXPORTER_OTLP_HEADERS"},
        {"otlp-service", "", "NAME",
         "what they call this server (OTEL_SERVICE_NAME; the program's name if not given)"},
        {"observe", "no", kYesOrNo,
         "show a store that others execute on, and ask them: nothing is executed here, nothing "
         "migrated"},
        {"stop-seconds", "10", "N", "how long a stop takes at most: requests and steps under way"},
    };
    return kSettings;
}

GivenSettings read_settings(const Settings& settings, std::string_view text,
                            const std::string& name) {
    GivenSettings given;
    int number = 0;
    while (!text.empty()) {
        ++number;
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        line = api::trimmed(line);
        if (line.empty() || line.starts_with('#')) continue;
        const auto equals = line.find('=');
        const std::string from = fmt::format("{} line {}", name, number);
        if (equals == std::string_view::npos)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("{}: a line is `key = value`, not `{}`", from, line));
        const std::string key{api::trimmed(line.substr(0, equals))};
        std::vector<std::string> known;
        for (const Setting& setting : settings) known.push_back(file_name(setting.name));
        const auto found = std::find(known.begin(), known.end(), key);
        if (found == known.end()) {
            const auto near = nearest(key, known);
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("{}: there is no setting `{}`{}", from, key,
                                    near ? fmt::format("; did you mean `{}`?", *near) : ""));
        }
        const auto& setting = settings[static_cast<std::size_t>(found - known.begin())];
        given[std::string(setting.name)] = {std::string(api::trimmed(line.substr(equals + 1))),
                                            from};
    }
    return given;
}

namespace {

constexpr const char* kTracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

// OpenTelemetry's variables, whose names every program that sends traces knows.
void take_standard(GivenSettings& given, const Environment& environment) {
    const traces::GivenTraces standard = traces::given_by(environment);
    const auto take = [&](const char* name, const std::string& value, const char* from) {
        Given& one = given[name];
        if (one.value.empty() && !value.empty()) one = {value, from};
    };
    take("otlp", standard.traces_url, kTracesEndpoint);
    take("otlp", standard.url, "OTEL_EXPORTER_OTLP_ENDPOINT");
    take("otlp-headers", standard.headers, "OTEL_EXPORTER_OTLP_HEADERS");
    take("otlp-service", standard.service, "OTEL_SERVICE_NAME");
    take("otlp-resource", standard.resource, "OTEL_RESOURCE_ATTRIBUTES");
    take("otlp-timeout", standard.time_max_ms, "OTEL_EXPORTER_OTLP_TIMEOUT");
}

traces::TraceOptions traces_of(const GivenSettings& all) {
    const Given& url = given_of(all, "otlp");
    traces::GivenTraces given;
    (url.from == kTracesEndpoint ? given.traces_url : given.url) = url.value;
    given.headers = given_of(all, "otlp-headers").value;
    given.service = given_of(all, "otlp-service").value;
    given.resource = given_of(all, "otlp-resource").value;
    given.time_max_ms = given_of(all, "otlp-timeout").value;
    return traces::trace_options(given, "", fmt::format("{}: otlp", url.from));
}

}  // namespace

GivenSettings gather_settings(const Settings& known,
                              const std::map<std::string, std::string>& flags,
                              const Environment& environment, const std::string& config_file) {
    GivenSettings in_file;
    if (!config_file.empty()) in_file = read_settings(known, read_file(config_file), config_file);
    GivenSettings given;
    for (const Setting& setting : known) {
        const std::string name{setting.name};
        const std::string variable = environment_name(name);
        Given& one = given[name];
        one = {std::string(setting.otherwise), "the default"};
        if (const auto found = in_file.find(name); found != in_file.end()) one = found->second;
        if (const auto value = environment(variable); value && !value->empty())
            one = {*value, variable};
        if (const auto found = flags.find(name); found != flags.end())
            one = {found->second, "--" + name};
    }
    if (given.contains("otlp")) take_standard(given, environment);
    return given;
}

std::string sample_config(const Settings& known) {
    std::string text =
        "# Configuration of `belay serve`. Every line is `key = value`; a flag (--key) wins over "
        "an\n"
        "# environment variable (BELAY_KEY), which wins over this file.\n";
    for (const Setting& setting : known) {
        text += fmt::format("\n# {}.\n# {} = {}\n", setting.meaning, file_name(setting.name),
                            setting.otherwise.empty() ? setting.placeholder : setting.otherwise);
    }
    return text;
}

std::string in_given_words(std::string text, const GivenSettings& given) {
    for (const auto& [name, one] : given) {
        const std::string variable = environment_name(name);
        const bool speaks_of_it =
            text.starts_with(variable) && text.find_first_of(" :", 0) == variable.size();
        if (!speaks_of_it || one.from == variable) continue;
        const bool is_flag = one.from.starts_with("--");
        return (is_flag ? one.from : fmt::format("{}: {}", one.from, file_name(name))) +
               text.substr(variable.size());
    }
    return text;
}

ServeOptions serve_options(const GivenSettings& given) {
    ServeOptions options;
    set_listen(options, given);
    options.data = given_of(given, "data").value;
    options.store = given_of(given, "store").value;
    options.workers = number_of<std::size_t>(given, "workers", 1, 1024);
    options.http_threads = number_of<std::size_t>(given, "http-threads", 1, 1024);
    options.tls_cert = given_of(given, "tls-cert").value;
    options.tls_key = given_of(given, "tls-key").value;
    if (options.tls_cert.empty() != options.tls_key.empty())
        throw Error(ErrorCode::InvalidArgument, "TLS needs both --tls-cert and --tls-key");
    const auto bytes = parse_bytes(given_of(given, "max-upload").value);
    if (!bytes || *bytes == 0)
        refuse("max-upload", given_of(given, "max-upload"), "a size such as 500MB or 2GiB");
    options.max_upload_bytes = *bytes;
    options.max_connections = number_of<std::size_t>(given, "max-connections", 1, 100'000);
    options.header_time = duration_of(given, "header-time");
    options.body_time = duration_of(given, "body-time");
    options.idle_time = duration_of(given, "idle-time");
    options.rate_limit = number_of<double>(given, "rate-limit", 0, 1'000'000);
    options.allow_hosts = list_of(given, "allow-host");
    options.cors_origins = list_of(given, "cors-origin");
    options.organization = given_of(given, "organization").value;
    if (options.organization.empty())
        refuse("organization", given_of(given, "organization"), "a name");
    options.access_log = given_of(given, "access-log").value;
    const Given& format = given_of(given, "log-format");
    if (format.value != "text" && format.value != "json")
        refuse("log-format", format, "text or json");
    options.log_format = format.value == "json" ? LogFormat::Json : LogFormat::Text;
    const Given& observe = given_of(given, "observe");
    if (observe.value != "yes" && observe.value != "no") refuse("observe", observe, "yes or no");
    options.observe = observe.value == "yes";
    options.stop_seconds = number_of<std::int64_t>(given, "stop-seconds", 0, 3600);
    options.objects = given_of(given, "objects").value;
    options.webhook_url = given_of(given, "webhook-url").value;
    options.webhook_secret = given_of(given, "webhook-secret").value;
    options.traces = traces_of(given);
    options.given = given;
    return options;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    std::uint64_t number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    const std::string_view unit =
        api::trimmed(text.substr(static_cast<std::size_t>(at - text.data())));
    constexpr std::array<std::pair<std::string_view, std::uint64_t>, 9> kUnits{
        {{"", 1},
         {"B", 1},
         {"kB", 1000},
         {"MB", 1000'000},
         {"GB", 1000'000'000},
         {"KiB", 1ULL << 10U},
         {"MiB", 1ULL << 20U},
         {"GiB", 1ULL << 30U},
         {"TiB", 1ULL << 40U}}};
    for (const auto& [name, factor] : kUnits) {
        if (!api::same_word(unit, name)) continue;
        if (number > UINT64_MAX / factor) return std::nullopt;
        return number * factor;
    }
    return std::nullopt;
}

}  // namespace belay::cli
