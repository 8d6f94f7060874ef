// address.hpp — the parts of a store's address: what libpq is given, which schema, and how people call it.
#pragma once

#include <string>
#include <string_view>

namespace belay::store::postgres {

struct Address {
    std::string url;     // for libpq
    std::string schema;  // empty if it names none
    std::string shown;   // without the password
};

// Throws Error{InvalidArgument} for something that is no address, or has a schema that is no plain name.
Address parse_address(std::string_view address);

}  // namespace belay::store::postgres
