// read_pages.cpp — reads documents as belay-media does and prints their pages as JSON, one document a line.
//
//   read_pages [--fresh] [--cache DIR] [--again | --second] FILE…
//
// --again prints the second reading of images instead of the first, with Tesseract's other models; --second what the
// second reader sees (BELAY_READER_FOLDER), on images and on PDF pages without a text layer. On standard error: seconds.
// Only for measuring: it opens files that we know, without the sandbox. With --cache a page that was
// read before is not read again, so that the rules can be measured in a second.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <ctime>
#include <iterator>
#include <optional>
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

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Its seconds have those of the first reader in them.
std::vector<belay::media::Page> read_second(const std::string& bytes, belay::media::native::OcrEngine& ocr,
                                            belay::media::native::SecondReader& reader) {
    std::vector<belay::media::Page> pages;
    for (const auto& first : belay::media::native::read_document(bytes, ocr)) {
        if (first.source == belay::media::PageSource::TextLayer) continue;
        const double begun = cpu_seconds();
        pages.push_back(belay::media::native::read_page_second(
            bytes, first.number, reader, {.rotation = first.rotation, .skew = first.skew, .language = first.language}));
        std::cerr << "  second reader, page " << first.number << ": " << cpu_seconds() - begun << " s\n";
    }
    return pages;
}

}  // namespace

int main(int argc, char** argv) {
    std::filesystem::path cache;
    bool fresh = false, again = false, second = false;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        const std::string_view arg{argv[i]};
        if (arg == "--cache" && i + 1 < argc) cache = argv[++i];
        else if (arg == "--fresh") fresh = true;
        else if (arg == "--again") again = true;
        else if (arg == "--second") second = true;
        else files.emplace_back(arg);
    }
    if (!cache.empty()) std::filesystem::create_directories(cache);

    belay::media::native::OcrEngine ocr;
    ocr.warm();
    std::optional<belay::media::native::SecondReader> reader;
    if (second) reader.emplace(belay::media::native::find_reader());
    for (const std::string& file : files) {
        const auto place = cache.empty() ? std::filesystem::path{} : cached(cache, file);
        std::string json;
        if (!fresh && !place.empty() && std::filesystem::exists(place)) json = slurp(place);
        if (json.empty()) {
            try {
                const std::string bytes = slurp(file);
                const double begun = cpu_seconds();
                if (second) json = belay::to_json(read_second(bytes, ocr, *reader));
                else json = belay::to_json(again ? belay::media::native::read_document_again(bytes, ocr)
                                            : belay::media::native::read_document(bytes, ocr));
                std::cerr << file << ": " << cpu_seconds() - begun << " s\n";
            } catch (const std::exception& e) {
                std::cerr << file << ": " << e.what() << "\n";
                json = "[]";
            }
            if (!place.empty()) std::ofstream{place} << json;
        }
        std::cout << "{\"file\":" << belay::to_json(file) << ",\"pages\":" << json << "}\n" << std::flush;
    }
}
