#include "service/cli/place.hpp"

#include <charconv>

#include <fmt/format.h>

#include <belay/engine.hpp>
#include <belay/error.hpp>

#include "core/env/file_lock.hpp"
#include "core/library/host.hpp"

namespace belay::cli {

namespace {

constexpr std::string_view kDefaultFolder = "belay-data";

void refuse_other_kinds(const std::string& store) {
    if (store.find("://") != std::string::npos)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` is no store: there are SQLite (FILE.db) and PostgreSQL "
                                "(postgres://user@host/db)",
                                store));
    std::error_code error;
    if (std::filesystem::is_directory(store, error))
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format(
                "{0} is a folder: --store names a database file, Belay's folder is --data {0}",
                store));
}

Place bare_file(std::string store, bool by_option, const std::string& data) {
    const std::string given = store;
    if (store_at(store).kind == StoreConfig::Kind::Postgres) {
        const std::string again = data.empty() ? "" : " --data " + data;
        return {
            {}, data, by_option ? fmt::format(" --store '{}'{}", given, again) : again, {}, given};
    }
    if (store.starts_with("sqlite:")) store = store.substr(7);
    refuse_other_kinds(store);
    return {store, {}, by_option ? " --store " + given : "", {}, {}};
}

Place in_folder(const std::filesystem::path& folder, bool by_option) {
    return {folder / "belay.db", folder, by_option ? " --data " + folder.string() : "", {}, {}};
}

Place find_store(const PlaceOptions& options, const Environment& environment) {
    if (!options.store.empty()) return bare_file(options.store, true, options.data);
    if (!options.data.empty()) return in_folder(options.data, true);
    if (const auto store = environment("BELAY_STORE"); store && !store->empty())
        return bare_file(*store, false, environment("BELAY_DATA").value_or(""));
    if (const auto data = environment("BELAY_DATA"); data && !data->empty())
        return in_folder(*data, false);
    return in_folder(kDefaultFolder, false);
}

}  // namespace

Place find_place(const PlaceOptions& options, const Environment& environment) {
    Place place = find_store(options, environment);
    if (const auto keys = environment("BELAY_SEAL_KEYS"); keys && !keys->empty())
        place.seal = aes_gcm(read_seal_keys(*keys));
    place.objects =
        options.objects.empty() ? environment("BELAY_OBJECTS").value_or("") : options.objects;
    // Files that are kept elsewhere still pass through this machine.
    if (!place.address.empty() && place.data_folder.empty() && !place.objects.empty())
        place.data_folder = kDefaultFolder;
    return place;
}

StoreConfig config_of(const Place& place) {
    return place.address.empty() ? sqlite(place.file.string()) : postgres(place.address);
}

std::string shown(const Place& place) {
    if (place.address.empty()) return place.file.string();
    const auto begin = place.address.find("://") + 3;
    const auto at = place.address.find('@', begin);
    const auto colon = place.address.find(':', begin);
    if (at == std::string::npos || colon == std::string::npos || colon > at) return place.address;
    return place.address.substr(0, colon) + place.address.substr(at);
}

std::unique_ptr<store::Store> open_to_read(const Place& place) {
    if (!place.address.empty()) return library::open_store(config_of(place), false, place.seal);
    std::error_code error;
    if (!std::filesystem::exists(place.file, error)) {
        throw Error(
            ErrorCode::StoreUnavailable,
            fmt::format("there is no database at {}. Name a program's own with --store FILE.db, or "
                        "Belay's folder with --data DIR.",
                        place.file.string()));
    }
    return library::open_store(config_of(place), false, place.seal);
}

std::unique_ptr<store::Store> open_to_execute(const Place& place) {
    return library::open_store(config_of(place), true, place.seal);
}

std::unique_ptr<store::Store> take_over(const Place& place) {
    try {
        return open_to_execute(place);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::StoreLocked) return nullptr;
        throw;
    }
}

std::optional<model::Executor> executor_of(const Place& place) {
    if (!place.address.empty()) return std::nullopt;  // any number of them
    const auto holder = env::FileLock::holder(place.file.string() + ".lock");
    if (!holder) return std::nullopt;
    return executor_named(*holder);
}

model::Executor executor_named(const std::string& holder) {
    constexpr std::string_view kBefore = "(process ";
    model::Executor executor{holder, std::nullopt};
    const auto at = holder.rfind(kBefore);
    if (at == std::string::npos) return executor;
    std::int64_t process = 0;
    const char* begin = holder.data() + at + kBefore.size();
    const auto [end, error] = std::from_chars(begin, holder.data() + holder.size(), process);
    if (error == std::errc{} && end != begin) executor.process = process;
    return executor;
}

}  // namespace belay::cli
