#include "ingestion/isolate/job_run.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/shortage.hpp"

namespace belay::isolate {
namespace {

using std::chrono::steady_clock;

// Lengths of an answer's parts, beside the parts themselves.
constexpr std::uint64_t kAnswerLengthsMax = 12 + 8 * kAnswerBlobsMax;

}  // namespace

JobRun::JobRun(const Job& job, int nice, HelperProcess& helper,
               std::chrono::milliseconds kill_time_max, const std::stop_token& stop)
    : job_(job), nice_(nice), helper_(helper), kill_time_max_(kill_time_max), stop_(stop),
      request_(encode_frame(FrameType::Request, job.arguments)),
      answer_(std::max<std::uint64_t>(job.limits.output_bytes + kAnswerLengthsMax,
                                      kSmallFrameBytesMax)) {}

bool JobRun::start() {
    auto channel = stream_pair();
    auto status = packet_pair();
    std::vector<int> fds{channel.theirs.get(), status.theirs.get()};
    for (const auto& input : job_.inputs) fds.push_back(input.fd());
    const Start start{job_.name, static_cast<std::uint32_t>(job_.inputs.size()), nice_,
                      job_.limits};
    if (!helper_.send(encode_frame(FrameType::Start, encode(start)), fds)) return false;
    channel_ = std::move(channel.ours);
    status_ = std::move(status.ours);
    set_nonblocking(channel_.get());
    set_nonblocking(status_.get());
    job_deadline_ = steady_clock::now() + job_.limits.wall_time;
    return true;
}

Seen JobRun::finish() {
    while (!over_) turn();
    // What it wrote before it ended is still in the socket.
    if (!seen_.ending && !channel_done_) receive_answer();
    if (answer_.complete()) seen_.frame = answer_.take();
    return std::move(seen_);
}

// One wait, and everything that is due after it.
void JobRun::turn() {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline() - steady_clock::now());
    if (left.count() <= 0) return deadline_passed();
    const bool sending = request_sent_ < request_.size();
    const auto talk = static_cast<short>(POLLIN | (sending ? POLLOUT : 0));
    std::array<pollfd, 3> waits{
        pollfd{channel_done_ ? -1 : channel_.get(), talk, 0},
        pollfd{status_.get(), POLLIN, 0},
        pollfd{seen_.ending ? -1 : stop_.fd(), POLLIN, 0},
    };
    const int n = ::poll(waits.data(), waits.size(),
                         static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
    if (n < 0 && errno != EINTR) {
        throw std::system_error(errno, std::generic_category(), "cannot wait for a job");
    }
    if (n <= 0) return;
    if (waits[2].revents != 0) end(Ending::Stopped);
    if (waits[0].revents & POLLOUT && sending) send_request();
    if (waits[0].revents & ~POLLOUT && !channel_done_) receive_answer();
    if (waits[1].revents != 0) receive_status();
}

JobRun::Moment JobRun::deadline() const { return kill_deadline_.value_or(job_deadline_); }

void JobRun::deadline_passed() {
    if (!kill_deadline_) return end(Ending::TimedOut);
    // The helper does not do what it is asked: the next job gets a new one.
    helper_.give_up();
    over_ = true;
}

void JobRun::end(Ending why) {
    if (!kill_deadline_) {
        kill_deadline_ = steady_clock::now() + kill_time_max_;
        // The helper kills the job when this half of its status socket is closed.
        ::shutdown(status_.get(), SHUT_WR);
    }
    // An answer that is whole stands: then the end of the process is all that was waited for.
    if (!seen_.ending && !answer_.complete()) seen_.ending = why;
}

void JobRun::send_request() {
    const auto n = ::send(channel_.get(), request_.data() + request_sent_,
                          request_.size() - request_sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) request_sent_ += static_cast<std::size_t>(n);
    // A job that closed its side is dead or will be: its status says how.
    if (n < 0 && errno != EAGAIN && errno != EINTR) request_sent_ = request_.size();
}

void JobRun::receive_answer() {
    std::array<char, 256u << 10> piece;
    for (;;) {
        const auto n = ::recv(channel_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            channel_done_ = true;
            return;
        }
        try {
            answer_.feed({piece.data(), static_cast<std::size_t>(n)});
        } catch (const FrameTooLarge&) {
            channel_done_ = true;
            return end(Ending::OutputTooLarge);
        } catch (const BadFrame& error) {
            channel_done_ = true;
            answer_ = FrameReader{0};
            seen_.bad_answer = error.what();
            return end(Ending::BadAnswer);
        }
    }
}

void JobRun::receive_status() {
    const auto packet = receive_packet(status_.get(), kSmallFrameBytesMax, 0);
    if (!packet) {  // the helper is dead
        helper_.give_up();
        over_ = true;
        return;
    }
    const auto frame = decode_frame(packet->bytes, kSmallFrameBytesMax);
    if (frame.type == FrameType::Started) {
        started_ = true;
        return;
    }
    if (frame.type != FrameType::Ended)
        throw BadFrame("the helper said something unexpected of a job");
    seen_.ended = decode_ended(frame.payload);
    if (!seen_.ended->started) base::note_shortage(seen_.ended->exit_code);
    over_ = true;
}

}  // namespace belay::isolate
