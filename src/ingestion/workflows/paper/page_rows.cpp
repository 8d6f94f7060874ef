#include "ingestion/workflows/paper/page_rows.hpp"

namespace belay::workflows {

std::string page_text(const media::Page& page) {
    std::string text;
    int line = page.words.empty() ? 0 : page.words.front().line;
    for (const media::Word& word : page.words) {
        if (word.line != line) {
            text += '\n';
            line = word.line;
        } else if (!text.empty()) {
            text += ' ';
        }
        text += word.text;
    }
    return text;
}

void save_page(Tx& tx, const std::string& file_id, const media::Page& page, int reading) {
    tx.exec(
        "INSERT INTO page_readings (file_id, page_number, reading, page, created_at) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (file_id, page_number, reading) DO UPDATE SET "
        "page = excluded.page, created_at = excluded.created_at",
        file_id, page.number, reading, to_json(page), tx.now());
}

std::vector<media::Page> load_pages(const TableReader& tables, const std::string& file_id,
                                    int reading) {
    const SqlRows rows = tables.query(
        "SELECT page FROM page_readings WHERE file_id = ? AND reading = ? ORDER BY page_number",
        file_id, reading);
    std::vector<media::Page> pages;
    for (const SqlRow row : rows) pages.push_back(from_json<media::Page>(row.get<std::string>(0)));
    return pages;
}

void save_einvoice(Tx& tx, const std::string& file_id, const media::ReadEInvoice::Result& read) {
    tx.exec("DELETE FROM einvoices WHERE file_id = ?", file_id);
    if (read.invoice.empty() && read.problem.empty()) return;
    tx.exec("INSERT INTO einvoices (file_id, reading, created_at) VALUES (?, ?, ?)", file_id,
            to_json(read), tx.now());
}

media::ReadEInvoice::Result load_einvoice(const TableReader& tables, const std::string& file_id) {
    const SqlRows rows = tables.query("SELECT reading FROM einvoices WHERE file_id = ?", file_id);
    if (rows.empty()) return {};
    return from_json<media::ReadEInvoice::Result>(rows[0].get<std::string>(0));
}

}  // namespace belay::workflows
