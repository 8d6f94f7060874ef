// memory_disk.hpp — what survives when a memory store is thrown away.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "core/store/memory/private_sql.hpp"
#include "core/store/memory/tables.hpp"

namespace belay::store {

class MemoryDisk {
public:
    // Recursive because a body, which runs inside commit, may read through its engine. It then sees
    // what its own batch has written so far, as nobody else ever does.
    std::recursive_mutex mutex;

    memory::Tables tables;
    memory::PrivateSql sql;
    std::map<std::string, std::size_t> migrated;  // by owner: scripts applied
    std::int64_t session = 0;                     // of the newest executing store
    bool committing = false;
};

}  // namespace belay::store
