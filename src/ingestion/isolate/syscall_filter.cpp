#include "ingestion/isolate/syscall_filter.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>

namespace belay::isolate {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "belay: no system call filter for this processor; see syscall_filter.cpp"
#endif

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t refuse(int error) {
    return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA);
}

constexpr std::uint32_t nr_at = offsetof(seccomp_data, nr);
constexpr std::uint32_t arch_at = offsetof(seccomp_data, arch);
// The lower half of an argument; the upper half is four bytes further on both processors.
constexpr std::uint32_t argument_at(int n) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8u * static_cast<unsigned>(n));
}

class Program {
public:
    void load(std::uint32_t at) { put(BPF_LD | BPF_W | BPF_ABS, at); }
    void mask(std::uint32_t bits) { put(BPF_ALU | BPF_AND | BPF_K, bits); }
    void give(std::uint32_t action) { put(BPF_RET | BPF_K, action); }
    // Skips the next `count` instructions unless the loaded word is `value`.
    void unless_equal_skip(std::uint32_t value, std::uint8_t count) {
        put(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
    }
    void if_at_least_skip(std::uint32_t value, std::uint8_t count) {
        put(BPF_JMP | BPF_JGE | BPF_K, value, count, 0);
    }

    void answer(long call, std::uint32_t action) {
        unless_equal_skip(static_cast<std::uint32_t>(call), 1);
        give(action);
    }
    void answer_all(std::initializer_list<long> calls, std::uint32_t action) {
        for (const long call : calls) answer(call, action);
    }

    // Allows `call` when (argument & bits) == value, else `otherwise`.
    void allow_if(long call, int argument, std::uint32_t bits, std::uint32_t value,
                  std::uint32_t otherwise) {
        unless_equal_skip(static_cast<std::uint32_t>(call), 5);
        load(argument_at(argument));
        mask(bits);
        unless_equal_skip(value, 1);
        give(kAllow);
        give(otherwise);
    }

    std::vector<sock_filter> take() { return std::move(code_); }

private:
    void put(int code, std::uint32_t k, std::uint8_t jt = 0, std::uint8_t jf = 0) {
        code_.push_back({static_cast<std::uint16_t>(code), jt, jf, k});
    }

    std::vector<sock_filter> code_;
};

// Other calling conventions number the calls differently: a list for one of them would mean nothing.
void require_architecture(Program& program) {
    program.load(arch_at);
    program.unless_equal_skip(kArchitecture, 1);
    program.if_at_least_skip(0, 1);  // always: over the kill
    program.give(kKill);
    program.load(nr_at);
#if defined(__x86_64__)
    program.if_at_least_skip(0x40000000u, 1);  // x32
    program.if_at_least_skip(0, 1);
    program.give(kKill);
#endif
}

constexpr std::uint32_t kAnyBit = 0xffffffffu;
constexpr std::uint32_t kWriteBits =
    O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY) | O_EXCL;

void allow_memory(Program& p) {
    // No page is ever executable: code that a hostile file smuggles in cannot run.
    p.allow_if(SYS_mmap, 2, PROT_EXEC, 0, refuse(EPERM));
    p.allow_if(SYS_mprotect, 2, PROT_EXEC, 0, refuse(EPERM));
    p.answer_all(
        {SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_msync, SYS_mincore, SYS_membarrier},
        kAllow);
}

void allow_descriptors(Program& p, bool may_open) {
    p.answer_all({SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_write, SYS_writev, SYS_lseek,
                  SYS_close, SYS_dup, SYS_fstat, SYS_ppoll},
                 kAllow);
#if defined(__x86_64__)
    p.answer(SYS_poll, kAllow);
#endif
    for (const int command : {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC}) {
        // Not allow_if: the next command must be tried too.
        p.unless_equal_skip(static_cast<std::uint32_t>(SYS_fcntl), 4);
        p.load(argument_at(1));
        p.unless_equal_skip(static_cast<std::uint32_t>(command), 1);
        p.give(kAllow);
        p.load(nr_at);
    }
    // Looking at a name tells only whether it is there; fstat is this call with an empty name.
    p.answer_all({SYS_newfstatat, SYS_statx}, kAllow);
    if (!may_open) return;
    p.allow_if(SYS_openat, 2, kWriteBits, O_RDONLY, refuse(EACCES));
#if defined(__x86_64__)
    p.allow_if(SYS_open, 1, kWriteBits, O_RDONLY, refuse(EACCES));
    p.answer_all({SYS_stat, SYS_lstat, SYS_access, SYS_readlink}, kAllow);
#endif
    p.answer_all({SYS_faccessat, SYS_faccessat2, SYS_readlinkat, SYS_getdents64, SYS_getcwd,
                  SYS_fstatfs, SYS_statfs, SYS_fadvise64},
                 kAllow);
}

void allow_itself(Program& p, std::int32_t pid) {
    p.answer_all({SYS_exit,
                  SYS_exit_group,
                  SYS_rt_sigaction,
                  SYS_rt_sigprocmask,
                  SYS_rt_sigreturn,
                  SYS_sigaltstack,
                  SYS_restart_syscall,
                  SYS_futex,
                  SYS_set_robust_list,
                  SYS_rseq,
                  SYS_getpid,
                  SYS_gettid,
                  SYS_getppid,
                  SYS_getuid,
                  SYS_geteuid,
                  SYS_getgid,
                  SYS_getegid,
                  SYS_getrusage,
                  SYS_times,
                  SYS_uname,
                  SYS_sysinfo,
                  SYS_getcpu,
                  SYS_sched_yield,
                  SYS_sched_getaffinity,
                  SYS_getrandom},
                 kAllow);
    p.answer_all(
        {SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday},
        kAllow);
#if defined(__x86_64__)
    p.answer(SYS_time, kAllow);
#endif
    // abort() signals itself; nobody else may be signalled.
    p.allow_if(SYS_tgkill, 0, kAnyBit, static_cast<std::uint32_t>(pid), refuse(EPERM));
    // Its own limits may be read.
    p.unless_equal_skip(static_cast<std::uint32_t>(SYS_prlimit64), 8);
    p.load(argument_at(0));
    p.unless_equal_skip(0, 5);
    p.load(argument_at(2));
    p.unless_equal_skip(0, 3);
    p.load(argument_at(2) + 4);
    p.unless_equal_skip(0, 1);
    p.give(kAllow);
    p.give(refuse(EPERM));
}

void kill_attacks(Program& p) {
    p.answer_all({SYS_execve,
                  SYS_execveat,
                  SYS_ptrace,
                  SYS_process_vm_readv,
                  SYS_process_vm_writev,
                  SYS_bpf,
                  SYS_init_module,
                  SYS_finit_module,
                  SYS_kexec_load,
                  SYS_mount,
                  SYS_umount2,
                  SYS_pivot_root,
                  SYS_setns,
                  SYS_unshare,
                  SYS_keyctl,
                  SYS_add_key,
                  SYS_request_key,
                  SYS_userfaultfd,
                  SYS_perf_event_open,
                  SYS_io_uring_setup,
                  SYS_pidfd_getfd,
                  SYS_reboot,
                  SYS_swapon},
                 kKill);
}

}  // namespace

std::vector<sock_filter> make_filter(const FilterOptions& options) {
    Program program;
    require_architecture(program);
    allow_descriptors(program, options.may_open);
    allow_memory(program);
    allow_itself(program, options.pid);
    kill_attacks(program);
    program.give(refuse(EPERM));
    return program.take();
}

bool install_filter(const std::vector<sock_filter>& program) {
    const sock_fprog filter{static_cast<unsigned short>(program.size()),
                            const_cast<sock_filter*>(program.data())};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

}  // namespace belay::isolate
