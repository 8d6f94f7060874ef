// body_sql.hpp — a program's SQL on a PostgreSQL connection: how its values cross.
//
// Integers, doubles, text and bytes are sent as such; what comes back is read by its type: numbers of every
// width, booleans as 0 and 1, bytea as bytes. A numeric without a fraction is an integer, with one it is its
// exact text, and everything else (dates, JSON, arrays) is PostgreSQL's text.
#pragma once

#include <span>
#include <string_view>

#include <belay/sql.hpp>

#include "core/store/postgres/connection.hpp"
#include "core/store/postgres/dialect.hpp"

namespace belay::store::postgres {

// Throws Error{InvalidArgument} if the statement has another number of parameters.
Parameters parameters_of(const Translated& statement, std::span<const SqlValue> values,
                         std::string_view sql);

SqlResult result_of(const Result& result, bool reads_only);

}  // namespace belay::store::postgres
