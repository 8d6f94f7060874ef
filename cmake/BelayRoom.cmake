# BelayRoom.cmake — a room is a folder, a CMake target and a namespace; this makes one in one line.
#
#   belay_room(store/sqlite DEPENDS store env PRIVATE_LIBS SQLite::SQLite3 TEST_DEPENDS store/memory)
#
# gives belay_store_sqlite (alias belay::store_sqlite) from src/core/store/sqlite/*.cpp, and in a build with
# tests also
#   store_sqlite_tests      the *_test.cpp beside the code, one ctest entry
#   store_sqlite_link_test  an empty main with the whole room and only what it declares
#   store_sqlite_headers    every header of the room that no source begins with, compiled alone
# EXPORT gives it another name outside: `server` is what programs link, and not the room of sockets.
# A room may depend only on rooms declared above it, so the order of the storeys in
# src/CMakeLists.txt, and of the rooms in theirs, is the direction of the architecture and there can be no
# cycle. What the linker cannot see (an inline function, a bare type) tools/check-includes does.

include_guard(GLOBAL)

set(BELAY_SOURCE_DIR "${CMAKE_CURRENT_LIST_DIR}/..")
cmake_path(NORMAL_PATH BELAY_SOURCE_DIR)
set(BELAY_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")

# Rooms are written `store/memory` or `store_memory`; targets and tables use the second form.
function(belay_room_ids out)
    set(ids "")
    foreach(name IN LISTS ARGN)
        string(REPLACE "/" "_" id "${name}")
        list(APPEND ids "${id}")
    endforeach()
    set(${out} "${ids}" PARENT_SCOPE)
endfunction()

# Every room reachable from the given ones, themselves included.
function(belay_room_closure out)
    belay_room_ids(all ${ARGN})
    foreach(id IN LISTS all)
        get_property(more GLOBAL PROPERTY BELAY_ROOM_${id}_CLOSURE)
        list(APPEND all ${more})
    endforeach()
    list(REMOVE_DUPLICATES all)
    set(${out} "${all}" PARENT_SCOPE)
endfunction()

# Lets a target of this repository see room headers ("core/store/store.hpp") and generated ones. The path
# is never part of a room's interface: a program that links belay::belay must not see src/.
function(belay_see_rooms target)
    target_include_directories(${target} PRIVATE "${BELAY_SOURCE_DIR}/src" "${BELAY_GENERATED_DIR}")
endfunction()

function(belay_room name)
    cmake_parse_arguments(PARSE_ARGV 1 ROOM "HEADER_ONLY" "DIR;EXPORT"
        "DEPENDS;PUBLIC_LIBS;PRIVATE_LIBS;TEST_DEPENDS;TEST_LIBS")
    if(ROOM_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "belay_room(${name}): unknown arguments: ${ROOM_UNPARSED_ARGUMENTS}")
    endif()
    belay_room_ids(id ${name})
    belay_room_ids(ROOM_DEPENDS ${ROOM_DEPENDS})
    belay_room_ids(ROOM_TEST_DEPENDS ${ROOM_TEST_DEPENDS})
    if(NOT ROOM_DIR)
        set(ROOM_DIR "${CMAKE_CURRENT_SOURCE_DIR}/${name}")  # a storey's CMakeLists.txt lies above its rooms
    endif()
    cmake_path(ABSOLUTE_PATH ROOM_DIR BASE_DIRECTORY "${BELAY_SOURCE_DIR}" NORMALIZE)

    get_property(known GLOBAL PROPERTY BELAY_ROOMS)
    foreach(other IN LISTS ROOM_DEPENDS)
        if(NOT other IN_LIST known)
            message(FATAL_ERROR "belay_room(${name}): depends on '${other}', which is not declared "
                "above it in the CMakeLists.txt of its storey or of one below")
        endif()
    endforeach()
    belay_room_closure(closure ${ROOM_DEPENDS})
    set_property(GLOBAL APPEND PROPERTY BELAY_ROOMS ${id})
    set_property(GLOBAL PROPERTY BELAY_ROOM_${id}_CLOSURE "${closure}")
    set_property(GLOBAL PROPERTY BELAY_ROOM_${id}_TEST_DEPENDS "${ROOM_TEST_DEPENDS}")
    set_property(GLOBAL PROPERTY BELAY_ROOM_${id}_DIR "${ROOM_DIR}")

    file(GLOB sources CONFIGURE_DEPENDS "${ROOM_DIR}/*.cpp")
    file(GLOB tests CONFIGURE_DEPENDS "${ROOM_DIR}/*_test.cpp")
    file(GLOB headers CONFIGURE_DEPENDS "${ROOM_DIR}/*.hpp")
    if(id STREQUAL "public")  # the one room with folders inside: detail/ is not for people
        file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${ROOM_DIR}/*.hpp")
    endif()
    list(REMOVE_ITEM sources ${tests})

    list(TRANSFORM ROOM_DEPENDS PREPEND belay_)
    if(ROOM_HEADER_ONLY OR NOT sources)
        add_library(belay_${id} INTERFACE)
        target_link_libraries(belay_${id} INTERFACE ${ROOM_DEPENDS} ${ROOM_PUBLIC_LIBS} ${ROOM_PRIVATE_LIBS})
    else()
        add_library(belay_${id} STATIC ${sources})
        target_link_libraries(belay_${id}
            PUBLIC ${ROOM_DEPENDS} ${ROOM_PUBLIC_LIBS}
            PRIVATE ${ROOM_PRIVATE_LIBS})
        belay_see_rooms(belay_${id})
        belay_use_pch(belay_${id} belay_pch)
    endif()
    if(NOT ROOM_EXPORT)
        set(ROOM_EXPORT ${id})
    endif()
    add_library(belay::${ROOM_EXPORT} ALIAS belay_${id})
    set_target_properties(belay_${id} PROPERTIES EXPORT_NAME ${ROOM_EXPORT})

    if(BUILD_TESTING AND tests)
        list(TRANSFORM ROOM_TEST_DEPENDS PREPEND belay_)
        belay_test(${id}_tests LABEL room SOURCES ${tests}
            LIBS belay_${id} ${ROOM_TEST_DEPENDS} ${ROOM_TEST_LIBS} ${ROOM_PRIVATE_LIBS})
    endif()
    if(BELAY_ROOM_CHECKS)
        belay_room_header_check(${id} "${ROOM_DIR}" ${headers})
        belay_room_link_test(${id})
    endif()
endfunction()

# Whether a source beside it begins with this header: then building that source is the header's check.
function(belay_begins_a_source out header dir)
    set(${out} OFF PARENT_SCOPE)
    cmake_path(GET header STEM stem)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${BELAY_SOURCE_DIR}/src" OUTPUT_VARIABLE shown)
    foreach(source "${dir}/${stem}.cpp" "${dir}/${stem}_test.cpp")
        if(EXISTS "${source}")
            file(STRINGS "${source}" first LIMIT_COUNT 1 REGEX "^#include")
            if(first STREQUAL "#include \"${shown}\"")
                set(${out} ON PARENT_SCOPE)
            endif()
        endif()
    endforeach()
endfunction()

# Every header, alone. The precompiled header makes this cheap; the includes that it would hide
# tools/check-std-includes looks for.
function(belay_room_header_check id dir)
    set(alone "")
    foreach(header IN LISTS ARGN)
        belay_begins_a_source(checked "${header}" "${dir}")
        if(checked)
            continue()
        endif()
        cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${dir}" OUTPUT_VARIABLE shown)
        string(REPLACE "/" "_" file "${shown}")
        set(probe "${CMAKE_BINARY_DIR}/header-check/${id}/${file}.cpp")
        if(id STREQUAL "public")
            set(shown "belay/${shown}")
        else()
            cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${BELAY_SOURCE_DIR}/src" OUTPUT_VARIABLE shown)
        endif()
        file(CONFIGURE OUTPUT "${probe}" CONTENT "#include \"${shown}\"\n" @ONLY)
        list(APPEND alone "${probe}")
    endforeach()
    if(alone)
        add_library(${id}_headers OBJECT ${alone})
        target_link_libraries(${id}_headers PRIVATE belay_${id})
        if(id STREQUAL "public")  # what people include gets no help
            target_compile_options(${id}_headers PRIVATE -O0 -g0)
        else()
            belay_use_pch(${id}_headers belay_pch)
            belay_see_rooms(${id}_headers)
        endif()
        belay_only_for_tests(${id}_headers)
    endif()
endfunction()

# Building this executable is the test: a symbol from an undeclared room stays undefined.
function(belay_room_link_test id)
    get_target_property(type belay_${id} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
        set(main "${CMAKE_BINARY_DIR}/link-test/main.cpp")
        file(CONFIGURE OUTPUT "${main}" CONTENT "int main() {}\n" @ONLY)
        add_executable(${id}_link_test "${main}")
        target_link_libraries(${id}_link_test PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,belay_${id}>")
        target_link_options(${id}_link_test PRIVATE -Wl,--strip-all)
        belay_only_for_tests(${id}_link_test)
    endif()
endfunction()

# Writes the table of rooms and adds the include check over it. Call once, after the last room.
function(belay_check_includes)
    set(table "")
    get_property(rooms GLOBAL PROPERTY BELAY_ROOMS)
    foreach(id IN LISTS rooms)
        get_property(dir GLOBAL PROPERTY BELAY_ROOM_${id}_DIR)
        get_property(test_depends GLOBAL PROPERTY BELAY_ROOM_${id}_TEST_DEPENDS)
        belay_room_closure(may ${id})
        belay_room_closure(tests_may ${id} ${test_depends})
        cmake_path(RELATIVE_PATH dir BASE_DIRECTORY "${BELAY_SOURCE_DIR}")
        string(REPLACE ";" "," may "${may}")
        string(REPLACE ";" "," tests_may "${tests_may}")
        string(APPEND table "${id} ${dir} ${may} ${tests_may}\n")
    endforeach()
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/rooms.txt" CONTENT "${table}" @ONLY)
    if(BUILD_TESTING)
        add_test(NAME check_includes
            COMMAND "${BELAY_SOURCE_DIR}/tools/check-includes" "${BELAY_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/rooms.txt")
        add_test(NAME check_std_includes
            COMMAND "${BELAY_SOURCE_DIR}/tools/check-std-includes" "${BELAY_SOURCE_DIR}")
        add_test(NAME check_includes_planted COMMAND "${BELAY_SOURCE_DIR}/tests/support/check_includes_test.sh"
            "${BELAY_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/rooms.txt")
        set_tests_properties(check_includes check_std_includes check_includes_planted PROPERTIES LABELS room)
    endif()
endfunction()
