// registry.hpp — the jobs that a helper program can do.
//
//   isolate::Registry jobs;
//   jobs.add<media::DecodeImage>(decode_image);                                    // typed, see call.hpp
//   jobs.add("echo", [](const auto& request) { return Answer{…}; });               // bare
//   return isolate::serve(jobs);
//
// A handler runs in a process of its own that ends with it: it may leak, and may keep statics.
#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/codec.hpp>

#include "ingestion/isolate/call.hpp"
#include "ingestion/isolate/failure.hpp"
#include "ingestion/isolate/job.hpp"

namespace belay::isolate {

// What a handler is given. The inputs are mapped read-only and live as long as the process.
struct Request {
    std::string_view arguments{};  // JSON
    std::vector<std::string_view> inputs{};
};

// Throws Reject when the input is not acceptable; any other std::exception is reported as Reject with
// the code "failed", std::bad_alloc as OutOfMemory.
using Handler = std::function<Answer(const Request&)>;

struct JobOptions {
    // Runs once in the helper before it forks, unconfined: loads models, opens dictionaries, resolves what
    // a library resolves on first use. Must leave no thread behind. If it throws, the job is known but
    // unavailable, with the exception's text as the reason; other jobs are not affected.
    std::function<void()> warm_up{};

    // Files and folders that the job may read. With none it can open nothing at all. Paths that do not
    // exist are passed over.
    std::vector<std::string> readable{};
};

class Registry {
public:
    // Throws std::invalid_argument for a name that is empty, too long, or taken.
    void add(std::string name, Handler handler, JobOptions options = {});

    // `fn(const Spec::Arguments&, const Request&)` returns a Spec::Result, or a Reply<Spec> with blobs.
    template <JobSpec Spec, class F>
    void add(F fn, JobOptions options = {}) {
        add(
            std::string{Spec::kName},
            [fn = std::move(fn)](const Request& request) -> Answer {
                const auto arguments = from_json<typename Spec::Arguments>(request.arguments);
                auto result = fn(arguments, request);
                if constexpr (std::same_as<decltype(result), Reply<Spec>>) {
                    return {to_json(result.value), std::move(result.blobs)};
                } else {
                    return {to_json<typename Spec::Result>(result), {}};
                }
            },
            std::move(options));
    }

    // Forgets all other jobs, so that their warm-up is not paid for; an empty list keeps all. Throws
    // std::invalid_argument for a name that no job has.
    void keep_only(std::span<const std::string_view> names);

    struct Entry {
        std::string name;
        Handler handler;
        JobOptions options;
        std::string unavailable{};  // why, if its warm-up failed
    };
    std::vector<Entry>& entries() { return entries_; }
    const std::vector<Entry>& entries() const { return entries_; }
    const Entry* find(std::string_view name) const;

private:
    std::vector<Entry> entries_;
};

}  // namespace belay::isolate
