// new_project.hpp — `belay new NAME`: a small program of one's own, which builds and passes its test.
//
// A workflow with its crash test, CMake, a Dockerfile and a README: the files of template/, with the name put in.
// tests/install/new_run builds what it writes against an installed Belay.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <belay/server.hpp>

namespace belay::app {

// The command. It writes a folder of that name, and nothing over what is there.
Command new_project();

// The same as a function: the files that were written. Throws Error{InvalidArgument} for a name that no program can
// have (App) or a folder that is not empty.
std::vector<std::filesystem::path> write_project(const std::string& name,
                                                 const std::filesystem::path& folder);

}  // namespace belay::app
