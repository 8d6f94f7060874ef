// rules_dump.cpp — pages in, result out: reads a JSON list of media::Page from a file and prints what the
// rules find in it, as `ingest --wait --json` would. For measuring rules without PDFs and OCR.
//
//   rules_dump KIND PAGES.json   (KIND: invoice, statement; -full with confidence and boxes; lines, headings,
//   totals show what a rule had to choose from)
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/invoice_totals.hpp"
#include "ingestion/ai/rules/statement.hpp"
#include "ingestion/ai/rules/table.hpp"

int main(int argc, char** argv) try {
    if (argc != 3) {
        std::cerr << "usage: rules_dump invoice|invoice-full|statement|statement-full|lines|totals "
                     "PAGES.json\n";
        return 2;
    }
    const std::string kind = argv[1];
    std::ifstream file{argv[2]};
    if (!file) {
        std::cerr << "rules_dump: cannot read " << argv[2] << "\n";
        return 1;
    }
    std::ostringstream text;
    text << file.rdbuf();
    const auto pages = belay::from_json<std::vector<belay::media::Page>>(text.str());
    namespace rules = belay::ai::rules;
    if (kind == "invoice") {
        std::cout << rules::invoice_result_json(rules::read_invoice(pages)) << "\n";
    } else if (kind == "invoice-full") {
        std::cout << belay::to_json(rules::read_invoice(pages)) << "\n";
    } else if (kind == "statement") {
        std::cout << rules::statement_result_json(rules::read_statement(pages)) << "\n";
    } else if (kind == "statement-full") {
        std::cout << belay::to_json(rules::read_statement(pages)) << "\n";
    } else if (kind == "lines") {
        for (const auto& line : rules::lines_of(pages))
            std::cout << fmt::format("{} {:5.0f} {:5.0f} {}\n", line.page, line.box.x, line.box.y,
                                     line.text());
    } else if (kind == "headings") {
        for (const auto& heading : rules::item_headings(rules::document_of(pages))) {
            for (const auto& column : heading.columns) {
                std::cout << fmt::format("{} at {:.0f}-{:.0f}  ", static_cast<int>(column.kind),
                                         column.heading.x, column.heading.right());
            }
            std::cout << fmt::format("lines {}-{}\n", heading.first_line, heading.last_line);
        }
    } else if (kind == "totals") {
        for (const auto& c : rules::total_candidates(rules::document_of(pages))) {
            std::cout << fmt::format("{} {} {:.2f} line {}\n", static_cast<int>(c.kind),
                                     c.value.text(), c.strength, c.line);
        }
    } else {
        std::cerr << "rules_dump: unknown kind " << kind << "\n";
        return 2;
    }
    return 0;
} catch (const std::exception& error) {
    std::cerr << "rules_dump: " << error.what() << "\n";
    return 1;
}
