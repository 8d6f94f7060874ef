// zip.hpp — many objects as one ZIP file that is made while it is sent: nothing is kept on the way, and its length is
// known before its first byte.
//
// Stored, not compressed (pictures and PDFs are already), with the checksums behind the bytes. Without ZIP64: whoever
// asks for more than 4 GiB or 65,535 files is told so before anything is sent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "service/api/response.hpp"

namespace belay::workflows {

struct ZipEntry {
    std::string name{};  // its path in the ZIP
    std::uint64_t size = 0;
    std::function<std::unique_ptr<api::ByteSource>()> open{};  // gives exactly `size` bytes
};

inline constexpr std::uint64_t kZipBytesMax = 0xFFFF'FFFE;
inline constexpr std::size_t kZipEntriesMax = 0xFFFE;

// How long the ZIP is.
std::uint64_t zip_length(const std::vector<ZipEntry>& entries);

// Reads one entry after the other. Throws Error{StoreUnavailable} if one is not as long as it was said to be. Asserts
// that the limits are held.
std::unique_ptr<api::ByteSource> zip_source(std::vector<ZipEntry> entries);

// A name that cannot leave the folder it is unpacked into, whatever a stranger called the file.
std::string zip_name(std::string_view file_name);

}  // namespace belay::workflows
