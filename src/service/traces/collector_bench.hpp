// collector_bench.hpp — a collector of traces for tests: takes what OTLP's JSON may be, and nothing else.
//
// It is strict where a real one may be lenient: a field that it does not know, a number where a text belongs, an id of the
// wrong length, a time that is none, a span that came before are faults, which a test must find empty.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "service/http/testkit/test_server.hpp"

namespace belay::traces {

class Collector {
public:
    struct Seen {
        std::string trace, id, parent, name;
        std::int64_t kind = 0, from = 0, to = 0;
        bool failed = false, remote = false;
        std::string message;
        boost::json::object json;
        std::map<std::string, std::string> attributes;  // numbers as texts

        std::string operator[](const std::string& attribute) const {
            const auto found = attributes.find(attribute);
            return found == attributes.end() ? "" : found->second;
        }
    };

    // What the next requests get instead of 200, one each.
    std::vector<http::testkit::Reply> answers;

    http::testkit::TestServer server{[this](const http::testkit::Received& request) {
        const std::lock_guard lock(mutex);
        requests.push_back(request);
        if (!answers.empty()) {
            const auto answer = answers.front();
            answers.erase(answers.begin());
            if (answer.status >= 300 || answer.manner != http::testkit::Reply::Manner::Plain)
                return answer;
            take(request);
            return answer;
        }
        take(request);
        return http::testkit::Reply{200, {{"Content-Type", "application/json"}}, "{}"};
    }};

    std::mutex mutex;
    std::vector<http::testkit::Received> requests;
    std::vector<Seen> spans;
    std::vector<std::string> faults;
    std::map<std::string, std::string> resource;

    // Of that name, in the order they came.
    std::vector<Seen> named(const std::string& name) {
        std::vector<Seen> found;
        for (const Seen& span : spans)
            if (span.name == name) found.push_back(span);
        return found;
    }
    const Seen* with_id(const std::string& id) {
        for (const Seen& span : spans)
            if (span.id == id) return &span;
        return nullptr;
    }
    // Also that every parent that is not another process's has come, in the same trace.
    std::vector<std::string> all_faults() {
        std::vector<std::string> all = faults;
        for (const Seen& span : spans) {
            if (span.parent.empty() || span.remote) continue;
            const Seen* parent = with_id(span.parent);
            if (parent == nullptr)
                all.push_back(span.name + " has a parent that never came");
            else if (parent->trace != span.trace)
                all.push_back(span.name + " is in another trace than its parent");
        }
        return all;
    }

private:
    using Json = boost::json::value;
    using Object = boost::json::object;

    void fault(std::string what) { faults.push_back(std::move(what)); }

    void only(const Object& object, const std::string& where, std::set<std::string> names) {
        for (const auto& one : object)
            if (!names.contains(std::string(one.key())))
                fault(fmt::format("{} has a field `{}`", where, std::string(one.key())));
    }
    std::string text(const Object& object, const std::string& name, const std::string& where,
                     bool needed = true) {
        const auto* value = object.if_contains(name);
        if (value == nullptr) {
            if (needed) fault(fmt::format("{} has no {}", where, name));
            return "";
        }
        if (!value->is_string()) {
            fault(fmt::format("{} of {} is no text", name, where));
            return "";
        }
        return std::string(value->get_string());
    }
    std::string hex(const Object& object, const std::string& name, std::size_t digits,
                    const std::string& where, bool needed) {
        std::string id = text(object, name, where, needed);
        if (id.empty() && !needed) return id;
        if (id.size() != digits || id.find_first_not_of("0123456789abcdef") != std::string::npos ||
            id.find_first_not_of('0') == std::string::npos)
            fault(fmt::format("{} of {} is `{}`", name, where, id));
        return id;
    }
    std::int64_t time(const Object& object, const std::string& name, const std::string& where) {
        const std::string digits = text(object, name, where);
        // Nanoseconds of a time after 2001: whoever sends milliseconds is found out.
        if (digits.size() < 19 || digits.find_first_not_of("0123456789") != std::string::npos) {
            fault(fmt::format("{} of {} is `{}`", name, where, digits));
            return 0;
        }
        return std::stoll(digits);
    }
    std::map<std::string, std::string> attributes(const Object& of, const std::string& where) {
        std::map<std::string, std::string> found;
        const auto* all = of.if_contains("attributes");
        if (all == nullptr) return found;
        for (const Json& one : all->as_array()) {
            const Object& entry = one.as_object();
            only(entry, "an attribute of " + where, {"key", "value"});
            const std::string key = text(entry, "key", "an attribute of " + where);
            const Object& value = entry.at("value").as_object();
            if (value.size() != 1) fault(key + " has not one value");
            only(value, key, {"stringValue", "intValue", "boolValue"});
            std::string is;
            if (value.contains("boolValue"))
                is = value.at("boolValue").as_bool() ? "true" : "false";
            // 64-bit numbers are texts.
            else if (value.contains("intValue"))
                is = text(value, "intValue", key);
            else
                is = text(value, "stringValue", key);
            if (key.empty() || !found.emplace(key, is).second)
                fault("attribute " + key + " comes twice");
        }
        return found;
    }

    void take(const http::testkit::Received& request) {
        if (request.method != "POST" || request.path != "/v1/traces")
            fault(request.method + " " + request.path);
        if (request.header("content-type") != "application/json")
            fault("content type " + request.header("content-type"));
        try {
            const Json body = boost::json::parse(request.body);
            only(body.as_object(), "the request", {"resourceSpans"});
            for (const Json& one : body.at("resourceSpans").as_array()) {
                only(one.as_object(), "resourceSpans", {"resource", "scopeSpans"});
                resource = attributes(one.at("resource").as_object(), "the resource");
                if (!resource.contains("service.name")) fault("no service.name");
                for (const Json& scoped : one.at("scopeSpans").as_array()) {
                    only(scoped.as_object(), "scopeSpans", {"scope", "spans"});
                    only(scoped.at("scope").as_object(), "scope", {"name", "version"});
                    for (const Json& span : scoped.at("spans").as_array())
                        take_span(span.as_object());
                }
            }
        } catch (const std::exception& error) {
            fault(error.what());
        }
    }

    void take_span(const Object& json) {
        Seen span;
        span.json = json;
        span.name = text(json, "name", "a span");
        if (span.name.empty()) fault("a span without a name");
        only(json, span.name,
             {"traceId", "spanId", "parentSpanId", "traceState", "flags", "name", "kind",
              "startTimeUnixNano", "endTimeUnixNano", "attributes", "events", "links", "status"});
        span.trace = hex(json, "traceId", 32, span.name, true);
        span.id = hex(json, "spanId", 16, span.name, true);
        span.parent = hex(json, "parentSpanId", 16, span.name, false);
        if (with_id(span.id) != nullptr) fault(span.name + " came twice");
        span.kind = json.at("kind").as_int64();
        if (span.kind < 1 || span.kind > 5) fault(span.name + " has no kind");
        span.from = time(json, "startTimeUnixNano", span.name);
        span.to = time(json, "endTimeUnixNano", span.name);
        if (span.to < span.from) fault(span.name + " ended before it began");
        const std::int64_t flags = json.at("flags").as_int64();
        span.remote = (flags & 0x200) != 0;
        span.attributes = attributes(json, span.name);
        if (const auto* events = json.if_contains("events")) {
            for (const Json& event : events->as_array()) {
                only(event.as_object(), "an event", {"timeUnixNano", "name", "attributes"});
                time(event.as_object(), "timeUnixNano", "an event");
                text(event.as_object(), "name", "an event");
                attributes(event.as_object(), "an event");
            }
        }
        if (const auto* links = json.if_contains("links")) {
            for (const Json& link : links->as_array()) {
                only(link.as_object(), "a link", {"traceId", "spanId", "attributes"});
                hex(link.as_object(), "traceId", 32, "a link", true);
                hex(link.as_object(), "spanId", 16, "a link", true);
            }
        }
        const Object& status = json.at("status").as_object();
        only(status, "status", {"code", "message"});
        if (const auto* code = status.if_contains("code")) span.failed = code->as_int64() == 2;
        span.message = text(status, "message", "status", false);
        spans.push_back(std::move(span));
    }
};

}  // namespace belay::traces
