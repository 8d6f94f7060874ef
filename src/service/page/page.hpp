// page.hpp — the web page (web/) inside the binary: its files as they were built, and compressed.
//
// What is embedded is made by tools/build-page from web/. A build without node has no page: files() is null
// and the server answers / like any other path that it does not have.
#pragma once

#include <span>
#include <string_view>

#include "service/api/static_files.hpp"

namespace belay::page {

// The page; null if this binary was built without it.
const api::StaticFiles* files();

struct PageFile {
    std::string_view path;  // "/assets/index-3f2a.js"
    api::StaticFile file;
};

// Sorted by path. Written at build time.
std::span<const PageFile> table();

}  // namespace belay::page
