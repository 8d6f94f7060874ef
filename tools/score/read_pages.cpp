// read_pages.cpp — reads documents as belay-media does and prints their pages as JSON, one document a line.
//
//   read_pages [--fresh] [--cache DIR] [--again] FILE…
//
// --again prints the second reading of images instead of the first.
// Only for measuring: it opens files that we know, without the sandbox. With --cache a page that was
// read before is not read again, so that the rules can be measured in a second.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <belay/codec.hpp>

#include "ingestion/media/native/read_document.hpp"
#include "ingestion/media/page.hpp"

namespace {

std::string slurp(const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::filesystem::path cached(const std::filesystem::path& cache, const std::string& file) {
    std::string name = file;
    for (char& c : name) {
        if (c == '/') c = '_';
    }
    return cache / (name + ".json");
}

}  // namespace

int main(int argc, char** argv) {
    std::filesystem::path cache;
    bool fresh = false, again = false;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        const std::string_view arg{argv[i]};
        if (arg == "--cache" && i + 1 < argc) cache = argv[++i];
        else if (arg == "--fresh") fresh = true;
        else if (arg == "--again") again = true;
        else files.emplace_back(arg);
    }
    if (!cache.empty()) std::filesystem::create_directories(cache);

    belay::media::native::OcrEngine ocr;
    for (const std::string& file : files) {
        const auto place = cache.empty() ? std::filesystem::path{} : cached(cache, file);
        std::string json;
        if (!fresh && !place.empty() && std::filesystem::exists(place)) json = slurp(place);
        if (json.empty()) {
            try {
                const std::string bytes = slurp(file);
                json = belay::to_json(again ? belay::media::native::read_document_again(bytes, ocr)
                                            : belay::media::native::read_document(bytes, ocr));
            } catch (const std::exception& e) {
                std::cerr << file << ": " << e.what() << "\n";
                json = "[]";
            }
            if (!place.empty()) std::ofstream{place} << json;
        }
        std::cout << "{\"file\":" << belay::to_json(file) << ",\"pages\":" << json << "}\n" << std::flush;
    }
}
