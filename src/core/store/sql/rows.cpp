#include "core/store/sql/rows.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::store {

void unknown_word_in_row(std::string_view column, std::string_view word) {
    throw Error(ErrorCode::BadValue,
                fmt::format("the database has the unknown {} '{}'", column, word));
}

}  // namespace belay::store
