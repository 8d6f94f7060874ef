#include "core/store/postgres/body_rules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/store/sql/body.hpp"

namespace belay::store::postgres {

namespace {

std::vector<const Token*> spoken(const std::vector<Token>& tokens) {
    std::vector<const Token*> out;
    for (const Token& token : tokens) {
        if (token.kind != Token::Kind::Space) out.push_back(&token);
    }
    return out;
}

bool is_one_of(const Token& token, const auto& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return token.is(word); });
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    return text;
}

// The table's name that begins at `i`: behind words such as IF NOT EXISTS, and without a schema.
std::string table_at(const std::vector<const Token*>& tokens, std::size_t i) {
    static constexpr std::array kBetween{"if", "not", "exists", "only"};
    while (i < tokens.size() && is_one_of(*tokens[i], kBetween)) ++i;
    while (i + 2 < tokens.size() && tokens[i + 1]->is(".")) i += 2;
    if (i >= tokens.size()) return "";
    const Token& name = *tokens[i];
    if (name.kind == Token::Kind::Quoted) return name.text.substr(1, name.text.size() - 2);
    return name.kind == Token::Kind::Word ? name.text : "";
}

// Whether the word at `i` is followed by the name of a table that is written, altered or shadowed.
bool names_target(const std::vector<const Token*>& tokens, std::size_t i) {
    static constexpr std::array kTargets{"into", "update", "table", "view", "on", "truncate"};
    if (is_one_of(*tokens[i], kTargets)) return true;
    return tokens[i]->is("from") && i > 0 && tokens[i - 1]->is("delete");
}

}  // namespace

std::string refusal_of(const std::vector<Token>& tokens) {
    static constexpr std::array kAllowed{"select", "insert",  "update", "delete", "with",
                                         "values", "create",  "alter",  "drop",   "merge",
                                         "table",  "comment", "explain"};
    static constexpr std::array kEnds{"commit", "rollback", "begin",  "end",
                                      "start",  "abort",    "prepare"};
    const auto said = spoken(tokens);
    if (said.empty() || said.front()->kind != Token::Kind::Word) return "";
    const Token& first = *said.front();
    if (is_one_of(first, kEnds)) {
        return fmt::format(
            "{} is not for a transaction body: Belay commits it together with its checkpoint",
            upper(first.text));
    }
    if (first.is("savepoint") || first.is("release"))
        return "a transaction body must not use SAVEPOINT or RELEASE";
    static constexpr std::array kSession{
        "pragma",  "attach", "detach",   "set",     "reset",      "lock",    "listen",
        "notify",  "copy",   "truncate", "vacuum",  "unlisten",   "do",      "call",
        "discard", "grant",  "revoke",   "execute", "deallocate", "declare", "analyze"};
    if (is_one_of(first, kSession))
        return fmt::format("a transaction body must not use {}", upper(first.text));
    if (first.is("create") && said.size() > 1 &&
        (said[1]->is("temp") || said[1]->is("temporary"))) {
        return "a transaction body must not make temporary tables";
    }
    if (!is_one_of(first, kAllowed)) return "";  // PostgreSQL says that it is no SQL
    const bool makes = first.is("create") || first.is("alter") || first.is("drop");
    for (std::size_t i = 0; i + 1 < said.size(); ++i) {
        if (!names_target(said, i)) continue;
        // ON of a join reads; ON of an index or a trigger writes.
        if (said[i]->is("on") && !makes) continue;
        const std::string table = table_at(said, i + 1);
        if (is_own_table(table)) return fmt::format("the table {} is Belay's own", table);
    }
    return "";
}

bool reads_only(const std::vector<Token>& tokens) {
    static constexpr std::array kReads{"select", "values", "with", "table", "explain"};
    static constexpr std::array kWrites{"insert", "update", "delete", "merge", "into"};
    const auto said = spoken(tokens);
    if (said.empty() || !is_one_of(*said.front(), kReads)) return false;
    return std::none_of(said.begin(), said.end(),
                        [](const Token* token) { return is_one_of(*token, kWrites); });
}

}  // namespace belay::store::postgres
