#include "support/temp_dir.hpp"

#include <cstdlib>
#include <stdexcept>

namespace belay::test {

TempDir::TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "belay-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("no temporary folder: " + pattern);
    path_ = pattern;
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace belay::test
