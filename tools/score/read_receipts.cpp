// read_receipts.cpp — runs the receipt rules over pages that read_pages printed.
//
//   read_receipts PAGES.jsonl [AGAIN.jsonl] [--second SECOND.jsonl] > predictions.jsonl
//
// --why: what spoke for each total. --second: what the second reader saw, fused with PAGES. --fuse prints those pages.
//
// The output has the fields of `ingest --wait --json` and the names that the scorers look for.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <belay/codec.hpp>

#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"
#include "ingestion/ai/rules/receipt_total.hpp"
#include "ingestion/media/fusion.hpp"

namespace rules = belay::ai::rules;

namespace {

using Pages = std::vector<belay::media::Page>;

std::vector<std::pair<std::string, Pages>> load(const char* path) {
    std::vector<std::pair<std::string, Pages>> out;
    std::ifstream in{path};
    for (std::string line; std::getline(in, line);) {
        const boost::json::value value = boost::json::parse(line);
        out.emplace_back(belay::read_json<std::string>(value.at("file")), belay::read_json<Pages>(value.at("pages")));
    }
    return out;
}

void explain(const std::string& file, const Pages& pages) {
    std::cerr << "== " << file << "\n";
    const auto text = rules::receipt_text(pages);
    int shown = 0;
    for (const auto& candidate : rules::total_candidates(text)) {
        if (++shown > 4) break;
        std::cerr << "   " << candidate.value.text() << "  " << candidate.score << "  ";
        for (const auto& reason : candidate.reasons) std::cerr << reason << "; ";
        std::cerr << "\n";
    }
    for (const auto& line : text.lines) {
        std::cerr << "      [" << static_cast<int>(line.role) << "] " << line.line.text() << "   ->";
        for (const auto& amount : line.amounts) std::cerr << " " << amount.value.text() << "/" << amount.sure;
        std::cerr << "\n";
    }
}

// The file's name as the truth has it: without the set's folder.
std::string short_name(const std::string& file) { return file.substr(file.find('/') + 1); }

}  // namespace

int main(int argc, char** argv) {
    bool why = false, show = false;
    const char* second_path = nullptr;
    std::vector<const char*> paths;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view{argv[i]} == "--why") why = true;
        else if (std::string_view{argv[i]} == "--fuse") show = true;
        else if (std::string_view{argv[i]} == "--second" && i + 1 < argc) second_path = argv[++i];
        else paths.push_back(argv[i]);
    }
    if (paths.empty()) return 2;
    std::map<std::string, Pages> again;
    if (paths.size() > 1) {
        for (auto& [file, pages] : load(paths[1])) again[file] = pages;
    }
    std::map<std::string, Pages> second;
    if (second_path) {
        for (auto& [file, pages] : load(second_path)) second[file] = pages;
    }
    for (auto& [file, pages] : load(paths[0])) {
        if (second_path && !second.contains(file)) continue;
        for (std::size_t i = 0; i < std::min(pages.size(), second[file].size()); ++i)
            pages[i] = belay::media::fused(pages[i], second[file][i]);
        if (show) {
            std::cout << "{\"file\":" << belay::to_json(file) << ",\"pages\":" << belay::to_json(pages) << "}\n";
            continue;
        }
        if (why) explain(file, pages);
        const rules::Receipt receipt = rules::read_receipt(pages, {}, again[file]);
        std::string json = rules::receipt_json(receipt, "");
        const std::string company = receipt.merchant ? belay::to_json(*receipt.merchant) : "null";
        std::cout << "{\"file\":" << belay::to_json(short_name(file)) << ",\"company\":" << company
                  << ",\"merchant_confidence\":" << receipt.merchant.confidence
                  << ",\"date_confidence\":" << receipt.date.confidence
                  << ",\"total_confidence\":" << receipt.total.confidence << "," << json.substr(1) << "\n";
    }
}
