#include "ingestion/media/native/reader_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/utf8.hpp"

namespace belay::media::native {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAlphabetMax = 20'000;

std::vector<fs::path> places() {
    const char* given = std::getenv("BELAY_READER_FOLDER");  // NOLINT(concurrency-mt-unsafe)
    if (given && *given) return {given};
    std::error_code error;
    const auto here = fs::read_symlink("/proc/self/exe", error).parent_path();
    return {(here / "../lib/belay/reader").lexically_normal(),
            (here / "../deps/reader").lexically_normal()};
}

fs::path find_folder() {
    std::string looked;
    for (const auto& place : places()) {
        std::error_code error;
        if (fs::is_directory(place, error)) return place;
        looked += (looked.empty() ? "" : " and ") + place.string();
    }
    throw std::runtime_error(fmt::format(
        "the second reader is not installed (looked in {}); run tools/setup models", looked));
}

// The models' classes: nothing, the characters of the file in order, a space.
std::vector<std::string> read_alphabet(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) throw std::runtime_error(fmt::format("cannot read {}", path.string()));
    std::vector<std::string> alphabet{""};
    for (std::string line; std::getline(file, line) && alphabet.size() < kAlphabetMax;) {
        // The file was written on Windows.
        while (!line.empty() && line.back() == '\r') line.pop_back();
        alphabet.push_back(base::to_valid_utf8(line));
    }
    alphabet.emplace_back(" ");
    return alphabet;
}

}  // namespace

ReaderFiles find_reader() {
    const fs::path folder = find_folder();
    ReaderFiles found;
    found.library = (folder / "libonnxruntime.so.1").string();
    found.detect = (folder / "detect.onnx").string();
    found.english = {(folder / "english.onnx").string(), read_alphabet(folder / "english.txt")};
    found.latin = {(folder / "latin.onnx").string(), read_alphabet(folder / "latin.txt")};
    for (const std::string& file :
         {found.library, found.detect, found.english.model, found.latin.model}) {
        if (!fs::exists(file))
            throw std::runtime_error(fmt::format("{} is missing; run tools/setup models", file));
    }
    return found;
}

}  // namespace belay::media::native
