// main.cpp — belay-samples DIR [SEED [COUNT]]: writes sample documents with their truth; or, with --scan PAGES, one
// long scan; --quiet prints nothing, --help says what there is.
//
// For each document NAME: NAME.pdf (with a text layer), NAME.png or NAME-1.png, …, NAME-worn.png and
// NAME-worn.pdf (turned, blurred, noisy: only OCR can read them), NAME.json (what a perfect reader finds). index.jsonl has
// a line a file: {"file", "workflow_type", "truth"}. clock-N.png is a picture without text. The same seed writes the same files.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include <belay/codec.hpp>

#include "samples/clock.hpp"
#include "samples/degrade.hpp"
#include "samples/draw.hpp"
#include "ingestion/samples/sample.hpp"

namespace belay::samples {
namespace {

class Writer {
public:
    explicit Writer(std::filesystem::path folder) : folder_(std::move(folder)) {
        std::filesystem::create_directories(folder_);
        index_.open(folder_ / "index.jsonl");
        if (!index_) throw std::runtime_error("cannot write to " + folder_.string());
    }

    template <class Truth>
    void write(const std::string& name, const Sample<Truth>& sample, Chance& chance) {
        const auto truth = to_json(sample.truth);
        std::ofstream{folder_ / (name + ".json")} << truth << "\n";
        const auto list = [&](const std::string& file) {
            index_ << fmt::format("{{\"file\":{},\"workflow_type\":{},\"truth\":{}}}\n",
                                  to_json(file), to_json(sample.workflow_type), truth);
        };
        write_pdf(sample.sheets, (folder_ / (name + ".pdf")).string());
        list(name + ".pdf");
        std::vector<Surface> worn;
        for (std::size_t i = 0; i < sample.sheets.size(); ++i) {
            const auto picture = draw_picture(sample.sheets[i], 200);
            const auto page = sample.sheets.size() > 1 ? fmt::format("-{}", i + 1) : "";
            write_png(picture.get(), (folder_ / (name + page + ".png")).string());
            const Wear wear{chance.one_in(2) ? 0.9 : -0.9, 1, 20, 0.15};
            worn.push_back(degraded(picture.get(), wear, chance));
        }
        write_scan(worn, sample.sheets, (folder_ / (name + "-worn.pdf")).string());
        list(name + "-worn.pdf");
        if (sample.sheets.size() == 1) {
            write_png(worn[0].get(), (folder_ / (name + "-worn.png")).string());
            list(name + ".png");
            list(name + "-worn.png");
        }
        std::cout << name << "\n";
    }

    // A picture that is to be named; any of `labels` is right.
    void write_clock(const std::string& name, Chance& chance) {
        const auto clock = draw_clock(480, static_cast<int>(chance.between(0, 11)),
                                      static_cast<int>(chance.between(0, 59)));
        write_png(clock.get(), (folder_ / (name + ".png")).string());
        index_ << fmt::format(
            "{{\"file\":\"{}.png\",\"workflow_type\":\"image\",\"truth\":{{\"labels\":[\"analog clock\","
            "\"wall clock\"]}}}}\n",
            name);
        std::cout << name << "\n";
    }

private:
    std::filesystem::path folder_;
    std::ofstream index_{};
};

void write_all(const std::filesystem::path& folder, std::uint64_t seed, int count) {
    Writer writer{folder};
    Chance chance{seed};
    struct Named {
        Language language;
        std::string_view code;
    };
    for (int i = 0; i < count; ++i) {
        const auto n = seed + static_cast<std::uint64_t>(i);
        for (const auto& [language, code] :
             {Named{Language::Swedish, "sv"}, Named{Language::English, "en"},
              Named{Language::German, "de"}}) {
            writer.write(fmt::format("receipt-{}-{}", code, n), make_receipt(n, language), chance);
            writer.write(fmt::format("invoice-{}-{}", code, n),
                         make_invoice(n, language, i == 0 ? 72 : 6), chance);
        }
        writer.write(fmt::format("first-card-{}", n), make_statement(n, Language::Swedish, 24),
                     chance);
        writer.write(fmt::format("statement-en-{}", n), make_statement(n, Language::English, 24),
                     chance);
        writer.write_clock(fmt::format("clock-{}", n), chance);
    }
}

// One long invoice as a scan without a text layer: scan.pdf, for measuring how fast pages are read.
void write_long_scan(const std::filesystem::path& folder, int pages) {
    std::filesystem::create_directories(folder);
    const auto sample = make_invoice(1, Language::English, 22 + 34 * (pages - 1));
    Chance chance{1};
    std::vector<Surface> scanned;
    for (const Sheet& sheet : sample.sheets)
        scanned.push_back(degraded(draw_picture(sheet, 200).get(), Wear{0.4, 1, 10, 0.1}, chance));
    write_scan(scanned, sample.sheets, (folder / "scan.pdf").string());
    std::ofstream{folder / "scan.json"} << to_json(sample.truth) << "\n";
}

}  // namespace
}  // namespace belay::samples

constexpr std::string_view kUsage =
    "usage: belay-samples DIR [SEED [COUNT]]   COUNT (1 to 1000) of each kind of document, for people and for\n"
    "                                          measuring; the same SEED writes the same files\n"
    "       belay-samples DIR --quiet          one of each, and nothing on standard output\n"
    "       belay-samples DIR --scan PAGES     one scanned invoice of 1 to 200 pages\n"
    "Beside each document NAME stands NAME.json, what a perfect reader finds in it; index.jsonl lists them all.\n";

int main(int argc, char** argv) try {
    if (argc == 2 && (std::string_view{argv[1]} == "--help" || std::string_view{argv[1]} == "-h")) {
        std::cout << kUsage;
        return 0;
    }
    if (argc < 2 || argc > 4 || argv[1][0] == '-') {
        std::cerr << kUsage;
        return 2;
    }
    if (argc == 4 && std::string_view{argv[2]} == "--scan") {
        const int pages = std::stoi(argv[3]);
        if (pages < 1 || pages > 200) {
            std::cerr << "belay-samples: PAGES is 1 to 200\n";
            return 2;
        }
        belay::samples::write_long_scan(argv[1], pages);
        return 0;
    }
    if (argc == 3 && std::string_view{argv[2]} == "--quiet") {
        std::cout.setstate(std::ios::failbit);
        belay::samples::write_all(argv[1], 1, 1);
        return 0;
    }
    const auto seed = argc > 2 ? std::stoull(argv[2]) : 1ULL;
    const int count = argc > 3 ? std::stoi(argv[3]) : 1;
    if (count < 1 || count > 1000) {
        std::cerr << "belay-samples: COUNT is 1 to 1000\n";
        return 2;
    }
    belay::samples::write_all(argv[1], seed, count);
    return 0;
} catch (const std::exception& error) {
    std::cerr << "belay-samples: " << error.what() << "\n";
    return 1;
}
