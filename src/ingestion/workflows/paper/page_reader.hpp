// page_reader.hpp — what a page of a file says: the workflows' way to the sandboxed helper.
//
// A file that cannot be read fails for good, with a message that ends in its code ("(encrypted)"); a helper that
// was killed for reasons of its own may be asked again. Any thread; blocks.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <belay/time.hpp>

#include "ingestion/isolate/pool.hpp"
#include "ingestion/media/einvoice.hpp"
#include "ingestion/media/read_jobs.hpp"

namespace belay::workflows {

// None: a step that reads waits for its turn at the helper, and a busy day must not look like a failure. What it does in
// its turn is limited where it runs, each job in time of the processor and of the clock (page_reader.cpp).
inline constexpr Duration kReadingStepTimeout{0};

class PageReader {
public:
    PageReader() = default;
    PageReader(const PageReader&) = delete;
    PageReader& operator=(const PageReader&) = delete;
    virtual ~PageReader() = default;

    // A PDF's pages and what their text layers say.
    virtual media::ReadPdf::Result read_pdf(std::string_view file,
                                            const media::ReadPdf::Arguments& arguments,
                                            std::stop_token stop) = 0;

    // The electronic invoice that an XML file is, or that a PDF carries; throws for an XML file that is none.
    virtual media::ReadEInvoice::Result read_einvoice(std::string_view file,
                                                      std::stop_token stop) = 0;

    // One page of a PDF, or an image, as words.
    virtual media::Page read_page(std::string_view file,
                                  const media::ReadPage::Arguments& arguments,
                                  std::stop_token stop) = 0;

    // The page as the second reader sees it; `first` is what read_page gave. None where there is no second reader,
    // or where it could not read what the first one could: a page that was read stays read.
    virtual std::optional<media::Page> read_page_again(std::string_view file,
                                                       const media::Page& first,
                                                       std::stop_token stop) = 0;

    // A page as a JPEG, for people: for a thread that holds a turn of kind Look.
    virtual std::string render_page(std::string_view file,
                                    const media::RenderPage::Arguments& arguments,
                                    std::stop_token stop) = 0;
};

// In belay-media, one process for each call. The pools outlive it; the second reader has a helper of its own, because
// what is warm in a helper counts against the memory of its jobs.
class SandboxedPageReader final : public PageReader {
public:
    SandboxedPageReader(isolate::Pool& pool, isolate::Pool& second)
        : pool_(pool), second_(second) {}

    media::ReadPdf::Result read_pdf(std::string_view file,
                                    const media::ReadPdf::Arguments& arguments,
                                    std::stop_token stop) override;
    media::ReadEInvoice::Result read_einvoice(std::string_view file, std::stop_token stop) override;
    media::Page read_page(std::string_view file, const media::ReadPage::Arguments& arguments,
                          std::stop_token stop) override;
    std::optional<media::Page> read_page_again(std::string_view file, const media::Page& first,
                                               std::stop_token stop) override;
    std::string render_page(std::string_view file, const media::RenderPage::Arguments& arguments,
                            std::stop_token stop) override;

private:
    isolate::Pool& pool_;
    isolate::Pool& second_;
};

}  // namespace belay::workflows
