# EmbedSql.cmake — a room's SQL files become constants of that room, at build time.
#
#   belay_embed_sql(belay_store_sqlite sql migrations)
#
# With sql/claim_run.sql and migrations/0001_first.sql in the room's folder, `#include
# "core/store/sqlite/sql.hpp"` declares, in namespace belay::store::sqlite::sql,
#   extern const std::string_view claim_run;
#   extern const std::span<const Migration> migrations;   // {number, name, text}, ascending from 1
# A folder called `migrations` makes the table; any other makes one constant a file. Change a file and
# the next build regenerates it. EmbedSqlScript.cmake does the writing.

include_guard(GLOBAL)

function(belay_embed_sql target)
    string(REGEX REPLACE "^belay_" "" id "${target}")
    get_property(dir GLOBAL PROPERTY BELAY_ROOM_${id}_DIR)
    if(NOT dir)
        message(FATAL_ERROR "belay_embed_sql(${target}): not the target of a room declared above")
    endif()
    cmake_path(RELATIVE_PATH dir BASE_DIRECTORY "${BELAY_SOURCE_DIR}/src" OUTPUT_VARIABLE path)
    string(REGEX REPLACE "^[a-z]+/(.*)$" "\\1" room "${path}")  # a storey is no namespace
    string(REPLACE "/" "::" namespace "belay/${room}/sql")

    set(files "")
    foreach(folder IN LISTS ARGN)
        file(GLOB found CONFIGURE_DEPENDS "${dir}/${folder}/*.sql")
        list(SORT found)
        list(APPEND files ${found})
    endforeach()

    # The list goes through a file, so that adding or removing a .sql also makes the outputs stale.
    set(out "${BELAY_GENERATED_DIR}/${path}")
    list(JOIN files "\n" lines)
    file(CONFIGURE OUTPUT "${out}/sql.list" CONTENT "${lines}\n" @ONLY)
    set(script "${BELAY_SOURCE_DIR}/cmake/EmbedSqlScript.cmake")
    add_custom_command(
        OUTPUT "${out}/sql.hpp" "${out}/sql.cpp"
        COMMAND "${CMAKE_COMMAND}" "-DLIST=${out}/sql.list" "-DOUT=${out}" "-DNAMESPACE=${namespace}"
            "-DHEADER=${path}/sql.hpp" -P "${script}"
        DEPENDS ${files} "${out}/sql.list" "${script}"
        COMMENT "Embedding SQL of ${path}"
        VERBATIM)
    add_custom_target(belay_${id}_sql DEPENDS "${out}/sql.hpp" "${out}/sql.cpp")
    add_dependencies(${target} belay_${id}_sql)
    add_dependencies(belay_generated belay_${id}_sql)

    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
        target_sources(${target} PRIVATE "${out}/sql.cpp")
        set_source_files_properties("${out}/sql.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
endfunction()
