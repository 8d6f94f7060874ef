#include "ingestion/media/native/classifier_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

#include <belay/codec.hpp>

#include "core/base/utf8.hpp"

namespace belay::media {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTextBytesMax = 4u << 20;
constexpr std::size_t kLabelsMax = 100'000;

std::vector<fs::path> places() {
    if (const char* given = std::getenv("BELAY_CLASSIFIER_FOLDER"); given && *given) return {given};
    std::error_code error;
    const auto here = fs::read_symlink("/proc/self/exe", error).parent_path();
    return {(here / "../lib/belay/classifier").lexically_normal(),
            (here / "../deps/classifier").lexically_normal()};
}

fs::path find_folder() {
    std::string looked;
    for (const auto& place : places()) {
        std::error_code error;
        if (fs::is_directory(place, error)) return place;
        looked += (looked.empty() ? "" : " and ") + place.string();
    }
    throw std::runtime_error(
        fmt::format("no image model is installed (looked in {}); run tools/setup models, or set "
                    "the classifier's folder",
                    looked));
}

std::string read_text(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) throw std::runtime_error(fmt::format("cannot read {}", path.string()));
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (text.size() > kTextBytesMax)
        throw std::runtime_error(fmt::format("{} is too large", path.string()));
    return text;
}

std::vector<std::string> read_labels(const fs::path& path) {
    std::vector<std::string> labels;
    const auto text = base::to_valid_utf8(read_text(path));
    for (std::size_t start = 0; start < text.size();) {
        auto end = text.find('\n', start);
        if (end == std::string::npos) end = text.size();
        auto line = text.substr(start, end - start);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
        labels.push_back(std::move(line));
        start = end + 1;
    }
    if (labels.empty() || labels.size() > kLabelsMax) {
        throw std::runtime_error(fmt::format("{} has {} labels", path.string(), labels.size()));
    }
    return labels;
}

}  // namespace

ClassifierFiles find_classifier() {
    const auto folder = find_folder();
    ClassifierFiles found{.folder = folder.string()};
    if (fs::exists(folder / "classifier.json")) {
        found.settings = from_json<ClassifierSettings>(read_text(folder / "classifier.json"));
    }
    auto& settings = found.settings;
    if (settings.name.empty()) settings.name = fs::path{settings.model}.stem().string();
    if (settings.deviation == 0)
        throw std::runtime_error("classifier.json: deviation must not be 0");
    if (settings.views.empty() || settings.views.size() > 8) {
        throw std::runtime_error("classifier.json: views must name 1 to 8 views");
    }
    settings.model = (folder / settings.model).string();
    settings.labels = (folder / settings.labels).string();
    // A name without a file in the folder is left to the loader, which looks where the system keeps libraries.
    if (fs::exists(folder / settings.library))
        settings.library = (folder / settings.library).string();
    found.labels = read_labels(settings.labels);
    found.has_background = found.labels[0] == "dummy" || found.labels[0] == "background";
    return found;
}

}  // namespace belay::media
