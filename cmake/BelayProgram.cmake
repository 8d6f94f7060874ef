# BelayProgram.cmake — everything with a main that is not a test: apps, benches, examples.

include_guard(GLOBAL)

# belay_program(NAME FOLDER apps/name [PACKAGES pkg…] LIBS …): an executable from FOLDER/*.cpp, and
# nothing when there are none. PACKAGES are looked for only if it is built.
function(belay_program name)
    cmake_parse_arguments(PARSE_ARGV 1 PROGRAM "" "FOLDER" "PACKAGES;LIBS")
    file(GLOB sources CONFIGURE_DEPENDS "${BELAY_SOURCE_DIR}/${PROGRAM_FOLDER}/*.cpp")
    if(NOT sources)
        return()
    endif()
    foreach(package IN LISTS PROGRAM_PACKAGES)
        find_package(${package} REQUIRED)
    endforeach()
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE ${PROGRAM_LIBS})
    belay_see_rooms(${name})
    belay_use_pch(${name} belay_pch)
    install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endfunction()

# belay_benches(FOLDER LIBS …): FOLDER/NAME.cpp becomes bench_NAME. Only `--target benches` builds them.
function(belay_benches folder)
    cmake_parse_arguments(PARSE_ARGV 1 BENCH "" "" "LIBS")
    file(GLOB sources CONFIGURE_DEPENDS "${BELAY_SOURCE_DIR}/${folder}/*.cpp")
    add_custom_target(benches)
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM name)
        add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
        target_link_libraries(bench_${name} PRIVATE ${BENCH_LIBS})
        belay_see_rooms(bench_${name})
        add_dependencies(benches bench_${name})
    endforeach()
endfunction()

# belay_examples(FOLDER): FOLDER/NAME.cpp becomes example_NAME. An example is compiled as a stranger
# would: the public headers, no src/, no precompiled header. It is also a test, with
#   NAME.expected   its stdout must be exactly this
#   NAME.test.sh    this script, given the binary's path, must succeed
function(belay_examples folder)
    file(GLOB sources CONFIGURE_DEPENDS "${BELAY_SOURCE_DIR}/${folder}/*.cpp")
    file(GLOB expectations CONFIGURE_DEPENDS
        "${BELAY_SOURCE_DIR}/${folder}/*.expected" "${BELAY_SOURCE_DIR}/${folder}/*.test.sh")
    add_custom_target(examples)
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM name)
        add_executable(example_${name} EXCLUDE_FROM_ALL ${source})
        add_dependencies(examples example_${name})
        target_link_libraries(example_${name} PRIVATE belay::belay belay_testing)
        if(NOT BUILD_TESTING)
            continue()
        endif()
        add_dependencies(tests example_${name})
        set(stem "${BELAY_SOURCE_DIR}/${folder}/${name}")
        set(tests "")
        if("${stem}.expected" IN_LIST expectations)
            add_test(NAME example_${name}_output COMMAND
                "${BELAY_SOURCE_DIR}/tools/check-output" "${stem}.expected" $<TARGET_FILE:example_${name}>)
            list(APPEND tests example_${name}_output)
        endif()
        if("${stem}.test.sh" IN_LIST expectations)
            add_test(NAME example_${name}_script COMMAND bash "${stem}.test.sh" $<TARGET_FILE:example_${name}>)
            list(APPEND tests example_${name}_script)
        endif()
        # Histories of earlier runs of it: today's code must still agree with them, or say so with a patch.
        file(GLOB histories CONFIGURE_DEPENDS "${BELAY_SOURCE_DIR}/tests/histories/${name}.*.json")
        foreach(history IN LISTS histories)
            cmake_path(GET history STEM LAST_ONLY which)
            add_test(NAME history_${which} COMMAND example_${name})
            set_tests_properties(history_${which} PROPERTIES ENVIRONMENT "BELAY_REPLAY=${history}")
            list(APPEND tests history_${which})
        endforeach()
        file(GLOB diverged CONFIGURE_DEPENDS "${BELAY_SOURCE_DIR}/tests/histories/diverged/${name}.*.json")
        foreach(history IN LISTS diverged)
            cmake_path(GET history STEM LAST_ONLY which)
            add_test(NAME diverged_${which} COMMAND example_${name})
            set_tests_properties(diverged_${which} PROPERTIES ENVIRONMENT "BELAY_REPLAY=${history}"
                PASS_REGULAR_EXPRESSION "has diverged")
            list(APPEND tests diverged_${which})
        endforeach()
        if(tests)
            # Each in a folder of its own: examples leave databases behind.
            set(place "${CMAKE_BINARY_DIR}/examples/${name}")
            file(MAKE_DIRECTORY "${place}")
            set_tests_properties(${tests} PROPERTIES LABELS example TIMEOUT 120
                WORKING_DIRECTORY "${place}" RESOURCE_LOCK example_${name})
        endif()
    endforeach()
endfunction()
