#include "ingestion/workflows/paper/page_reader.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/isolate/call.hpp"
#include "ingestion/media/sound_page.hpp"

namespace belay::workflows {

namespace {

using namespace std::chrono_literals;

// The wall time is much longer than the processor's: a machine under load gives a job far less than a core, and what
// only waits has nothing to wait for in there.
constexpr isolate::Limits kPageLimits{.cpu_time = std::chrono::seconds{media::kReadPageSeconds},
                                      .wall_time = 15min,
                                      .output_bytes = 64u << 20};
constexpr isolate::Limits kPdfLimits{
    .cpu_time = 25s, .wall_time = 10min, .output_bytes = 256u << 20};
constexpr isolate::Limits kPictureLimits{
    .cpu_time = 15s, .wall_time = 5min, .output_bytes = 64u << 20};

// The same bytes would end the same way.
bool is_final(isolate::FailureCode code) {
    return code != isolate::FailureCode::Stopped &&
           code != isolate::FailureCode::SandboxUnavailable &&
           code != isolate::FailureCode::Crashed;
}

std::string code_of(const isolate::JobFailed& failure) {
    if (!failure.reject_code().empty()) return failure.reject_code();
    switch (failure.code()) {
        case isolate::FailureCode::TimedOut:
            return "took_too_long";
        case isolate::FailureCode::OutOfMemory:
        case isolate::FailureCode::OutputTooLarge:
            return "too_large";
        default:
            return std::string(isolate::to_string(failure.code()));
    }
}

template <class Job>
isolate::Reply<Job> ask(isolate::Pool& pool, std::string_view file,
                        const typename Job::Arguments& arguments, const isolate::Limits& limits,
                        std::stop_token stop) {
    std::vector<isolate::Blob> inputs;
    inputs.push_back(isolate::Blob::of(file));
    try {
        return isolate::call<Job>(pool, arguments, std::move(inputs), limits, std::move(stop));
    } catch (const isolate::JobFailed& failure) {
        if (!is_final(failure.code())) throw;
        throw NonRetryable(fmt::format("{} ({})", failure.what(), code_of(failure)));
    }
}

}  // namespace

media::ReadPdf::Result SandboxedPageReader::read_pdf(std::string_view file,
                                                     const media::ReadPdf::Arguments& arguments,
                                                     std::stop_token stop) {
    auto read = ask<media::ReadPdf>(pool_, file, arguments, kPdfLimits, std::move(stop)).value;
    for (media::Page& page : read.text) media::make_sound(page);
    return read;
}

media::ReadEInvoice::Result SandboxedPageReader::read_einvoice(std::string_view file,
                                                               std::stop_token stop) {
    auto read = ask<media::ReadEInvoice>(pool_, file, {}, kPdfLimits, std::move(stop)).value;
    if (read.invoice.size() > 1) read.invoice.resize(1);
    for (media::EInvoice& invoice : read.invoice) media::make_sound(invoice);
    read.attachment = base::truncate(base::to_valid_utf8(read.attachment), 200);
    read.problem = base::truncate(base::to_valid_utf8(read.problem), 400);
    return read;
}

media::Page SandboxedPageReader::read_page(std::string_view file,
                                           const media::ReadPage::Arguments& arguments,
                                           std::stop_token stop) {
    auto page =
        ask<media::ReadPage>(pool_, file, arguments, kPageLimits, std::move(stop)).value.page;
    media::make_sound(page);
    return page;
}

std::optional<media::Page> SandboxedPageReader::read_page_again(std::string_view file,
                                                                const media::Page& first,
                                                                std::stop_token stop) {
    const media::ReadPageAgain::Arguments arguments{.page = first.number,
                                                    .language = first.language,
                                                    .rotation = first.rotation,
                                                    .skew = first.skew};
    std::vector<isolate::Blob> inputs;
    inputs.push_back(isolate::Blob::of(file));
    try {
        auto page = isolate::call<media::ReadPageAgain>(second_, arguments, std::move(inputs),
                                                        kPageLimits, std::move(stop))
                        .value.page;
        media::make_sound(page);
        return page;
    } catch (const isolate::JobFailed& failure) {
        if (failure.code() == isolate::FailureCode::Stopped ||
            failure.code() == isolate::FailureCode::SandboxUnavailable)
            throw;
        return std::nullopt;
    }
}

std::string SandboxedPageReader::render_page(std::string_view file,
                                             const media::RenderPage::Arguments& arguments,
                                             std::stop_token stop) {
    auto reply = ask<media::RenderPage>(pool_, file, arguments, kPictureLimits, std::move(stop));
    if (reply.blobs.empty()) throw std::runtime_error("render_page gave no picture");
    return std::move(reply.blobs.front());
}

}  // namespace belay::workflows
