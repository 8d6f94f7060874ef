#include "ingestion/isolate/landlock.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace belay::isolate {
namespace {

// Debian 12's headers are older than kernels that Belay runs on: what came later is spelled out. The kernel
// takes a structure by its size and accepts one that is longer than it knows if the rest is zero.
struct RulesetAttributes {
    std::uint64_t handled_access_fs;
    std::uint64_t handled_access_net;  // version 4
    std::uint64_t scoped;              // version 6
};

constexpr std::uint64_t kFileAccessV1 = (1ull << 13) - 1;
constexpr std::uint64_t kRefer = 1ull << 13;     // version 2
constexpr std::uint64_t kTruncate = 1ull << 14;  // version 3
constexpr std::uint64_t kIoctl = 1ull << 15;     // version 5
constexpr std::uint64_t kNetBindConnect = 3;     // version 4
constexpr std::uint64_t kScopes = 3;             // version 6: abstract sockets, signals

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kReadFolder = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

RulesetAttributes all_that(int version) {
    RulesetAttributes rules{kFileAccessV1, 0, 0};
    if (version >= 2) rules.handled_access_fs |= kRefer;
    if (version >= 3) rules.handled_access_fs |= kTruncate;
    if (version >= 5) rules.handled_access_fs |= kIoctl;
    if (version >= 4) rules.handled_access_net = kNetBindConnect;
    if (version >= 6) rules.scoped = kScopes;
    return rules;
}

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

void allow_reading(const Fd& rules, const std::string& path) {
    const Fd place{::open(path.c_str(), O_PATH | O_CLOEXEC)};
    if (!place) {
        if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return;
        fail("cannot open " + path);
    }
    struct stat about {};
    if (::fstat(place.get(), &about) != 0) fail("cannot look at " + path);
    landlock_path_beneath_attr rule{};
    rule.allowed_access = S_ISDIR(about.st_mode) ? kReadFolder : kReadFile;
    rule.parent_fd = place.get();
    if (::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
        fail("cannot allow reading " + path);
    }
}

}  // namespace

int landlock_version() {
    const long version =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version < 0 ? 0 : static_cast<int>(version);
}

Fd landlock_rules(const std::vector<std::string>& readable) {
    const int version = landlock_version();
    if (version == 0) return Fd{};
    const auto attributes = all_that(version);
    const long fd = ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (fd < 0) fail("cannot make Landlock rules");
    Fd rules{static_cast<int>(fd)};
    ::fcntl(rules.get(), F_SETFD, FD_CLOEXEC);
    for (const auto& path : readable) allow_reading(rules, path);
    return rules;
}

bool landlock_enforce(const Fd& rules) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    return ::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0;
}

}  // namespace belay::isolate
