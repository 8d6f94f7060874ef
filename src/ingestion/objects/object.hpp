// object.hpp — what is known about an object: the values that stores give and take.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <belay/time.hpp>

#include "ingestion/objects/key.hpp"

namespace belay::objects {

// Small notes kept with the bytes, such as {"workflow_type": "receipt"}. Names are lower-case letters,
// digits and `_` (in S3's headers it is `-`, because gateways confuse the two); values are UTF-8 without control characters; at most 2,000 bytes together, which is
// what S3 allows.
using Metadata = std::map<std::string, std::string>;
inline constexpr std::size_t kMetadataBytesMax = 2000;

// What the one who puts an object says about it.
struct Description {
    std::string content_type = "application/octet-stream";
    Metadata metadata;
};

// Throws Error{InvalidArgument} naming what cannot be kept.
void check(const Description& description);

struct Object {
    Key key;
    std::string etag;  // the version's name, without quotes; another one for other bytes
    std::uint64_t size = 0;
    std::string content_type;
    std::string sha256;  // 64 hex digits; empty if another program put it into S3
    Time modified;
    Metadata metadata;
};

// A line of a listing: S3 tells no more than this without asking for each object.
struct Listed {
    Key key;
    std::string etag;
    std::uint64_t size = 0;
    Time modified;
};

struct Page {
    std::vector<Listed> objects;             // ordered by key, byte for byte
    std::optional<std::string> next_cursor;  // give it back for the rest; none at the end
};

// A part of an object's bytes; what lies behind its end is left out.
struct Range {
    std::uint64_t offset = 0;
    std::uint64_t length = UINT64_MAX;
};

}  // namespace belay::objects
