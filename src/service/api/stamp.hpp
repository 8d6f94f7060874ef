// stamp.hpp — a time in an answer: RFC 3339 in UTC with milliseconds, in the JSON as in its schema.
//
// A bare Time crosses a checkpoint as a count of milliseconds, which is right for records and wrong for clients.
#pragma once

#include <boost/json/value.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>
#include <belay/time.hpp>

#include "core/base/text.hpp"
#include "service/api/schema.hpp"

namespace belay::api {

struct Stamp {
    Time at{};
};

template <>
struct Schema<Stamp> {
    static JsonSchema make(SchemaFor use) { return Schema<Time>::make(use); }
};

}  // namespace belay::api

template <>
struct belay::Codec<belay::api::Stamp> {
    static void write(std::string& out, const api::Stamp& stamp) {
        belay::write_json(out, base::format_time(stamp.at));
    }
    static api::Stamp read(const boost::json::value& value) {
        const auto time = base::parse_time(belay::read_json<std::string>(value));
        if (!time)
            throw Error(ErrorCode::BadValue, "expected a time like 2026-11-15T20:00:00.000Z");
        return {*time};
    }
};
