// workflow_type.hpp — which workflow a file goes through: the table of types that an upload may name.
//
// Dispatch is explicit: a type leads to one workflow_key, and accepts only the contents that it can read. Nothing is
// guessed beyond the two defaults in the table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <belay/error.hpp>

namespace belay::ingest {

// The content is none that may be uploaded, or none for the type that was named.
class UnsupportedContent : public Error {
public:
    explicit UnsupportedContent(const std::string& message)
        : Error(ErrorCode::InvalidArgument, message) {}
};

struct WorkflowType {
    std::string_view type;          // as an upload says it: "image"
    std::string_view workflow_key;  // "IMAGE_CLASSIFICATION"
    std::string_view run_prefix;    // of the run's id: "imgcls_"
    bool images = false;            // accepts png, jpeg, webp, gif
    bool pdfs = false;              // accepts PDF
    bool image_default = false;     // taken for an image that comes without a type
    bool pdf_default = false;       // taken for a PDF that comes without a type
    bool xml = false;               // accepts XML, and is taken for it without a type
};

// What the metadata of a kept page's picture says: no upload, whoever tells of it.
inline constexpr std::string_view kPageOfDocument = "pdf_page";

std::span<const WorkflowType> workflow_types();

// The row of that name. Throws Error{InvalidArgument} that lists the names there are.
const WorkflowType& workflow_type_named(std::string_view type);

// The row for a file: of the name given, or for no name the default of its content. Throws Error{InvalidArgument}
// that lists the names there are, and UnsupportedContent that says what is accepted.
const WorkflowType& workflow_type_for(std::string_view type, std::string_view content_type);

}  // namespace belay::ingest
