# BelayInstall.cmake — what `make install` leaves: headers, room libraries, a CMake package, pkg-config files.
#
# Another project then says find_package(belay REQUIRED) and links belay::belay, or `pkg-config --libs belay`. What needs
# more than SQLite and fmt is a component of the package with a pkg-config file of its own: testing, seal, postgres, server.

include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

# What is installed has no debug information. A program's is the component `debug`, where gdb looks for it; archives are
# linked into other people's programs, and leave none.
find_program(BELAY_OBJCOPY objcopy REQUIRED)

# belay_split_debug(TARGET COMPONENT c): after the target's install rule.
function(belay_split_debug target component)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
        install(CODE "execute_process(COMMAND \"${BELAY_OBJCOPY}\" --strip-debug
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:${target}>\"
            COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
        return()
    endif()
    set(name "$<TARGET_FILE_NAME:${target}>")
    # Made twice, the same each time, because a package has it apart from its program.
    install(CODE "
        set(kept \"$<TARGET_FILE_DIR:${target}>/.debug\")
        file(MAKE_DIRECTORY \"\${kept}\")
        execute_process(COMMAND \"${BELAY_OBJCOPY}\" --only-keep-debug \"$<TARGET_FILE:${target}>\" \"\${kept}/${name}.debug\"
            COMMAND_ERROR_IS_FATAL ANY)
        execute_process(COMMAND \"${BELAY_OBJCOPY}\" --strip-unneeded \"--add-gnu-debuglink=\${kept}/${name}.debug\"
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${name}\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT ${component})
    install(CODE "
        set(place \"${CMAKE_INSTALL_BINDIR}/.debug\")
        if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
            set(place \"lib/debug/usr/${CMAKE_INSTALL_BINDIR}\")
        endif()
        file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${place}\")
        execute_process(COMMAND \"${BELAY_OBJCOPY}\" --only-keep-debug \"$<TARGET_FILE:${target}>\"
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${place}/${name}.debug\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT debug)
endfunction()

function(belay_install_archives set component)
    foreach(room IN LISTS ARGN)
        get_target_property(type belay_${room} TYPE)
        install(TARGETS belay_${room} EXPORT ${set} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component})
        if(type STREQUAL "STATIC_LIBRARY")
            belay_split_debug(belay_${room} ${component})
        endif()
    endforeach()
    install(EXPORT ${set} NAMESPACE belay:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/belay" COMPONENT ${component})
endfunction()

# belay_pkgconfig(NAME COMPONENT c DESCRIPTION d REQUIRES … FLAGS … ROOMS …): NAME.pc. Archives are named in the order that
# a linker wants: who uses before who is used, which is the reverse of the order in which rooms are declared.
function(belay_pkgconfig name)
    cmake_parse_arguments(PARSE_ARGV 1 PC "" "COMPONENT;DESCRIPTION" "REQUIRES;FLAGS;ROOMS")
    get_property(declared GLOBAL PROPERTY BELAY_ROOMS)
    list(REVERSE declared)
    set(libs "${PC_FLAGS}")
    foreach(room IN LISTS declared)
        get_target_property(type belay_${room} TYPE)
        if(room IN_LIST PC_ROOMS AND type STREQUAL "STATIC_LIBRARY")
            list(APPEND libs "-lbelay_${room}")
        endif()
    endforeach()
    list(JOIN libs " " libs)
    list(JOIN PC_REQUIRES ", " PC_REQUIRES)
    set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${folder}" OUTPUT_VARIABLE up)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc" @ONLY CONTENT "prefix=\${pcfiledir}/${up}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: ${name}
Description: ${PC_DESCRIPTION}
Version: ${PROJECT_VERSION}
Requires: ${PC_REQUIRES}
Cflags: -I\${includedir} -DBOOST_ALL_NO_LIB -pthread
Libs: -L\${libdir} ${libs} -pthread
")
    install(FILES "${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc" DESTINATION "${folder}" COMPONENT ${PC_COMPONENT})
endfunction()

# belay_install_library(rooms…): the rooms and all they depend on: what belay::belay needs, and no component.
function(belay_install_library)
    if(NOT BELAY_INSTALL)
        return()
    endif()
    belay_room_closure(rooms ${ARGN})
    set(package "${CMAKE_INSTALL_LIBDIR}/cmake/belay")
    belay_install_archives(belayTargets library ${rooms})
    install(DIRECTORY "${BELAY_SOURCE_DIR}/include/belay" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT library FILES_MATCHING PATTERN "*.hpp")
    belay_pkgconfig(belay COMPONENT library DESCRIPTION "durable workflows, with SQLite inside"
        REQUIRES fmt sqlite3 ROOMS ${rooms})

    configure_package_config_file("${BELAY_SOURCE_DIR}/cmake/belayConfig.cmake.in"
        "${PROJECT_BINARY_DIR}/belayConfig.cmake" INSTALL_DESTINATION "${package}")
    # Before 1.0 a new minor version may break; a program built for 0.1 must not take 0.2 silently.
    write_basic_package_version_file("${PROJECT_BINARY_DIR}/belayConfigVersion.cmake"
        COMPATIBILITY SameMinorVersion)
    install(FILES "${PROJECT_BINARY_DIR}/belayConfig.cmake" "${PROJECT_BINARY_DIR}/belayConfigVersion.cmake"
        DESTINATION "${package}" COMPONENT library)
endfunction()

# belay_install_component(NAME ROOM BESIDE rooms… REQUIRES packages… FLAGS …): the component NAME of the package: the room and
# what it needs beside the rooms that the library and other components have installed already.
function(belay_install_component name room)
    if(NOT BELAY_INSTALL)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 2 PART "" "DESCRIPTION" "BESIDE;REQUIRES;FLAGS")
    belay_room_closure(rooms ${room})
    belay_room_closure(there ${PART_BESIDE})
    list(REMOVE_ITEM rooms ${there})
    belay_install_archives(belay_${name}Targets ${name} ${rooms})
    belay_pkgconfig(belay-${name} COMPONENT ${name} DESCRIPTION "${PART_DESCRIPTION}" REQUIRES ${PART_REQUIRES}
        FLAGS ${PART_FLAGS} ROOMS ${rooms})
endfunction()
