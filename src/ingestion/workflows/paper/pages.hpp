// pages.hpp — the stages that WF2 and WF3 share: a document becomes pages, each is read, and they become one text.
//
//   prepare_pages   how many pages there are, and what their text layers say → a row of type pdf_page for each;
//                   of an invoice also the XML that it is or carries → a row of einvoices
//   ocr_page_N      side by side: the pages whose text layer cannot be trusted, by OCR
//   merge_ocr       the pages' text in order, with page breaks, on the document's row
//
// A page that stays unreadable after its retries is left out and named in `review`; without any readable page the
// run fails, and a retry reads the pages again. A crash runs only those pages again that had no record.
#pragma once

#include <string>
#include <vector>

#include <belay/belay.hpp>

#include "ingestion/media/einvoice.hpp"
#include "ingestion/workflows/paper/analyst.hpp"
#include "ingestion/workflows/paper/ending.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {

inline constexpr std::string_view kPageBreak = "\n--- PAGE BREAK ---\n";

// A page as `prepare_pages` found it.
struct PageRef {
    std::string file_id{};  // of its own row
    int number = 1;
    bool read = false;  // its text layer has been taken over, or a run before this one has read it
    std::string error{};  // it is broken: why
    bool kept = false;    // its picture is there
};
BOOST_DESCRIBE_STRUCT(PageRef, (), (file_id, number, read, error, kept))

// What `prepare_pages` records.
struct Prepared {
    SourceFile file{};
    std::vector<PageRef> pages{};
    std::int64_t took_ms = 0;
    bool einvoice = false;  // its XML says what it is, whether its pages can be read or not
    std::vector<media::Page> text{};    // of the pages with a text layer; not part of the record
    media::ReadEInvoice::Result xml{};  // nor this
    BOOST_DESCRIBE_CLASS(Prepared, (), (file, pages, took_ms, einvoice), (), ())
};

// What `ocr_page_N` records.
struct PageRead {
    std::string document_id{};  // the file of the whole document
    std::string file_id{};      // the page's own
    int number = 1;
    bool from_text_layer = false;
    int words = 0;
    double confidence = 0;
    std::int64_t took_ms = 0;
    std::vector<media::Page> page{};  // one, or none if it was read before; not part of the record
    BOOST_DESCRIBE_CLASS(PageRead, (),
                         (document_id, file_id, number, from_text_layer, words, confidence,
                          took_ms),
                         (), ())
};

// What `merge_ocr` records.
struct Merged {
    std::string file_id{};
    int pages = 0;
    int read = 0;
    double confidence = 0;
    std::vector<std::string> review{};  // "page 3 could not be read: …"
    std::vector<int> failed_pages{};
    std::vector<PageFailure> failures{};  // the same with why
    std::string text{};                   // not part of the record
    std::vector<PageRef> refs{};          // nor these
    BOOST_DESCRIBE_CLASS(Merged, (),
                         (file_id, pages, read, confidence, review, failed_pages, failures), (), ())
};

struct PagesOutcome {
    SourceFile file{};
    Merged merged{};
};

// The row id of a page: the same whenever the same document is split.
std::string page_file_id(const std::string& document_id, int number);

class StageList;

// All three stages. Throws StepFailed, after which the caller gives up; `stages` then says how far it came.
Task<PagesOutcome> read_document(Context& ctx, const PaperServices* with, FileInput input,
                                 const Guard* guard, StageList* stages);

// The words of all pages that could be read.
Reading load_document(const PaperServices& services, const std::string& file_id);

}  // namespace belay::workflows
