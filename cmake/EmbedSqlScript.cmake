# EmbedSqlScript.cmake — writes OUT/sql.hpp and OUT/sql.cpp from the files named in LIST.
#
# Runs at build time (cmake -P). Texts are only ever handled as quoted strings: SQL is full of
# semicolons, and CMake would take an unquoted one for a list.

file(STRINGS "${LIST}" files)

# A C++ literal of `text`. Compilers need only accept 64 KB in one, so longer ones are written as
# neighbours, cut at a line end so that no character is split.
function(literal out file text)
    string(FIND "${text}" ")sql\"" clash)
    if(NOT clash EQUAL -1)
        message(FATAL_ERROR "${file}: contains )sql\" which would end the C++ literal it is embedded in")
    endif()
    set(limit 60000)
    set(result "")
    string(LENGTH "${text}" length)
    while(length GREATER limit)
        string(SUBSTRING "${text}" 0 ${limit} head)
        string(FIND "${head}" "\n" cut REVERSE)
        if(cut EQUAL -1)
            message(FATAL_ERROR "${file}: a line longer than ${limit} bytes")
        endif()
        math(EXPR cut "${cut} + 1")
        string(SUBSTRING "${text}" 0 ${cut} head)
        string(SUBSTRING "${text}" ${cut} -1 text)
        string(APPEND result "R\"sql(${head})sql\"\n")
        string(LENGTH "${text}" length)
    endwhile()
    set(${out} "${result}R\"sql(${text})sql\"sv" PARENT_SCOPE)
endfunction()

set(declared "")
set(defined "")
set(table "")
set(last 0)
foreach(file IN LISTS files)
    cmake_path(GET file STEM LAST_ONLY name)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    file(READ "${file}" text)
    literal(text "${file}" "${text}")
    if(folder STREQUAL "migrations")
        if(NOT name MATCHES "^([0-9][0-9][0-9][0-9])_([a-z][a-z0-9_]*)$")
            message(FATAL_ERROR "${file}: a migration is called 0001_what_it_does.sql")
        endif()
        set(title "${CMAKE_MATCH_2}")
        string(REGEX REPLACE "^0+" "" number "${CMAKE_MATCH_1}")
        math(EXPR expected "${last} + 1")
        if(NOT number STREQUAL expected)
            message(FATAL_ERROR "${file}: migrations are numbered without gaps; expected ${expected}")
        endif()
        set(last ${number})
        string(APPEND table "    Migration{${number}, \"${title}\"sv, ${text}},\n")
    else()
        if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
            message(FATAL_ERROR "${file}: the name must be a C++ identifier in snake_case")
        endif()
        string(APPEND declared "extern const std::string_view ${name};\n")
        string(APPEND defined "constinit const std::string_view ${name} = ${text};\n\n")
    endif()
endforeach()

file(WRITE "${OUT}/sql.hpp" "// sql.hpp — generated from this room's .sql files by cmake/EmbedSqlScript.cmake.
#pragma once

#include <span>
#include <string_view>

namespace ${NAMESPACE} {

struct Migration {
    int number;
    std::string_view name;
    std::string_view text;
};

${declared}
extern const std::span<const Migration> migrations;

}  // namespace ${NAMESPACE}
")

# std::array has a size of zero where a built-in array has none.
file(WRITE "${OUT}/sql.cpp" "// sql.cpp — generated from this room's .sql files by cmake/EmbedSqlScript.cmake.
#include \"${HEADER}\"

#include <array>

namespace ${NAMESPACE} {

using namespace std::string_view_literals;

${defined}static constexpr std::array<Migration, ${last}> kMigrations{
${table}};

constinit const std::span<const Migration> migrations{kMigrations};

}  // namespace ${NAMESPACE}
")
