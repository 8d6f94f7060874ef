// blob.cpp — how bytes become a descriptor that a job can be given.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "ingestion/isolate/job.hpp"

namespace belay::isolate {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

Blob Blob::of(std::string_view bytes) {
    Fd fd{::memfd_create("belay-job-input", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (!fd) fail("cannot make memory for a job's input");
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto n = ::write(fd.get(), bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) fail("cannot copy a job's input");
        done += static_cast<std::size_t>(n);
    }
    // Sealed, because the job is handed this very descriptor.
    constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (::fcntl(fd.get(), F_ADD_SEALS, seals) != 0) fail("cannot seal a job's input");
    return Blob{std::move(fd), bytes.size()};
}

Blob Blob::open(const std::string& path) {
    Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
    if (!fd) fail("cannot open " + path);
    return adopt(std::move(fd));
}

Blob Blob::adopt(Fd file) {
    struct stat about {};
    if (::fstat(file.get(), &about) != 0) fail("cannot look at a job's input");
    if (!S_ISREG(about.st_mode)) {
        errno = EINVAL;
        fail("a job's input must be a regular file");
    }
    return Blob{std::move(file), static_cast<std::uint64_t>(about.st_size)};
}

}  // namespace belay::isolate
