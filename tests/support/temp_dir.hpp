// temp_dir.hpp — a folder of its own for a test, gone when the test is.
#pragma once

#include <filesystem>
#include <string>

namespace belay::test {

class TempDir {
public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace belay::test
