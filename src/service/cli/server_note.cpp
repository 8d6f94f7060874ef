#include "service/cli/server_note.hpp"

#include <fstream>

namespace belay::cli {

namespace {

std::filesystem::path file_of(const Place& place) { return place.data_folder / "server.url"; }

}  // namespace

ServerNote::ServerNote(const Place& place, const std::string& url) {
    if (place.data_folder.empty()) return;
    file_ = file_of(place);
    std::ofstream{file_} << url << '\n';
}

ServerNote::~ServerNote() {
    std::error_code ignored;
    if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

std::optional<std::string> noted_server(const Place& place) {
    if (place.data_folder.empty() || !executor_of(place)) return std::nullopt;
    std::ifstream in{file_of(place)};
    std::string url;
    if (!std::getline(in, url) || !url.starts_with("http")) return std::nullopt;
    return url;
}

}  // namespace belay::cli
