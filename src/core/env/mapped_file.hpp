// mapped_file.hpp — a file's bytes where they lie: read-only, shared by every process that maps it.
#pragma once

#include <filesystem>
#include <span>
#include <utility>

namespace belay::env {

// Move-only; unmaps when it goes. The bytes stay valid when it is moved.
class MappedFile {
public:
    // Throws Error{NotFound} if there is no such file, Error{StoreUnavailable} with the system's reason
    // if it cannot be mapped. The file must not be truncated while it is mapped: replace it by renaming.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    MappedFile& operator=(MappedFile&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }

    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::span<const std::byte> bytes_{};
};

}  // namespace belay::env
