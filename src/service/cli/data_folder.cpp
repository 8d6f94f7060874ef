#include "service/cli/data_folder.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/env/files.hpp"

namespace belay::cli {

void make_private_folder(const std::filesystem::path& folder) {
    try {
        env::SystemFiles{}.make_folders(folder);
    } catch (const std::exception& error) {
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("{} cannot be made: {}", folder.string(), error.what()));
    }
    if (!std::filesystem::is_directory(folder)) {
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("{} cannot be made: a file has that name", folder.string()));
    }
}

void make_data_folder(const Place& place) {
    if (!place.data_folder.empty()) make_private_folder(place.data_folder);
}

}  // namespace belay::cli
