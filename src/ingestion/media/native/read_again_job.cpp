// read_again_job.cpp — a page once more, by the reader that the helper loaded before it forked.
#include <malloc.h>

#include <cmath>
#include <memory>

#include "ingestion/isolate/registry.hpp"
#include "ingestion/media/card_number.hpp"
#include "ingestion/media/native/inputs.hpp"
#include "ingestion/media/native/read_document.hpp"
#include "ingestion/media/native/register.hpp"
#include "ingestion/media/read_jobs.hpp"

namespace belay::media {
namespace {

using namespace native;

constexpr double kSkewMax = 45;  // no reader finds more; the argument comes back from a page

std::unique_ptr<SecondReader> reader;

// What the network frees between two bands of a page goes back at once: glibc learns to keep what is freed often, in
// pieces between which the next band does not fit (67 of 512 MiB were lost that way).
constexpr int kGivenBackFrom = 4 << 20;

void warm_up() {
    ::mallopt(M_MMAP_THRESHOLD, kGivenBackFrom);
    reader = std::make_unique<SecondReader>(find_reader());
}

ReadPageAgain::Result read_again(const ReadPageAgain::Arguments& arguments,
                                 const isolate::Request& request) {
    const double skew =
        std::isfinite(arguments.skew) && std::fabs(arguments.skew) < kSkewMax ? arguments.skew : 0;
    try {
        Page page = read_page_second(only_input(request), arguments.page, *reader,
                                     {.rotation = (arguments.rotation % 360 + 360) % 360,
                                      .skew = skew,
                                      .language = arguments.language});
        mask_card_numbers(page);
        return {std::move(page)};
    } catch (const ReadError& error) {
        throw isolate::Reject{std::string{reject_code(error.kind())}, error.what()};
    }
}

}  // namespace

void register_read_again_job(isolate::Registry& registry) {
    registry.add<ReadPageAgain>(read_again, {.warm_up = warm_up, .readable = fonts_of_pages()});
}

}  // namespace belay::media
