# BelayInstall.cmake — what `make install` leaves: headers, room libraries, a CMake package, the binary.
#
# Another project then says find_package(belay REQUIRED) and links belay::belay (or belay::testing).

include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

# belay_install_library(rooms…): the rooms and all they depend on. Rooms of the server are not reached,
# so the package never asks for the server's dependencies unless COMPONENTS server is asked for.
function(belay_install_library)
    belay_room_closure(rooms ${ARGN})
    list(TRANSFORM rooms PREPEND belay_)
    set(package "${CMAKE_INSTALL_LIBDIR}/cmake/belay")
    install(TARGETS ${rooms} EXPORT belayTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library)
    install(EXPORT belayTargets NAMESPACE belay:: DESTINATION "${package}" COMPONENT library)
    install(DIRECTORY "${BELAY_SOURCE_DIR}/include/belay" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT library FILES_MATCHING PATTERN "*.hpp")

    configure_package_config_file("${BELAY_SOURCE_DIR}/cmake/belayConfig.cmake.in"
        "${CMAKE_BINARY_DIR}/belayConfig.cmake" INSTALL_DESTINATION "${package}")
    # Before 1.0 a new minor version may break; a program built for 0.1 must not take 0.2 silently.
    write_basic_package_version_file("${CMAKE_BINARY_DIR}/belayConfigVersion.cmake"
        COMPATIBILITY SameMinorVersion)
    install(FILES "${CMAKE_BINARY_DIR}/belayConfig.cmake" "${CMAKE_BINARY_DIR}/belayConfigVersion.cmake"
        DESTINATION "${package}" COMPONENT library)
endfunction()

# belay_install_server(ROOM BESIDE rooms…): the component `server` of the package: the room and what it needs beside
# what belay_install_library has installed already.
function(belay_install_server room)
    cmake_parse_arguments(PARSE_ARGV 1 SERVER "" "" "BESIDE")
    belay_room_closure(rooms ${room})
    belay_room_closure(there ${SERVER_BESIDE})
    list(REMOVE_ITEM rooms ${there})
    list(TRANSFORM rooms PREPEND belay_)
    install(TARGETS ${rooms} EXPORT belayServerTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT server)
    install(EXPORT belayServerTargets NAMESPACE belay:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/belay"
        COMPONENT server)
endfunction()
