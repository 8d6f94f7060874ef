#include "ingestion/ingest/workflow_type.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::ingest {

namespace {

constexpr std::array kTypes{
    WorkflowType{"image", "IMAGE_CLASSIFICATION", "imgcls_", true, false},
    WorkflowType{"receipt", "WF1_RECEIPT", "wf1_", true, true, true},
    WorkflowType{"invoice", "WF2_PDF_SPLIT", "wf2_", true, true, false, true, true},
    WorkflowType{"creditcard_invoice", "WF3_FIRSTCARD_INVOICE", "wf3_", true, true},
};

constexpr std::array<std::string_view, 4> kImages{"image/png", "image/jpeg", "image/webp",
                                                  "image/gif"};

bool is_image(std::string_view content_type) {
    for (const std::string_view image : kImages) {
        if (content_type == image) return true;
    }
    return false;
}

bool is_pdf(std::string_view content_type) { return content_type == "application/pdf"; }
bool is_xml(std::string_view content_type) { return content_type == "application/xml"; }

// One line, and not the whole of what somebody sent.
std::string shown(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 80)) out += c >= 0x20 && c < 0x7F ? c : '?';
    return out;
}

std::string_view accepted_by(const WorkflowType& type) {
    if (type.xml) return "PDF, XML (UBL, CII), PNG, JPEG, WebP and GIF";
    return type.pdfs ? "PDF, PNG, JPEG, WebP and GIF" : "PNG, JPEG, WebP and GIF";
}

}  // namespace

std::span<const WorkflowType> workflow_types() { return kTypes; }

const WorkflowType& workflow_type_named(std::string_view type) {
    if (type == "statement") type = "creditcard_invoice";  // what people call it
    std::string names;
    for (const WorkflowType& row : kTypes) {
        if (row.type == type) return row;
        if (!names.empty()) names += ", ";
        names += row.type;
    }
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("workflow_type is one of {}, not `{}`", names, shown(type)));
}

const WorkflowType& workflow_type_for(std::string_view type, std::string_view content_type) {
    const bool image = is_image(content_type);
    const bool pdf = is_pdf(content_type), xml = is_xml(content_type);
    if (type.empty()) {
        for (const WorkflowType& row : kTypes) {
            if ((image && row.image_default) || (pdf && row.pdf_default) || (xml && row.xml))
                return row;
        }
        throw UnsupportedContent(fmt::format(
            "this is {}; PDF, XML, PNG, JPEG, WebP and GIF files are taken", shown(content_type)));
    }
    const WorkflowType& row = workflow_type_named(type);
    if ((image && row.images) || (pdf && row.pdfs) || (xml && row.xml)) return row;
    throw UnsupportedContent(fmt::format("this is {}; workflow_type `{}` takes {} files",
                                         shown(content_type), row.type, accepted_by(row)));
}

}  // namespace belay::ingest
