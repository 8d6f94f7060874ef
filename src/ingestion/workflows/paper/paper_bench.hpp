// paper_bench.hpp — the workflows on paper with a reader that knows its documents by heart, for tests.
//
// A document is a few made-up bytes; what its pages say is given beside it, from the sample generator or typed. So a
// test needs no PDF, no OCR and no helper process.
#pragma once

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include <belay/belay.hpp>

#include "core/env/clock.hpp"
#include "core/env/files.hpp"
#include "core/library/host.hpp"
#include "ingestion/ingest/tables.hpp"
#include "ingestion/ingest/uploads.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "ingestion/samples/sample.hpp"
#include "ingestion/workflows/paper/analyst.hpp"
#include "ingestion/workflows/paper/invoice.hpp"
#include "ingestion/workflows/paper/receipt.hpp"
#include "ingestion/workflows/paper/statement.hpp"

namespace belay::workflows {

class FakePageReader final : public PageReader {
public:
    media::ReadPdf::Result read_pdf(std::string_view file, const media::ReadPdf::Arguments&,
                                    std::stop_token) override {
        ++pdfs_read;
        media::ReadPdf::Result result;
        for (const media::Page& page : pages_of(file)) {
            result.pages.push_back({page.number, page.width, page.height, text_layers, ""});
            if (text_layers) result.text.push_back(page);
        }
        return result;
    }
    media::ReadEInvoice::Result read_einvoice(std::string_view file, std::stop_token) override {
        ++xmls_read;
        const auto found = einvoices.find(file);
        if (found != einvoices.end()) return found->second;
        if (file.starts_with("<")) throw NonRetryable("this is no invoice (unsupported)");
        return {};
    }
    media::Page read_page(std::string_view file, const media::ReadPage::Arguments& arguments,
                          std::stop_token) override {
        {
            const std::lock_guard lock(mutex_);
            ++reads[arguments.page];
        }
        if (before_page) before_page(arguments.page);
        return pages_of(file).at(static_cast<std::size_t>(arguments.page - 1));
    }
    std::optional<media::Page> read_page_again(std::string_view file, const media::Page& first,
                                               std::stop_token) override {
        ++second_reads;
        const auto found = seconds.find(file);
        if (found == seconds.end()) return std::nullopt;
        return found->second.at(static_cast<std::size_t>(first.number - 1));
    }
    std::string render_page(std::string_view, const media::RenderPage::Arguments&,
                            std::stop_token) override {
        return "a picture";
    }

    std::map<std::string, std::vector<media::Page>, std::less<>>
        documents;  // by their bytes; none: broken
    std::map<std::string, std::vector<media::Page>, std::less<>>
        seconds;  // what the second reader sees; none: there is no second reader
    std::map<std::string, media::ReadEInvoice::Result, std::less<>> einvoices;  // what they carry
    std::atomic<int> xmls_read = 0;
    std::atomic<int> second_reads = 0;
    bool text_layers = false;
    std::function<void(int page)> before_page;  // may throw
    std::map<int, int> reads;                   // by page
    std::atomic<int> pdfs_read = 0;

private:
    const std::vector<media::Page>& pages_of(std::string_view file) const {
        const auto found = documents.find(file);
        if (found == documents.end() || found->second.empty())
            throw NonRetryable("this is not a document (broken)");
        return found->second;
    }
    std::mutex mutex_;
};

struct Stage {
    std::string key{};
    std::string status{};
    std::string message{};
};

// A folder for a database: what a run's stages are is read from its tables.
struct BenchFolder {
    BenchFolder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "belay-paper-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~BenchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    BenchFolder(const BenchFolder&) = delete;
    BenchFolder& operator=(const BenchFolder&) = delete;

    std::string path;
};

struct PaperBench {
    // In a folder of its own, started; or in one that outlives it, for the test to start.
    explicit PaperBench(PaperOptions options = {}, std::string in_folder = {},
                        Analyst::Models models = {})
        : path(in_folder.empty() ? folder.path : std::move(in_folder)),
          analyst(clock, std::move(models)),
          engine(library::make_core(sqlite(path + "/belay.db"), quiet(), &clock)),
          uploads(engine, store, keys()),
          services{engine, store, reader, turns, analyst, clock, std::move(options)} {
        engine.migrate(ingest::kOwner, ingest::migrations());
        define_receipt(services);
        define_invoice(services);
        define_statement(services);
        if (path == folder.path) engine.start();
    }

    // `bytes` are the document's name for the reader, too.
    ingest::Ingested upload(const std::string& bytes, std::vector<media::Page> pages,
                            const std::string& type, const std::string& name = "document",
                            const std::string& organization = "acme") {
        reader.documents[bytes] = std::move(pages);
        const auto writer = store.begin(1 << 20);
        writer->write(bytes);
        const bool picture = type == "receipt", xml = bytes.starts_with("<");
        return uploads.finish(*writer, {organization,
                                        name + (picture ? ".png"
                                                : xml   ? ".xml"
                                                        : ".pdf"),
                                        picture ? "image/png"
                                        : xml   ? "application/xml"
                                                : "application/pdf",
                                        type, false});
    }
    boost::json::value result(const ingest::Ingested& file) {
        return engine.find<boost::json::value>(file.workflow_run_id).result();
    }
    // The message of a run that must fail.
    std::string failure(const std::string& run_id) {
        try {
            engine.find<boost::json::value>(run_id).result();
        } catch (const Error& error) {
            return error.what();
        }
        return "it succeeded";
    }
    std::vector<Stage> stages(const std::string& run_id) {
        std::vector<Stage> out;
        for (const SqlRow row : engine.query(
                 "SELECT s.stage_key, s.status, coalesce(s.message, '') FROM workflow_stage_runs s "
                 "JOIN workflow_runs r ON r.id = s.workflow_run_id WHERE r.public_id = ? "
                 "ORDER BY s.position",
                 run_id)) {
            out.push_back(
                {row.get<std::string>(0), row.get<std::string>(1), row.get<std::string>(2)});
        }
        return out;
    }
    // "ocr succeeded, ai_pipeline skipped, …"
    std::string story(const std::string& run_id) {
        std::string out;
        for (const Stage& stage : stages(run_id))
            out += (out.empty() ? "" : ", ") + stage.key + " " + stage.status;
        return out;
    }
    template <class T>
    T value(const std::string& sql) {
        return engine.query(sql)[0].get<T>(0);
    }
    int count(const std::string& from) { return value<int>("SELECT count(*) FROM " + from); }
    std::string file_text(const std::string& file_id, const std::string& column) {
        return engine
            .query("SELECT coalesce(" + column + ", '') FROM unified_files WHERE id = ?",
                   file_id)[0]
            .get<std::string>(0);
    }

    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        return options;
    }
    static std::vector<std::string> keys() {
        return {std::string(kReceiptWorkflow), std::string(kInvoiceWorkflow),
                std::string(kStatementWorkflow)};
    }

    BenchFolder folder;
    const std::string path;  // where database and objects are
    // After every document that the samples make up: nothing is bought in the future.
    env::ManualClock clock{Time{std::chrono::sys_days{std::chrono::year{2030} / 1 / 1}}};
    env::SystemFiles files;
    objects::FilesystemStore store{path + "/objects", files, clock};
    FakePageReader reader;
    isolate::Turns turns{{.work = 2}, clock};
    Analyst analyst;
    Engine engine;
    ingest::Uploads uploads;
    PaperServices services;
};

}  // namespace belay::workflows
