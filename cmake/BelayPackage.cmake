# BelayPackage.cmake — what CPack makes Debian packages of. `make package` calls it; packaging/make adds the tarball.
#
#   belay          the program with its page, helper and models, systemd unit, page for man, completion
#   belay-dbgsym   its debug information
#   libbelay-dev   the library and its components, static until 1.0: nothing has to be rebuilt when Belay changes
#
# Shared libraries that `belay` needs are found out by dpkg-shlibdeps; what it opens while it runs is named here.

include_guard(GLOBAL)

# A page for man(1) and completion are made by the program itself when it is installed.
install(CODE "
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
    foreach(made man/man1/belay.1:help:--man bash-completion/completions/belay:completion:bash
            zsh/vendor-completions/_belay:completion:zsh fish/vendor_completions.d/belay.fish:completion:fish)
        string(REPLACE \":\" \";\" made \"\${made}\")
        list(POP_FRONT made file)
        cmake_path(GET file PARENT_PATH folder)
        file(MAKE_DIRECTORY \"\${share}/\${folder}\")
        execute_process(COMMAND \"$<TARGET_FILE:belay>\" \${made} OUTPUT_FILE \"\${share}/\${file}\"
            COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    execute_process(COMMAND gzip -9nf \"\${share}/man/man1/belay.1\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT manual)
install(FILES LICENSE CHANGELOG.md DESTINATION share/doc/belay COMPONENT manual)
install(FILES LICENSE DESTINATION share/doc/libbelay-dev RENAME copyright COMPONENT library)
install(FILES docs/operations/grafana.json docs/operations/alerts.yml DESTINATION share/doc/belay COMPONENT manual OPTIONAL)
install(FILES packaging/debian/environment DESTINATION /etc/belay COMPONENT settings EXCLUDE_FROM_ALL)
install(FILES LICENSE DESTINATION share/doc/belay RENAME copyright COMPONENT settings EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME belay)
set(CPACK_PACKAGE_VENDOR "the maintainers of Belay")
set(CPACK_PACKAGE_CONTACT "Belay's maintainers <maintainers@users.noreply.a-seed-23385ad4.example>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_SET_DESTDIR ON)  # /usr is where it will be; the unit names its program by it
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # belay_split_debug has
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL program debug service manual settings library testing server)
if(BELAY_POSTGRES)
    list(APPEND CPACK_COMPONENTS_ALL postgres)
endif()
foreach(component library testing server postgres)
    string(TOUPPER ${component} upper)
    set(CPACK_COMPONENT_${upper}_GROUP dev)
endforeach()
foreach(component program service manual settings)
    string(TOUPPER ${component} upper)
    set(CPACK_COMPONENT_${upper}_GROUP belay)
endforeach()

set(CPACK_DEBIAN_BELAY_PACKAGE_NAME belay)
set(CPACK_DEBIAN_BELAY_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_BELAY_DESCRIPTION "durable workflows: the ingestion server and the command
 Photos, receipts, PDF invoices, card statements and web addresses are stored, recorded as runs and processed step
 by step. Kill it anywhere: it goes on from the last recorded step. With web page, HTTP API, and a command that looks
 at the runs of any program that uses libbelay.")
set(CPACK_DEBIAN_BELAY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_BELAY_PACKAGE_DEPENDS "tesseract-ocr-eng, tesseract-ocr-swe, tesseract-ocr-deu, poppler-data, \
fontconfig-config, fonts-dejavu-core, tzdata, ca-certificates")
set(CPACK_DEBIAN_BELAY_PACKAGE_SUGGESTS "postgresql")
set(CPACK_DEBIAN_BELAY_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/packaging/debian/postinst;${PROJECT_SOURCE_DIR}/packaging/debian/prerm;\
${PROJECT_SOURCE_DIR}/packaging/debian/postrm;${PROJECT_SOURCE_DIR}/packaging/debian/conffiles")

set(CPACK_COMPONENT_DEBUG_GROUP dbgsym)
set(CPACK_DEBIAN_DBGSYM_PACKAGE_NAME belay-dbgsym)
set(CPACK_DEBIAN_DBGSYM_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DBGSYM_DESCRIPTION "debug information of belay")
set(CPACK_DEBIAN_DBGSYM_PACKAGE_DEPENDS "belay (= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libbelay-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_DESCRIPTION "durable workflows for C++: headers and static libraries
 Write a process of many steps as one coroutine; each step is recorded, so when the program dies the next start goes
 on after the last recorded step. SQLite inside; PostgreSQL, a test kit and a server as components.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libboost1.81-dev, libfmt-dev, libsqlite3-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "g++, cmake, pkg-config, libpq-dev, libssl-dev, libcurl4-openssl-dev, zlib1g-dev, \
libcli11-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "belay")
include(CPack)
