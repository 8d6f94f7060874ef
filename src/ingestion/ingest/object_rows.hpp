// object_rows.hpp — small uploaded files as rows of the engine's database.
//
// The bytes are in the very transaction that makes the file and its run exist: one group commit for all of it, and no
// moment in which one is there without the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <belay/engine.hpp>

#include "ingestion/objects/small_objects.hpp"

namespace belay::ingest {

inline constexpr std::string_view kObjectRowsOwner = "object_rows";

// For Engine::migrate(kObjectRowsOwner, object_row_migrations()). Frozen once released.
std::vector<std::string> object_row_migrations();

// Writes it, or replaces the one of its key.
void put_object_row(Tx& tx, const objects::SmallObject& small);

class ObjectRows final : public objects::SmallObjects {
public:
    // `engine` outlives every call.
    explicit ObjectRows(Engine& engine) : engine_(engine) {}

    std::optional<objects::Object> head(const objects::Key& key) override;
    std::optional<objects::SmallObject> get(const objects::Key& key) override;
    void remove(const objects::Key& key) override;
    std::vector<objects::Listed> list(std::string_view prefix, std::string_view after,
                                      std::size_t limit) override;

private:
    Engine& engine_;
};

}  // namespace belay::ingest
