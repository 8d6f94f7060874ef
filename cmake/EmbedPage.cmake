# EmbedPage.cmake — the web page of web/ becomes a table of files inside a room, at build time.
#
#   belay_embed_page(belay_page)
#
# tools/build-page runs Vite and writes service/page/table.cpp, which holds every file and its gzip form; tools/build-docs
# makes the documentation, which is in that table under /docs. Without node, or with -DBELAY_PAGE=OFF, the table is empty: the
# library and the server build without any JavaScript tool.

include_guard(GLOBAL)

option(BELAY_PAGE "embed the web page; needs node and npm" ON)

function(belay_embed_page target)
    set(out "${BELAY_GENERATED_DIR}/service/page")
    find_program(BELAY_NODE node)
    find_program(BELAY_NPM npm)
    if(BELAY_PAGE AND BELAY_NODE AND BELAY_NPM)
        file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${BELAY_SOURCE_DIR}/web/src/*" "${BELAY_SOURCE_DIR}/web/public/*")
        list(FILTER sources EXCLUDE REGEX "_test\\.ts$")
        foreach(name index.html package.json package-lock.json vite.config.ts tools/embed.mjs)
            list(APPEND sources "${BELAY_SOURCE_DIR}/web/${name}")
        endforeach()
        file(GLOB_RECURSE documents CONFIGURE_DEPENDS "${BELAY_SOURCE_DIR}/docs/*" "${BELAY_SOURCE_DIR}/examples/*.cpp"
            "${BELAY_SOURCE_DIR}/tools/docs/*.mjs" "${BELAY_SOURCE_DIR}/tools/docs/look/*")
        list(FILTER documents EXCLUDE REGEX "/node_modules/")
        file(GLOB tops CONFIGURE_DEPENDS "${BELAY_SOURCE_DIR}/*.md" "${BELAY_SOURCE_DIR}/include/belay/*.hpp")
        add_custom_command(OUTPUT "${out}/docs/index.html"
            COMMAND "${BELAY_SOURCE_DIR}/tools/build-docs" "${out}/docs"
            DEPENDS ${documents} ${tops} "${BELAY_SOURCE_DIR}/tools/docs/package-lock.json"
                "${BELAY_SOURCE_DIR}/tools/build-docs"
            COMMENT "Building the documentation"
            VERBATIM)
        add_custom_command(OUTPUT "${out}/table.cpp"
            COMMAND "${BELAY_SOURCE_DIR}/tools/build-page" "${out}" "${out}/docs"
            DEPENDS ${sources} "${BELAY_SOURCE_DIR}/tools/build-page" "${out}/docs/index.html"
            COMMENT "Building the web page"
            VERBATIM)
    else()
        message(STATUS "The web page is left out: it needs node and npm (tools/setup page), and BELAY_PAGE=ON")
        file(CONFIGURE OUTPUT "${out}/table.cpp" @ONLY CONTENT
            "#include \"service/page/page.hpp\"\n\nstd::span<const belay::page::PageFile> belay::page::table() { return {}; }\n")
    endif()
    target_sources(${target} PRIVATE "${out}/table.cpp")
    set_source_files_properties("${out}/table.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    add_custom_target(page_table DEPENDS "${out}/table.cpp")
    add_dependencies(belay_generated page_table)
endfunction()
