#include "ingestion/isolate/wake.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace belay::isolate {
namespace {

Fd event_for(const std::stop_token& stop) {
    if (!stop.stop_possible()) return Fd{};
    Fd event{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!event) throw std::system_error(errno, std::generic_category(), "cannot make an event");
    return event;
}

}  // namespace

Wake::Wake(const std::stop_token& stop)
    : event_(event_for(stop)), callback_(stop, [fd = event_.get()] {
          const std::uint64_t one = 1;
          // A counter that is full is readable too.
          [[maybe_unused]] const auto n = ::write(fd, &one, sizeof one);
      }) {}

Waited wait_readable_or(int fd, const Wake& stop, std::chrono::milliseconds time) {
    using std::chrono::steady_clock;
    const auto until = steady_clock::now() + time;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
        std::array<pollfd, 2> waits{pollfd{fd, POLLIN, 0}, pollfd{stop.fd(), POLLIN, 0}};
        const int n = ::poll(waits.data(), waits.size(),
                             static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30)));
        if (n < 0 && errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "cannot wait for a socket");
        }
        if (n <= 0 && left.count() <= 0) return Waited::TimedOut;
        if (n <= 0) continue;
        return waits[1].revents != 0 ? Waited::Stopped : Waited::Readable;
    }
}

}  // namespace belay::isolate
