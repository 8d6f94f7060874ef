#include "core/base/shortage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <new>
#include <system_error>

namespace belay::base {

namespace {

// The machine's own time: a shortage is of the machine, whatever time a simulation has.
using Steady = std::chrono::steady_clock;
constexpr std::chrono::seconds kToldFor{2};

thread_local std::uint64_t met = 0;
std::atomic<Steady::rep> last_at{0};
std::atomic<int> last_error{0};

const char* sentence_of(int error_number) {
    switch (error_number) {
        case EMFILE:
            return "this process has no file descriptor left (ulimit -n): raise the limit; until "
                   "then new work is refused";
        case ENFILE:
            return "this machine has no file descriptor left (fs.file-max): new work is refused "
                   "until it has";
        case EAGAIN:
            return "this machine starts no more processes or threads (ulimit -u): new work is "
                   "refused until it does";
        default:
            return "this machine has no memory left: new work is refused until it has";
    }
}

}  // namespace

bool is_shortage(int error_number) {
    return error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM ||
           error_number == ENOBUFS || error_number == EAGAIN;
}

void note_shortage(int error_number) {
    if (!is_shortage(error_number)) return;
    ++met;
    last_error = error_number;
    last_at = Steady::now().time_since_epoch().count();
}

std::uint64_t shortages_of_thread() { return met; }

bool is_shortage(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::system_error& e) {
        const bool of_system = e.code().category() == std::generic_category() ||
                               e.code().category() == std::system_category();
        if (!of_system || !is_shortage(e.code().value())) return false;
        note_shortage(e.code().value());
        return true;
    } catch (const std::bad_array_new_length&) {
        return false;  // a size that no machine has
    } catch (const std::bad_alloc&) {
        note_shortage(ENOMEM);
        return true;
    } catch (...) {
        return false;
    }
}

bool no_descriptor_left() {
    const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ::close(file);
        return false;
    }
    note_shortage(errno);
    return true;
}

std::optional<std::string> shortage_lately() {
    const Steady::time_point at{Steady::duration{last_at.load()}};
    if (last_error == 0 || Steady::now() - at > kToldFor) return std::nullopt;
    return sentence_of(last_error);
}

}  // namespace belay::base
