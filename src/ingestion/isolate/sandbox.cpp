#include "ingestion/isolate/sandbox.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

#include "ingestion/isolate/landlock.hpp"
#include "ingestion/isolate/syscall_filter.hpp"

namespace belay::isolate {
namespace {

constexpr uid_t kNobody = 65534;

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

void limit(int resource, std::uint64_t soft, std::uint64_t hard, const char* name) {
    const rlimit value{soft, hard};
    if (::setrlimit(static_cast<__rlimit_resource>(resource), &value) != 0) {
        fail(fmt::format("cannot limit a job's {}", name).c_str());
    }
}

// When memory runs out the kernel should take a job, not the server.
void volunteer_for_the_oom_killer() {
    const Fd file{::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)};
    if (file && ::write(file.get(), "1000", 4) != 4) return;
}

void drop_capabilities() {
    for (int capability = 0; capability <= CAP_LAST_CAP; ++capability) {
        ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    }
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2]{};
    ::syscall(SYS_capset, &head, none);
}

}  // namespace

void enter_helper(SandboxWords& words) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("cannot give up new privileges");
    limit(RLIMIT_CORE, 0, 0, "core dumps");
    volunteer_for_the_oom_killer();
    words.emplace_back("seccomp");
    if (const int version = landlock_version(); version > 0) {
        words.push_back(fmt::format("Landlock {}", version));
    } else {
        words.emplace_back("no Landlock in this kernel");
    }
    // The filter already refuses sockets; an empty network is the second wall where the system grants one.
    if (::unshare(CLONE_NEWNET) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0) {
        words.emplace_back("a network of its own");
    }
}

void drop_privileges(SandboxWords& words) {
    if (::geteuid() == 0) {
        const bool became_nobody = ::setgroups(0, nullptr) == 0 &&
                                   ::setresgid(kNobody, kNobody, kNobody) == 0 &&
                                   ::setresuid(kNobody, kNobody, kNobody) == 0;
        words.push_back(became_nobody ? fmt::format("user {}", kNobody)
                                      : "user root without its rights");
    }
    drop_capabilities();
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

std::uint64_t address_space_bytes() {
    const Fd file{::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)};
    char text[128]{};
    unsigned long long pages = 0;
    if (!file || ::read(file.get(), text, sizeof text - 1) <= 0 ||
        std::sscanf(text, "%llu", &pages) != 1) {
        fail("cannot read /proc/self/statm");
    }
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void confine(const JobRights& rights) {
    const auto& limits = rights.limits;
    const auto cpu = static_cast<std::uint64_t>(std::max<std::int64_t>(limits.cpu_time.count(), 1));
    // With the helper's own mappings (code, models), which a job has too. Where those are most of it (under a
    // sanitizer), a job must still be able to do something.
    const auto has = address_space_bytes();
    const auto memory =
        std::max(limits.memory_bytes, has + limits.memory_bytes / 4) + rights.input_bytes;
    const auto files =
        static_cast<std::uint64_t>(rights.descriptors + std::max(limits.open_files, 0));

    if (rights.landlock && !landlock_enforce(rights.landlock)) fail("cannot enforce Landlock");
    limit(RLIMIT_CORE, 0, 0, "core dumps");
    limit(RLIMIT_FSIZE, 0, 0, "written files");
    limit(RLIMIT_NOFILE, files, files, "open files");
    limit(RLIMIT_CPU, cpu, cpu + 1, "processor time");
    limit(RLIMIT_AS, memory, memory, "memory");
    const auto filter = make_filter({.may_open = rights.may_open, .pid = ::getpid()});
    if (!install_filter(filter)) fail("the kernel refuses the system call filter (seccomp)");
}

std::string probe_sandbox() {
    try {
        JobRights rights;
        rights.may_open = true;
        rights.landlock = landlock_rules({});
        const bool has_landlock = static_cast<bool>(rights.landlock);
        rights.descriptors = 16;
        confine(rights);
        if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) return "a job could open a socket";
        if (::open("/tmp/belay-probe", O_WRONLY | O_CREAT, 0600) >= 0)
            return "a job could write a file";
        if (has_landlock && ::open("/etc/passwd", O_RDONLY) >= 0)
            return "a job could read any file";
        if (::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0) return "a job could start a process";
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace belay::isolate
