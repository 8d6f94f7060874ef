// body.hpp — a request's JSON body as a described struct, or a refusal that names what is wrong with it.
//
// A field that the struct does not have is refused, as its schema says (`additionalProperties: false`): a misspelt
// one would otherwise be left out in silence.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "service/api/errors.hpp"
#include "service/api/request.hpp"

namespace belay::api {

// What the codec says of a body, in the words of whoever sent it: "the body: expected an object, found a number",
// "the body's title: expected a string, found a number".
std::string body_fault(std::string_view what);

// Throws ApiError{invalid_json} naming the first field that is none of `known`. A body that is no object passes.
void refuse_unknown_fields(std::string_view body, const std::vector<std::string_view>& known);

template <class T>
std::vector<std::string_view> field_names() {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public |
                                                             boost::describe::mod_inherited>;
    std::vector<std::string_view> names;
    boost::mp11::mp_for_each<Members>([&](auto member) { names.emplace_back(member.name); });
    return names;
}

// The body as a T; none is {}. Throws ApiError{invalid_json}.
template <class T>
T body_as(const Request& request) {
    const std::string_view body = request.body.empty() ? "{}" : std::string_view(request.body);
    refuse_unknown_fields(body, field_names<T>());
    try {
        return from_json<T>(body);
    } catch (const Error& error) {
        throw ApiError(Problem::InvalidJson, body_fault(error.what()));
    }
}

}  // namespace belay::api
