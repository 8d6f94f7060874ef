// dialect.hpp — a program's SQL, written once for every store, as PostgreSQL takes it.
//
// Programs and rooms write their tables and statements in the subset that SQLite and PostgreSQL share, with `?`
// for parameters. What differs in spelling only is translated here, token by token; text and quoted names are
// never touched. What is not known here goes to PostgreSQL as it is, so all of its SQL can be used by programs
// that run only there. Where the two have nothing in common, a statement says both: what stands in
// `/*postgres … */` is a comment to SQLite, and what stands between `/*sqlite*/` and `/*end*/` is left out here.
// docs/postgres.md has the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belay::store::postgres {

struct Token {
    enum class Kind { Space, Word, Quoted, Text, Number, Parameter, Mark };
    Kind kind;
    std::string text;

    bool is(std::string_view word) const;  // a word, whatever its case; or a mark
};

std::vector<Token> tokens_of(std::string_view sql);

struct Translated {
    std::string sql;
    int parameters = 0;
    bool reads_only = false;  // SELECT or VALUES, and nothing inside that writes
    bool dooms_body =
        false;  // INSERT OR ROLLBACK: a conflict takes everything back that the body did
    std::string refused{};  // what a transaction body must not do, as a sentence; empty if it may
};

// One statement. Throws Error{InvalidArgument} for one that has a SQLite spelling which cannot be translated.
Translated translate(std::string_view sql);

// A script of any number of statements, each translated.
std::vector<Translated> translate_script(std::string_view sql);

}  // namespace belay::store::postgres
