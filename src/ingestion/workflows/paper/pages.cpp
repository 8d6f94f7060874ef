#include "ingestion/workflows/paper/pages.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include <belay/async.hpp>

#include "core/base/hash.hpp"
#include "ingestion/ai/rules/einvoice.hpp"
#include "ingestion/isolate/in_turn.hpp"
#include "ingestion/media/fusion.hpp"
#include "ingestion/workflows/paper/document_flow.hpp"
#include "ingestion/workflows/paper/document_states.hpp"
#include "ingestion/workflows/paper/ending.hpp"
#include "ingestion/workflows/paper/page_rows.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr StepOptions kPatient{
    .retry = {.attempts_max = 3, .first_delay = 1s, .longest_delay = 30s},
    .timeout = kReadingStepTimeout};

// A scanned page that Tesseract reads with less is read by the second reader as well, which costs three times as much;
// pictures always are.
constexpr double kSure = 0.85;

bool is_pdf(const SourceFile& file) { return file.content_type == "application/pdf"; }
bool is_xml(const SourceFile& file) { return file.content_type == "application/xml"; }

// ---- prepare_pages

// Pages that are this run's before it has begun are those of a run before it, made again for some of them
// (page_retry.hpp): what was read stays, what could not be read stays out.
void take_over(const Attempt& attempt, const PaperServices& services, Prepared& prepared) {
    const SqlRows rows = services.engine.query(
        "SELECT page_number, ai_status, coalesce(error_message, ''), original_file_size FROM "
        "unified_files WHERE original_file_id = ? AND file_type = 'pdf_page' AND workflow_run_id = "
        "? AND deleted_at IS NULL",
        prepared.file.file_id, attempt.run_id());
    std::vector<int> done;
    for (const SqlRow row : rows) {
        const auto number = row.get<int>(0);
        const auto page = std::ranges::find(prepared.pages, number, &PageRef::number);
        if (page == prepared.pages.end()) continue;
        const auto status = row.get<std::string>(1);
        page->kept = row.get<std::int64_t>(3) > 0;
        if (status == "ocr_done") {
            page->read = true;
            done.push_back(number);
        }
        if (status == "ocr_failed") page->error = row.get<std::string>(2);
    }
    std::erase_if(prepared.text, [&](const media::Page& text) {
        return std::ranges::find(done, text.number) != done.end();
    });
}

// What an invoice carries beside its pages. A PDF is one without it: what cannot be read is told, and its pages are read.
media::ReadEInvoice::Result carried_xml(const PaperServices& services, std::string_view bytes,
                                        std::stop_token stop) {
    try {
        return services.reader.read_einvoice(bytes, std::move(stop));
    } catch (const NonRetryable& refused) {
        return {{}, "", refused.what()};
    }
}

Prepared prepare_pages(Attempt& attempt, const PaperServices* with, const FileInput& input,
                       const Guard& guard) {
    const Time begun = with->clock.now();
    Prepared out;
    out.file = find_source(attempt, *with, input, guard);
    const std::string bytes = read_checked(*with, out.file);
    if (is_xml(out.file)) {
        out.xml = with->reader.read_einvoice(bytes, attempt.stop_token());
        if (out.xml.invoice.empty())
            throw NonRetryable(fmt::format("{} is no invoice (unsupported)", out.file.name));
        out.pages.push_back({page_file_id(out.file.file_id, 1), 1, true, ""});
        out.text.push_back(ai::rules::sheet_of(out.xml.invoice.front()));
    } else if (is_pdf(out.file)) {
        if (guard.workflow_prefix == kInvoiceGuard.workflow_prefix)
            out.xml = carried_xml(*with, bytes, attempt.stop_token());
        auto pdf = with->reader.read_pdf(bytes, {.pages_max = with->options.pages_max},
                                         attempt.stop_token());
        for (const auto& page : pdf.pages) {
            out.pages.push_back({page_file_id(out.file.file_id, page.number), page.number,
                                 page.readable, page.error});
        }
        out.text = std::move(pdf.text);
    } else {
        out.pages.push_back({page_file_id(out.file.file_id, 1), 1, false, ""});
    }
    if (out.pages.empty())
        throw NonRetryable(fmt::format("{} has no pages (no_pages)", out.file.name));
    take_over(attempt, *with, out);
    out.einvoice = !out.xml.invoice.empty();
    if (is_xml(out.file)) out.pages.front().kept = true;  // nothing can be drawn
    out.took_ms = (with->clock.now() - begun).count();
    return out;
}

// Until its picture is kept a page is a place in its document.
void insert_page(Tx& tx, const SourceFile& file, const PageRef& page) {
    const std::string name = fmt::format("{}-page-{:04}.png", file.name, page.number);
    tx.exec(
        "INSERT INTO unified_files (id, organization_id, file_type, original_filename, "
        "original_file_id, original_file_name, original_file_size, mime_type, file_suffix, "
        "object_key, object_etag, workflow_type, ingest_workflow_key, ingest_source_channel, "
        "workflow_run_id, ai_status, error_message, page_number, other_data, created_at, "
        "updated_at) "
        "SELECT ?, organization_id, 'pdf_page', ?, id, original_filename, 0, 'image/png', '.png', "
        "object_key || ?, object_etag, workflow_type, ingest_workflow_key, "
        "ingest_source_channel, workflow_run_id, ?, ?, ?, ?, ?, ? FROM unified_files WHERE id = ? "
        "ON CONFLICT (id) DO UPDATE SET ai_status = excluded.ai_status, "
        "error_message = excluded.error_message, deleted_at = NULL, "
        "updated_at = excluded.updated_at",
        page.file_id, name, fmt::format("#page={}", page.number),
        page.error.empty() ? "uploaded" : "ocr_failed",
        page.error.empty() ? std::nullopt : std::optional(page.error), page.number,
        json::serialize(json::object{{"page_number", page.number}, {"source_pdf", file.file_id}}),
        tx.now(), tx.now(), file.file_id);
}

void save_prepared(Tx& tx, const Prepared& prepared) {
    const Answered by{is_xml(prepared.file) ? "libxml2" : "poppler", "", 1, prepared.took_ms, ""};
    note_success(
        tx, prepared.file.file_id, kPdfJob, by,
        fmt::format("{} pages, {} with a text layer", prepared.pages.size(), prepared.text.size()));
    for (const PageRef& page : prepared.pages) insert_page(tx, prepared.file, page);
    for (const media::Page& page : prepared.text) save_page(tx, prepared.file.file_id, page, 1);
    save_einvoice(tx, prepared.file.file_id, prepared.xml);
    if (is_current_run(tx, prepared.file.file_id))
        set_processing_status(tx, prepared.file.file_id, ai::rules::ProcessingStatus::OcrPending);
}

boost::asio::awaitable<Prepared> prepare_in_turn(Attempt& attempt, const PaperServices* with,
                                                 const std::string& organization,
                                                 const FileInput& input, const Guard& guard) {
    return isolate::in_turn(
        with->turns, isolate::asker_of(attempt, organization, isolate::JobKind::Long),
        attempt.stop_token(),
        [&attempt, with, input, guard] { return prepare_pages(attempt, with, input, guard); });
}

// ---- ocr_page_N

// As sharp as people need it: 200 dots per inch of a sheet.
constexpr int kPictureSide = 2339;

// The page's picture becomes an object of its own, which its row names. Of a page that cannot be drawn, or whose row
// is not this run's any more, nothing is kept.
void keep_picture(Attempt& attempt, const PaperServices& services, const SourceFile& file,
                  const std::string& bytes, int number) {
    std::string png;
    try {
        media::RenderPage::Arguments wanted;
        wanted.page = number;
        wanted.side = kPictureSide;
        wanted.png = true;
        png = services.reader.render_page(bytes, wanted, attempt.stop_token());
    } catch (const NonRetryable&) {
        return;
    }
    const objects::Key key{file.organization_id,
                           fmt::format(".pages/{}/page-{:04}.png", file.file_id, number)};
    objects::Description description;
    description.content_type = "image/png";
    description.metadata["workflow_type"] = "pdf_page";
    const auto object = services.object_store.put(key, png, description);
    const auto kept = services.engine.transact([&](Tx& tx) {
        return tx.exec(
            "UPDATE unified_files SET object_key = ?, object_etag = ?, original_file_size = ?, "
            "content_hash = ?, mime_type = 'image/png', updated_at = ? WHERE id = ? AND "
            "workflow_run_id = ? AND deleted_at IS NULL",
            key.text(), object.etag, static_cast<std::int64_t>(png.size()), base::sha256_hex(png),
            tx.now(), page_file_id(file.file_id, number), attempt.run_id());
    });
    const SqlRows needed = kept > 0 ? SqlRows{SqlResult{}}
                                    : services.engine.query(
                                          "SELECT 1 FROM unified_files WHERE object_key = ? AND "
                                          "deleted_at IS NULL",
                                          key.text());
    if (kept == 0 && needed.empty()) services.object_store.remove(key);
}

// One page on its way through the fan.
struct PageTask {
    std::string organization{};  // whose run this is
    SourceFile file{};
    PageRef page{};
};

PageRead read_before(Attempt& attempt, const PaperServices& services, const PageTask& task) {
    const SourceFile file = own_source(attempt, services, task.file.file_id);
    if (services.options.keep_pages && !task.page.kept)
        keep_picture(attempt, services, file, read_bytes(services, file), task.page.number);
    PageRead out;
    out.document_id = file.file_id;
    out.file_id = page_file_id(file.file_id, task.page.number);
    out.number = task.page.number;
    out.confidence = 1;
    out.from_text_layer = true;
    return out;
}

PageRead read_one(Attempt& attempt, const PaperServices& services, const PageTask& task) {
    const Time begun = services.clock.now();
    const SourceFile file = own_source(attempt, services, task.file.file_id);
    PageRead out;
    out.document_id = file.file_id;
    out.file_id = page_file_id(file.file_id, task.page.number);
    out.number = task.page.number;
    const std::string bytes = read_bytes(services, file);
    if (services.options.keep_pages) keep_picture(attempt, services, file, bytes, task.page.number);
    media::Page page =
        services.reader.read_page(bytes, {.page = task.page.number}, attempt.stop_token());
    page.number = task.page.number;
    if (page.source == media::PageSource::Ocr && (!is_pdf(task.file) || page.confidence < kSure)) {
        if (const auto second = services.reader.read_page_again(bytes, page, attempt.stop_token()))
            page = media::fused(page, *second);
    }
    out.words = static_cast<int>(page.words.size());
    out.confidence = page.confidence;
    out.from_text_layer = page.source == media::PageSource::TextLayer;
    out.page.push_back(std::move(page));
    out.took_ms = (services.clock.now() - begun).count();
    return out;
}

// A page whose text layer was good has been read: only its picture needs a turn.
boost::asio::awaitable<PageRead> read_in_turn(Attempt& attempt, const PaperServices* with,
                                              PageTask task) {
    if (!task.page.error.empty()) throw NonRetryable(task.page.error);
    const bool draws = with->options.keep_pages && !task.page.kept;
    if (task.page.read && !draws) co_return read_before(attempt, *with, task);
    auto asker = isolate::asker_of(attempt, task.organization, isolate::JobKind::Long);
    auto read = [&attempt, with, &task] {
        return task.page.read ? read_before(attempt, *with, task) : read_one(attempt, *with, task);
    };
    co_return co_await isolate::in_turn(with->turns, std::move(asker), attempt.stop_token(), read);
}

void save_read(Tx& tx, const PageRead& read) {
    for (const media::Page& page : read.page) save_page(tx, read.document_id, page, 1);
    const std::string text = read.page.empty() ? std::string() : page_text(read.page.front());
    tx.exec(
        "UPDATE unified_files SET ai_status = 'ocr_done', error_message = NULL, ai_confidence = ?, "
        "ocr_raw = CASE WHEN ? = 1 THEN ocr_raw ELSE ? END, updated_at = ? WHERE id = ?",
        read.confidence, read.page.empty(), text, tx.now(), read.file_id);
}

// ---- merge_ocr

Merged merge_pages(Attempt& attempt, const PaperServices* with, const Prepared& prepared,
                   const std::vector<std::string>& errors) {
    const SourceFile file = own_source(attempt, *with, prepared.file.file_id);
    Merged out;
    out.file_id = file.file_id;
    out.pages = static_cast<int>(prepared.pages.size());
    out.refs = prepared.pages;
    for (PageRef& page : out.refs) page.file_id = page_file_id(file.file_id, page.number);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        if (errors[i].empty()) continue;
        out.failed_pages.push_back(prepared.pages[i].number);
        out.failures.push_back({prepared.pages[i].number, errors[i]});
        out.review.push_back(
            fmt::format("page {} could not be read: {}", prepared.pages[i].number, errors[i]));
    }
    std::size_t words = 0;
    for (const media::Page& page : load_pages(with->engine, out.file_id, 1)) {
        const bool failed =
            std::ranges::find(out.failed_pages, page.number) != out.failed_pages.end();
        if (failed) continue;
        if (out.read++ > 0) out.text += kPageBreak;
        out.text += page_text(page);
        out.confidence += page.confidence;
        words += page.words.size();
    }
    if (out.read > 0) out.confidence /= out.read;
    if (words == 0 && !prepared.einvoice) {
        throw NonRetryable(
            fmt::format("no text was found on {} pages of {} (no_text)", out.pages, file.name));
    }
    return out;
}

void save_merged(Tx& tx, const Merged& merged) {
    if (!is_current_run(tx, merged.file_id)) return;
    json::array pages, failed;
    for (const PageRef& page : merged.refs) {
        pages.push_back(json::object{
            {"file_id", page.file_id}, {"page_number", page.number}, {"file_type", "pdf_page"}});
    }
    for (const int number : merged.failed_pages) failed.push_back(number);
    json::object other{{"page_count", merged.pages},
                       {"pages", std::move(pages)},
                       {"failed_ocr_pages", std::move(failed)},
                       {"combined_ocr_text", merged.text}};
    tx.exec(
        "UPDATE unified_files SET ocr_raw = ?, other_data = ?, ai_confidence = ?, "
        "ai_status = 'ocr_done', updated_at = ? WHERE id = ?",
        merged.text, json::serialize(other), merged.confidence, tx.now(), merged.file_id);
    set_processing_status(tx, merged.file_id, ai::rules::ProcessingStatus::OcrDone);
    for (const PageFailure& page : merged.failures) mark_page_failed(tx, merged.file_id, page);
}

}  // namespace

std::string page_file_id(const std::string& document_id, int number) {
    return "page_" + base::sha256_hex(fmt::format("{}:page:{}", document_id, number)).substr(0, 32);
}

Task<PagesOutcome> read_document(Context& ctx, const PaperServices* with, FileInput input,
                                 const Guard* guard, StageList* stages) {
    const std::string organization = ctx.organization_id();
    const auto prepared =
        co_await ctx
            .step("prepare_pages", kPatient, prepare_in_turn, with, organization, input, *guard)
            .commit(save_prepared);

    stages->begin();
    std::vector<PageTask> tasks;
    for (const PageRef& page : prepared.pages) tasks.push_back({organization, prepared.file, page});
    const FanOptions options{.step = kPatient};
    const auto read = [with](Attempt& attempt, const PageTask& task) {
        return read_in_turn(attempt, with, task);
    };
    // Every page ends before anything is judged; one that failed is worth a review, all of them fail the run.
    std::vector<std::string> errors(prepared.pages.size());
    try {
        co_await ctx.map("ocr_page", options, tasks, read).commit(save_read).wait_all();
    } catch (const FanFailed& failed) {
        if (failed.failed() == prepared.pages.size() && !prepared.einvoice) throw;
        for (const BranchFailure& page : failed.failures()) errors[page.branch] = page.message;
    }

    stages->begin();
    PagesOutcome done;
    done.file = prepared.file;
    done.merged =
        co_await ctx.step("merge_ocr", merge_pages, with, prepared, errors).commit(save_merged);
    co_return done;
}

Reading load_document(const PaperServices& services, const std::string& file_id) {
    return {load_pages(services.engine, file_id, 1), {}};
}

}  // namespace belay::workflows
