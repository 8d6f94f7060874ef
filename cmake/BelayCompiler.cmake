# BelayCompiler.cmake — how every file of this repository is compiled. None of it reaches a program
# that uses the installed library.

include_guard(GLOBAL)

if(NOT CMAKE_CXX_STANDARD)
    set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)

# No -DNDEBUG anywhere: an assertion that is off in production is off where it matters.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_compile_options(-Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms at -O2 on std::string's operator+ and copies of it (GCC bugs 105651, 105329): GCC 13 and the sanitizers
    # see what these would have seen.
    add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# Ninja alone would start cores + 2 compilers, and a Boost-heavy file takes a gigabyte.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
set(BELAY_JOBS ${cores} CACHE STRING "compilers and linkers to run at once")
set_property(GLOBAL APPEND PROPERTY JOB_POOLS compile=${BELAY_JOBS} link=${BELAY_JOBS})
set(CMAKE_JOB_POOL_COMPILE compile)
set(CMAKE_JOB_POOL_PRECOMPILE_HEADER compile)
set(CMAKE_JOB_POOL_LINK link)

# ccache must be told that a precompiled header is safe to trust, or it never hits beside one. A
# launcher of the caller's own (CMAKE_CXX_COMPILER_LAUNCHER) is taken to end in ccache too.
find_program(CCACHE ccache)
if(CCACHE)
    if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
            "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${CCACHE}")
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-fpch-preprocess)
    endif()
endif()

# Two shared precompiled headers: one for rooms, one with gtest for tests. Compiled once, reused by
# every target; cmake/pch.hpp says what is worth being there. Name headers in <>: a path would make
# the header of each checkout another one, and no two checkouts would share a cache.
function(belay_make_pch target)
    cmake_parse_arguments(PARSE_ARGV 1 PCH "" "" "HEADERS;LIBS")
    set(stub "${CMAKE_BINARY_DIR}/${target}.cpp")
    file(CONFIGURE OUTPUT "${stub}" CONTENT "// holds the precompiled header\n" @ONLY)
    add_library(${target} OBJECT "${stub}")
    target_link_libraries(${target} PRIVATE ${PCH_LIBS})
    target_include_directories(${target} PRIVATE "${BELAY_SOURCE_DIR}/cmake")
    target_precompile_headers(${target} PRIVATE ${PCH_HEADERS})
endfunction()

function(belay_use_pch target pch)
    target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()
