// job_run.hpp — one job from the parent's side: hand it over, talk to it, end it when it must end.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "ingestion/isolate/helper_process.hpp"
#include "ingestion/isolate/socket.hpp"
#include "ingestion/isolate/verdict.hpp"
#include "ingestion/isolate/wake.hpp"

namespace belay::isolate {

// Use once: start(), then finish(). `job` and `helper` must outlive it.
class JobRun {
public:
    // `nice` is its process's, as of nice(1).
    JobRun(const Job& job, int nice, HelperProcess& helper, std::chrono::milliseconds kill_time_max,
           const std::stop_token& stop);

    // Hands the job to the helper. False if the helper is dead and the job can be given to the next one.
    bool start();

    // Waits for the end, whatever it is. If the helper dies or does not answer, it is given up.
    Seen finish();

    // Whether a process was started for it: if not, another helper may do it.
    bool started() const { return started_; }

private:
    using Moment = std::chrono::steady_clock::time_point;

    void turn();
    void send_request();
    void receive_answer();
    void receive_status();
    void end(Ending why);
    Moment deadline() const;
    void deadline_passed();

    const Job& job_;
    const int nice_;
    HelperProcess& helper_;
    const std::chrono::milliseconds kill_time_max_;
    Wake stop_;
    Fd channel_;  // to the job
    Fd status_;   // to the helper, about the job
    std::string request_;
    std::size_t request_sent_ = 0;
    FrameReader answer_;
    Moment job_deadline_;
    std::optional<Moment> kill_deadline_;  // by when it must be gone after we ended it
    bool started_ = false;
    bool over_ = false;
    bool channel_done_ = false;
    Seen seen_;
};

}  // namespace belay::isolate
