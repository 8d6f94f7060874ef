// disk.hpp — what a folder's disk can do: room left, and how long it takes to be sure of a write.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace belay::env {

struct DiskSpace {
    std::uint64_t free_bytes = 0;  // for this user
    std::uint64_t size_bytes = 0;
};

// Throws Error{StoreUnavailable} if the folder cannot be looked at.
DiskSpace disk_space(const std::filesystem::path& folder);

// Whether this process may make files there.
bool is_writable(const std::filesystem::path& folder);

// Writes 4 KiB and waits for the disk, `times` times, in a file without a name; how long each took. Throws
// Error{StoreUnavailable} with the system's reason.
std::vector<std::chrono::microseconds> measure_sync(const std::filesystem::path& folder, int times);

// "Linux 6.1.0-18-amd64 x86_64".
std::string kernel_name();

}  // namespace belay::env
