// route.hpp — one row of the table from which both routing and /openapi.json come.
//
// A POST says when it compiles whether to do it twice is to do it once. What is not in a row does not exist: a path without a summary, an error code that is not listed, a
// parameter without a schema cannot be reached, documented or tested.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "service/api/errors.hpp"
#include "service/api/idempotency.hpp"
#include "service/api/reply.hpp"
#include "service/api/request.hpp"
#include "service/api/response.hpp"
#include "service/api/schema.hpp"

namespace belay::api {

// Who may call.
enum class Access {
    Anyone,        // also without a token: health, the page, the description
    Organization,  // whoever has a token, or sits on the same machine while there is none
};

// What the body of a request has to be.
enum class Takes {
    Nothing,
    Json,  // in memory, at most `body_max`
    Form,  // multipart/form-data: file parts go to the UploadSink, fields to memory
};

struct Parameter {
    enum class In { Path, Query, Header };
    In in = In::Query;
    std::string name{};
    std::string meaning{};
    JsonSchema schema{};
    bool required = false;
};

// Called on a thread that may block, and may take what it needs out of the request (the uploads of a
// form). Throws ApiError or belay::Error to refuse.
using Handler = std::function<Response(Request&)>;

// Of a request that may have to wait: takes what it needs of the request, keeps the reply and returns.
using LaterHandler = std::function<void(Request&, Reply)>;

// A POST that is done once under an Idempotency-Key: whatever it does, its claim does.
struct Once {
    std::function<Claimed(Request&, const Claim&)> handler{};
};
// A POST of which a second time does nothing more, with a key or without; and why that is so.
struct Repeatable {
    std::string because{};
    Handler handler{};
};
// The same of one whose answer comes later.
struct RepeatableLater {
    std::string because{};
    LaterHandler later{};
};

inline constexpr std::size_t kJsonBodyBytesMax = 1024 * 1024;

struct Route {
    std::string path{};     // "/api/runs/{id}"
    std::string summary{};  // one line
    std::string group{};    // "runs": how the documentation orders them
    Access access = Access::Organization;
    std::vector<Parameter> parameters{};
    Takes takes = Takes::Nothing;
    JsonSchema request_schema{};
    bool plain_text = false;     // Json: also when it is called text/plain, as SNS does
    bool body_optional = false;  // Json: no body is as good as {}
    std::size_t body_max = kJsonBodyBytesMax;
    int success = 200;
    std::string response_type = "application/json";
    JsonSchema response_schema{};
    std::vector<Problem> problems{};  // beside those that every path may answer
    bool websocket = false;           // the server talks on; there is no handler
    // What the audit trail calls it ("retry"); empty: it is not told there. A handler that does not write through its claim
    // writes the row itself.
    std::string audit{};
    bool audit_body = false;  // with the body
    Handler handler{};        // of a GET; of the others `on` says it
    LaterHandler later{};     // instead of it: the answer comes later

    // Route::on<Method::Post>(Once{…}), on<Method::Delete>(…).
    template <Method kMethod, class How>
    void on(How how) {
        static_assert(
            kMethod != Method::Post || std::is_same_v<How, Once> ||
                std::is_same_v<How, Repeatable> || std::is_same_v<How, RepeatableLater>,
            "a POST says what a second one does: on<Method::Post>(Once{...}) if its claim "
            "does everything, or Repeatable{why, ...} if a second time does nothing more");
        method_ = kMethod;
        if constexpr (std::is_same_v<How, Once>) {
            once_ = std::move(how.handler);
        } else if constexpr (std::is_same_v<How, Repeatable>) {
            handler = std::move(how.handler);
        } else if constexpr (std::is_same_v<How, RepeatableLater>) {
            later = std::move(how.later);
        } else if constexpr (std::is_same_v<How, LaterHandler>) {
            later = std::move(how);
        } else {
            handler = std::move(how);
        }
    }
    Method method() const { return method_; }
    bool is_once() const { return static_cast<bool>(once_); }
    Claimed call(Request& request, const Claim& claim) const {
        return once_ ? once_(request, claim) : Claim::nothing_done(handler(request));
    }

private:
    Method method_ = Method::Get;
    std::function<Claimed(Request&, const Claim&)> once_{};
};

// What a path and a method lead to.
struct Found {
    const Route* route = nullptr;
    std::map<std::string, std::string, std::less<>> parameters{};
};
struct NoSuchPath {};
struct OtherMethods {
    std::string allow{};  // "GET, HEAD, POST"
};
using RouteMatch = std::variant<Found, NoSuchPath, OtherMethods>;

class Routes {
public:
    // A row that contradicts another, or lacks a summary, is a bug of ours: it ends the process.
    void add(Route route);

    // A segment written out wins over a parameter. HEAD finds the GET. `path` is still escaped; a
    // parameter with a broken escape matches nothing.
    RouteMatch match(Method method, std::string_view path) const;

    const std::vector<std::unique_ptr<Route>>& all() const { return routes_; }

private:
    // Stable addresses: matches point at them.
    std::vector<std::unique_ptr<Route>> routes_;
};

// The usual rows of parameters.
Parameter path_parameter(std::string name, std::string meaning);
Parameter query_parameter(std::string name, std::string meaning,
                          JsonSchema schema = string_schema());
std::vector<Parameter> list_parameters();  // limit, cursor
// since, until: of what `happened` ("came") then.
std::vector<Parameter> span_parameters(std::string_view happened);

}  // namespace belay::api
