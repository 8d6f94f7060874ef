// small_objects.hpp — objects that are committed as rows with whatever else is committed: where a store looks for them.
//
// A file of its own costs each small object two syncs; as a row it rides the commit that its run needs anyway, together
// with those of everybody who uploads at that moment. Who writes them does so in a transaction of his own
// (Writer::take_small); a store that was given one of these finds them first and removes them. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingestion/objects/object.hpp"

namespace belay::objects {

struct SmallObject {
    Object object;
    std::string bytes;
};

class SmallObjects {
public:
    SmallObjects() = default;
    SmallObjects(const SmallObjects&) = delete;
    SmallObjects& operator=(const SmallObjects&) = delete;
    virtual ~SmallObjects() = default;

    virtual std::optional<Object> head(const Key& key) = 0;
    virtual std::optional<SmallObject> get(const Key& key) = 0;

    // Durable when it returns; no error if there is none.
    virtual void remove(const Key& key) = 0;

    // Up to `limit` whose keys start with `prefix` and are greater than `after`, ordered by key, byte for byte.
    virtual std::vector<Listed> list(std::string_view prefix, std::string_view after,
                                     std::size_t limit) = 0;
};

}  // namespace belay::objects
