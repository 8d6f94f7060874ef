// place.hpp — which store a command works on, and who executes there.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <belay/engine.hpp>
#include <belay/seal.hpp>

#include "core/model/why.hpp"
#include "core/store/store.hpp"

namespace belay::cli {

// As given on the command line; empty: not given.
struct PlaceOptions {
    std::string data{};
    std::string store{};
    std::string objects{};
};

// A name's value in the environment; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

struct Place {
    std::filesystem::path file{};  // the database; empty if it is PostgreSQL's
    std::filesystem::path
        data_folder{};     // empty if a bare file, or PostgreSQL without --data, was given
    std::string option{};  // what to repeat on a command line to come here again; may be empty
    std::string
        objects{};  // --objects or BELAY_OBJECTS; empty: the folder `objects` beside the database
    std::string address{};  // postgres://…; empty for a file
    // What its runs are sealed with, by the keys in BELAY_SEAL_KEYS; null: they are plain, or are seen sealed.
    std::shared_ptr<const Seal> seal{};
};

// The store that is there, for an Engine.
StoreConfig config_of(const Place& place);

// How people call it: the file, or the address without a password.
std::string shown(const Place& place);

// --store, then --data, then BELAY_STORE, then BELAY_DATA, then ./belay-data. Throws
// Error{InvalidArgument} for a kind of store that this build does not know.
Place find_place(const PlaceOptions& options, const Environment& environment);

// To read and to ask. Throws Error{StoreUnavailable} with what to do.
std::unique_ptr<store::Store> open_to_read(const Place& place);

// Takes the lock. Throws Error{StoreLocked} naming who executes.
std::unique_ptr<store::Store> open_to_execute(const Place& place);

// The same, or null if another process executes there: it can be asked.
std::unique_ptr<store::Store> take_over(const Place& place);

// Who executes there now.
std::optional<model::Executor> executor_of(const Place& place);

// The executor that a lock file's text names: "shop (process 4711, since …)".
model::Executor executor_named(const std::string& holder);

}  // namespace belay::cli
