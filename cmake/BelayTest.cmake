# BelayTest.cmake — a test binary is one ctest entry that leaves its cases in test-results/NAME.json.
#
# tools/test-summary adds the cases of all of them up. One entry a binary and not one a case: a
# process start for each of thousands of cases is what makes suites slow.

include_guard(GLOBAL)

# Everything that only tests need: `all` is the product, `cmake --build … --target tests` is this.
if(BUILD_TESTING)
    add_custom_target(tests)
endif()

# What tests need is compiled quicker than what people run.
function(belay_only_for_tests)
    foreach(target IN LISTS ARGN)
        set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
        add_dependencies(tests ${target})
    endforeach()
endfunction()

function(belay_compile_quickly target)
    if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
        target_compile_options(${target} PRIVATE -O1)
    endif()
endfunction()

set(BELAY_TEST_SECONDS 300 CACHE STRING "how long one test binary may take")

# belay_test(NAME SOURCES … LIBS … [LABEL label] [TIMEOUT seconds])
function(belay_test name)
    cmake_parse_arguments(PARSE_ARGV 1 TEST "" "LABEL;TIMEOUT" "SOURCES;LIBS")
    if(NOT TEST_TIMEOUT)
        set(TEST_TIMEOUT ${BELAY_TEST_SECONDS})
    endif()
    add_executable(${name} ${TEST_SOURCES})
    target_link_libraries(${name} PRIVATE ${TEST_LIBS} GTest::gtest GTest::gtest_main)
    belay_see_rooms(${name})
    belay_use_pch(${name} belay_test_pch)
    belay_compile_quickly(${name})
    belay_only_for_tests(${name})
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES
        LABELS "${TEST_LABEL}"
        TIMEOUT ${TEST_TIMEOUT}
        ENVIRONMENT "GTEST_OUTPUT=json:${CMAKE_BINARY_DIR}/test-results/${name}.json")
endfunction()
