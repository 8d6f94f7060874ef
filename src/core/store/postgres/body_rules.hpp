// body_rules.hpp — what a transaction body may do, decided from the tokens of its SQL.
//
// It may read and write the program's own tables, and make them. It may not end or divide the transaction,
// change the session, or write Belay's tables; those are also kept from it by the writer's savepoints and, where
// a program's role is restricted, by grants. Functions that a program made itself are its own business.
#pragma once

#include <string>
#include <vector>

#include "core/store/postgres/dialect.hpp"

namespace belay::store::postgres {

// Empty if it may, else why not, as a sentence.
std::string refusal_of(const std::vector<Token>& tokens);

// SELECT, VALUES or WITH, without INSERT, UPDATE, DELETE or MERGE inside.
bool reads_only(const std::vector<Token>& tokens);

}  // namespace belay::store::postgres
