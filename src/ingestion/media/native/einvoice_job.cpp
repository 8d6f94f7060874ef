// einvoice_job.cpp — the invoice that a file is, or that a PDF carries.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ingestion/isolate/registry.hpp"
#include "ingestion/media/einvoice.hpp"
#include "ingestion/media/einvoice/read_einvoice.hpp"
#include "ingestion/media/html/charset.hpp"
#include "ingestion/media/native/inputs.hpp"
#include "ingestion/media/native/pdf.hpp"
#include "ingestion/media/native/read_document.hpp"
#include "ingestion/media/native/register.hpp"
#include "ingestion/media/read_jobs.hpp"

namespace belay::media {
namespace {

using namespace native;

constexpr std::size_t kAttachmentsMax = 64;
constexpr std::size_t kTriedMax = 8;

std::string lower(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

// The names that the standards give to the invoice of a PDF.
bool is_named_invoice(const PdfFile::Attachment& attachment) {
    constexpr std::array<std::string_view, 3> kNames{"factur-x.xml", "zugferd-invoice.xml",
                                                     "xrechnung.xml"};
    return std::ranges::find(kNames, lower(attachment.name)) != kNames.end();
}

bool may_be_invoice(const PdfFile::Attachment& attachment) {
    const std::string type = lower(attachment.content_type);
    return lower(attachment.name).ends_with(".xml") || type == "text/xml" ||
           type == "application/xml";
}

ReadEInvoice::Result in_pdf(std::string_view file, int pages_max) {
    const PdfFile pdf{file, {.pages_max = std::clamp(pages_max, 1, 10'000)}};
    auto candidates = pdf.attachments(kAttachmentsMax);
    std::erase_if(candidates, [](const auto& one) { return !may_be_invoice(one); });
    std::ranges::stable_partition(candidates, is_named_invoice);
    if (candidates.size() > kTriedMax) candidates.resize(kTriedMax);
    ReadEInvoice::Result result;
    for (const auto& candidate : candidates) {
        try {
            const auto bytes = pdf.bytes_of(candidate, einvoice::kXmlBytesMax);
            if (!bytes) throw einvoice::XmlError("it is empty, or too large");
            result.invoice.push_back(einvoice::read_einvoice(*bytes));
            result.attachment = candidate.name;
            return result;
        } catch (const einvoice::XmlError& error) {
            // Any XML may be attached to a PDF; one under such a name has to be an invoice.
            if (is_named_invoice(candidate) && result.problem.empty()) {
                result.attachment = candidate.name;
                result.problem = error.what();
            }
        }
    }
    return result;
}

// A PDF may have junk before its first line; but that is never a tag.
bool is_pdf(std::string_view file) {
    return looks_like_pdf(file) && !file.starts_with('<') && !file.starts_with("\xEF\xBB\xBF<");
}

ReadEInvoice::Result read(const ReadEInvoice::Arguments& arguments,
                          const isolate::Request& request) {
    const std::string_view file = only_input(request);
    try {
        if (is_pdf(file)) return in_pdf(file, arguments.pages_max);
        return {{einvoice::read_einvoice(file)}, "", ""};
    } catch (const ReadError& error) {
        throw isolate::Reject{std::string{reject_code(error.kind())}, error.what()};
    } catch (const einvoice::XmlError& error) {
        const auto kind = error.too_large() ? ReadErrorKind::TooLarge : ReadErrorKind::Unsupported;
        throw isolate::Reject{std::string{reject_code(kind)}, error.what()};
    }
}

}  // namespace

void register_einvoice_job(isolate::Registry& registry) {
    // glibc loads encodings from files, and a job can open none.
    registry.add<ReadEInvoice>(read, {.warm_up = html::keep_encodings});
}

}  // namespace belay::media
