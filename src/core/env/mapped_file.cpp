#include "core/env/mapped_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <belay/error.hpp>

namespace belay::env {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
    const auto code = error == ENOENT ? ErrorCode::NotFound : ErrorCode::StoreUnavailable;
    throw Error(code, fmt::format("cannot read {}: {}", path.string(), std::strerror(error)));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) fail(path, errno);
    struct stat status {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        const int error = S_ISREG(status.st_mode) ? errno : EINVAL;
        ::close(file);
        fail(path, error);
    }
    if (status.st_size == 0) {  // nothing to map, which mmap refuses
        ::close(file);
        return;
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    const int error = errno;
    ::close(file);
    if (at == MAP_FAILED) fail(path, error);
    bytes_ = {static_cast<const std::byte*>(at), size};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace belay::env
