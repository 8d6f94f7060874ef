// call.hpp — a job as a typed function call, the same type on both sides.
//
//   struct DecodeImage {
//       static constexpr std::string_view kName = "decode_image";
//       struct Arguments { int side_max = 0; };   // both described: they travel as JSON
//       struct Result { int width = 0, height = 0; };
//   };
//   const auto reply = isolate::call<DecodeImage>(pool, {.side_max = 256}, inputs);
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/codec.hpp>

#include "ingestion/isolate/job.hpp"
#include "ingestion/isolate/pool.hpp"

namespace belay::isolate {

template <class T>
concept JobSpec = requires {
    { T::kName } -> std::convertible_to<std::string_view>;
    typename T::Arguments;
    typename T::Result;
};

template <JobSpec Spec>
struct Reply {
    typename Spec::Result value{};
    std::vector<std::string> blobs{};
};

// Runs the job and waits for its answer. Throws as Pool::run does, and JobFailed{Crashed} if the answer is
// not a Spec::Result.
template <JobSpec Spec>
Reply<Spec> call(Pool& pool, const typename Spec::Arguments& arguments, std::vector<Blob> inputs,
                 const Limits& limits = {}, std::stop_token stop = {}, Asker asker = {}) {
    const Job job{std::string{Spec::kName}, to_json(arguments), std::move(inputs), limits,
                  std::move(asker)};
    auto answer = pool.run(job, std::move(stop));
    try {
        return {from_json<typename Spec::Result>(answer.json), std::move(answer.blobs)};
    } catch (const Error& error) {
        throw JobFailed(FailureCode::Crashed,
                        std::string{Spec::kName} + " answered what it must not: " + error.what());
    }
}

}  // namespace belay::isolate
