// server.hpp — a server, a web page and a command line for a program's own workflows.
//
//     int main(int argc, char** argv) {
//         belay::App app{"shop", "Sells things, durably"};
//         app.migrate("shop", {"CREATE TABLE sales (…)"});
//         app.define("SELL", sell);
//         return app.run(argc, argv);
//     }
//
// `shop serve` is then a server with page, HTTP API, OpenAPI, metrics, live feed, tokens, approvals and webhooks;
// `shop submit SELL '{"item": "rope"}'` starts a run; `shop runs`, `queues`, `schedules`, `tokens`, `backup`, … look
// at the store and ask whoever executes on it. docs/your-own-server.md tells the whole of it.
//
// CMake: find_package(belay COMPONENTS server) and belay::server. This header needs no more than <belay/belay.hpp>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/belay.hpp>

namespace belay {

namespace app {
struct Program;
class OwnServer;
class LaterReply;
}  // namespace app

// ---- a server for an engine that a main() of its own made

struct ServerOptions {
    std::string listen = "127.0.0.1:8080";  // HOST:PORT; port 0 is any that is free
    std::string name = "belay";             // what the page calls it
    std::string organization = "default";   // whose runs they are that come without a token
    std::size_t http_threads = 16;          // requests handled at once; more wait
    std::string tls_certificate{};          // PEM files; both empty: no TLS
    std::string tls_key{};
    std::string access_log =
        "off";  // one line of JSON per request: "-" is standard error, else a file
};

// Page, HTTP API, live feed and metrics of an engine, until stop(). Make it before the engine's start(): it brings
// tables of its own (tokens). `engine` must outlive it.
//     belay::Server server{engine, {.listen = "127.0.0.1:0"}};
//     server.start();
class Server {
public:
    // Throws Error{InvalidArgument} for options that cannot be, and if the engine was started already.
    explicit Server(Engine& engine, ServerOptions options = {});
    ~Server();  // stops
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Listens, and starts the engine. Throws Error{InvalidArgument} if the address is taken, or can be reached by
    // others while no token was made (`NAME tokens create`, `belay tokens create --store FILE`).
    void start();
    // Lets requests under way finish. The engine goes on.
    void stop();

    std::uint16_t port() const;  // after start()
    std::string url() const;     // "http://127.0.0.1:8080"

private:
    std::unique_ptr<app::OwnServer> inside_;
};

// ---- what a program may add to its server and its command line

// ---- files that are uploaded

// What is known of a file of a form when its first byte arrives.
struct UploadHead {
    std::string organization_id{};
    std::string field{};         // the form field's name: "files"
    std::string file_name{};     // as the client calls it; only its last path segment, never empty
    std::string content_type{};  // as the client says; empty if it does not
};

// One file under way. Destroyed without a handler having made something of it (the client hung up, the form is broken,
// a later part was refused): nothing of it stays.
//
// Whoever implements it knows its own type and has what else a handler needs: how to finish it.
class Upload {
public:
    virtual ~Upload() = default;

    // The next bytes. Throws Error to refuse the whole request.
    virtual void write(std::span<const std::byte> bytes) = 0;
};

// Where the bytes of uploaded files go while they arrive: the server never holds more than one piece. All calls come
// from a thread that may block, one at a time for one request, and for many requests at a time.
class UploadSink {
public:
    virtual ~UploadSink() = default;

    // Throws Error to refuse the request.
    virtual std::unique_ptr<Upload> begin(const UploadHead& head) = 0;
};

// A file whose bytes have all come. Not yet durable: the handler finishes it.
struct UploadedFile {
    std::string field{};
    std::string file_name{};
    std::string content_type{};
    std::uint64_t size = 0;
    std::string sha256{};  // lower-case hex; only if the request has an Idempotency-Key
    std::unique_ptr<Upload> upload{};
};

// ---- requests

// What one request of a route of the program's own says.
struct HttpRequest {
    std::map<std::string, std::string, std::less<>>
        path{};  // of {name} in the route's path, decoded
    std::map<std::string, std::string, std::less<>> query{};
    std::string body{};  // JSON, if the route takes any
    std::string
        organization_id{};  // of the token that asks: everything it touches has to be that one's
    std::map<std::string, std::string, std::less<>>
        fields{};                       // of a form, if the route takes files
    std::vector<UploadedFile> files{};  // of the same, in their order
};

struct HttpAnswer {
    std::string body{};  // JSON, unless content_type says otherwise
    int status = 200;
    std::string content_type = "application/json";
};

// An answer that comes later. Copies are the same one; any thread may give it, once. If all copies go unanswered, the
// client is told that something went wrong.
class HttpReply {
public:
    explicit HttpReply(std::shared_ptr<app::LaterReply> inside) : inside_(std::move(inside)) {}

    // False if it came too late: it was answered, or nobody waits any more.
    bool answer(HttpAnswer answer) const;
    // As a handler that throws this.
    bool fail(std::exception_ptr error) const;

    // Whether nobody waits any more: the client has gone, the server stops, or it has waited for ten minutes.
    bool is_gone() const;
    // Called then, once; at once if it is so already. It must not block.
    void on_gone(std::function<void()> gone) const;

private:
    std::shared_ptr<app::LaterReply> inside_;
};

// An address of the program's own, beside Belay's; described in /openapi.json like those. It has one of three handlers.
struct HttpRoute {
    std::string method = "GET";  // or POST, PUT, DELETE, PATCH
    std::string path{};          // "/api/sales/{id}"
    std::string summary{};       // one line; every route has one
    bool without_token = false;  // who has no token may ask as well
    bool takes_files = false;    // a POST with a form, whose files go to the UploadSink
    // Called on one of the server's threads, which may block. A belay::Error becomes the answer that its code
    // stands for ({InvalidArgument} 400, {NotFound} 404, …).
    std::function<HttpAnswer(HttpRequest&)> handler{};
    // Of a POST that is done once under its Idempotency-Key: what it writes, and that it was done, are one transaction
    // (belay/tx.hpp: it may be called twice, and its effect commits once).
    std::function<HttpAnswer(HttpRequest&, Tx&)> once{};
    // Of a request that may have to wait: keeps the reply and returns, so that no thread is held meanwhile.
    std::function<void(HttpRequest&, HttpReply)> later{};
};

// ---- numbers

// A number for /metrics: asked for with every scrape.
struct Gauge {
    std::string name{};  // "shop_open_orders"
    std::string help{};
    std::function<double()> value{};
};

// One with labels, and as many lines as there are; `kind` is "gauge" or "counter".
struct Metric {
    struct Sample {
        std::vector<std::pair<std::string, std::string>> labels{};
        double value = 0;
    };
    std::string name{};
    std::string help{};
    std::string kind = "gauge";
    std::vector<Sample> samples{};
};

// ---- commands and settings

// Something to set about `NAME serve`: --fetch-interval, SHOP_FETCH_INTERVAL, fetch_interval = … in its file.
struct Setting {
    std::string name{};       // "fetch-interval"
    std::string otherwise{};  // its default, as text
    std::string placeholder{};
    std::string meaning{};
};

// A value and where it came from: "--fetch-interval", "SHOP_FETCH_INTERVAL", "shop.conf line 3", "the default".
struct GivenSetting {
    std::string value{};
    std::string from{};
};
using GivenSettings = std::map<std::string, GivenSetting, std::less<>>;

// How a command was called.
struct CommandCall {
    std::map<std::string, std::string, std::less<>>
        values{};         // of its options; flags that were given are "true"
    StoreConfig store{};  // what --data and --store named
    std::ostream& out;
    std::ostream& errors;

    // The option's value, or `otherwise` if it was not given.
    std::string value(std::string_view option, std::string otherwise = {}) const;
};

struct CommandOption {
    std::string name{};  // "--days", or "ID" for a word without a dash
    std::string meaning{};
    bool required = false;
    bool is_flag = false;
};

// `NAME prices --days 7`. What `run` gives is the process's exit code; an Error that it throws is printed.
struct Command {
    std::string name{};
    std::string summary{};
    std::vector<CommandOption> options{};
    std::function<int(CommandCall&)> run{};
};

// How the page looks in this program.
struct PageLook {
    struct Link {
        std::string title{};
        std::string url{};
    };
    std::string accent{};  // a colour, "#0a7d55"; empty: Belay's own
    std::string
        start{};  // the view that / shows: "runs", "workflows"; empty: the page's own choice
    std::vector<Link> links{};  // in the navigation: http(s)://… or /…
};

// ---- several of these together

// What a bundle has to build on. All of it outlives what the bundle serves, but the engine: its steps have ended when
// that is destroyed, and nothing may use it any more.
struct BundleParts {
    Engine& engine;
    const GivenSettings& settings;        // every server's and all bundles'
    std::filesystem::path data_folder{};  // where files belong; empty if only a database was named
    std::string store{};                  // as people are shown it, without a password
    bool is_shared = false;               // many machines execute on the store
    // `serve --observe`: others execute. What is defined on the engine is left alone, nothing is started.
    bool observes = false;
    // Handles what other processes ask of this one with a request of that kind: in a transaction, whose answer `body`
    // gives. What it throws is the refusal.
    std::function<void(std::string kind,
                       std::function<std::string(Tx&, const std::string& payload)> body)>
        on_request{};
};

// What a bundle has going on one server. Made before the engine starts, with its workflows and tables.
class ServedBundle {
public:
    virtual ~ServedBundle() = default;

    virtual std::vector<HttpRoute> routes() { return {}; }
    // Where uploaded files go; null: nowhere. Lives as long as this.
    virtual UploadSink* uploads() { return nullptr; }
    virtual std::vector<Metric> metrics() { return {}; }  // with every scrape
    // The engine runs, the server answers. What goes wrong later is told to `log`, one line each.
    virtual void started(std::function<void(std::string_view line)> log) { (void)log; }
    virtual void stopping() {}  // before the engine stops
    // What strangers are not shown of this machine and behind it, with what they read instead.
    virtual std::vector<std::pair<std::string, std::string>> hidden() const { return {}; }
    // Lines of what to try first; and what will not work, if that is known.
    virtual std::string try_first(const std::string& url) const { return (void)url, ""; }
    virtual std::optional<std::string> warning() const { return std::nullopt; }
};

// Settings, commands, views, and what is served, given to an App together: App::add. `belay` is an App with the bundle
// of its ingestion.
class Bundle {
public:
    virtual ~Bundle() = default;

    virtual std::vector<Setting> settings() const { return {}; }
    virtual std::vector<Command> commands() const { return {}; }
    virtual std::vector<std::string> views() const { return {}; }  // of Belay's page
    // On an engine that has not started: defines what it needs. Null: nothing for such a place.
    virtual std::unique_ptr<ServedBundle> serve(const BundleParts& parts) {
        (void)parts;
        return nullptr;
    }
};

// ---- a program

// Keeps what the program defines, and opens an engine only where a command needs one: `serve`, and `submit` while
// nobody executes on the store. The name is that of the program on the command line, of its environment variables
// (SHOP_LISTEN, SHOP_DATA, …) and of its folder (./shop-data).
//
// What is given to it must be given before run(). All of it may be given again to an engine: functions are copied.
class App {
public:
    // Throws Error{InvalidArgument} for a name that is not 1 to 32 lower-case letters, digits and `-`, beginning
    // with a letter.
    App(std::string name, std::string summary, std::string version = {});
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    // As the functions of Engine with these names.
    template <class F>
    App& define(std::string key, F function, WorkflowOptions options = {}) {
        return prepare([key = std::move(key), function = std::move(function),
                        options = std::move(options)](Engine& engine) {
            engine.define(key, function, options);
        });
    }
    template <class In, class Out, class F>
    App& define(const Workflow<In, Out>& workflow, F function, WorkflowOptions options = {}) {
        detail::check_handle<F, In, Out>();
        return define(std::string(workflow.key()), std::move(function), std::move(options));
    }
    template <class Dependent = void>
    App& define(const std::string&, detail::NotOneFunction, WorkflowOptions = {}) {
        detail::say_not_one_function<Dependent>();
        return *this;
    }
    App& migrate(std::string owner, std::vector<std::string> scripts) {
        return prepare([owner = std::move(owner), scripts = std::move(scripts)](Engine& engine) {
            engine.migrate(owner, scripts);
        });
    }
    App& queue(std::string name, QueueLimits limits = {}) {
        return prepare(
            [name = std::move(name), limits](Engine& engine) { engine.queue(name, limits); });
    }
    template <class In>
    App& schedule(std::string name, std::string workflow, In input, ScheduleOptions options) {
        return prepare([=](Engine& engine) { engine.schedule(name, workflow, input, options); });
    }
    App& schedule(std::string name, std::string workflow, ScheduleOptions options) {
        return prepare([=](Engine& engine) { engine.schedule(name, workflow, options); });
    }
    template <class In, class Out>
    App& schedule(std::string name, const Workflow<In, Out>& workflow,
                  std::type_identity_t<In> input, ScheduleOptions options) {
        return schedule(std::move(name), std::string(workflow.key()), std::move(input),
                        std::move(options));
    }
    template <class Out>
    App& schedule(std::string name, const Workflow<void, Out>& workflow, ScheduleOptions options) {
        return schedule(std::move(name), std::string(workflow.key()), std::move(options));
    }
    // Called with every engine that is opened, before it starts and in the order given.
    App& prepare(std::function<void(Engine&)> function);

    App& route(HttpRoute route);
    App& gauge(Gauge gauge);
    App& command(Command command);
    App& look(PageLook look);
    App& add(std::shared_ptr<Bundle> bundle);

    // The command line: what main() returns.
    int run(int argc, const char* const* argv);

private:
    std::unique_ptr<app::Program> program_;
};

}  // namespace belay
