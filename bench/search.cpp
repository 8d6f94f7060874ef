// search.cpp — how long a search takes over many documents: words and meaning together.
//
//   bench_search [DOCUMENTS] [FOLDER]     100,000 documents of 300 words in a new database in FOLDER
//   bench/with-postgres bench_search …    the same on PostgreSQL, which BELAY_BENCH_STORE names
//
// The words follow Zipf's law as a language does, the vectors are random: the worst case for a scan, which has none.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include <belay/belay.hpp>

#include "ingestion/documents/search.hpp"
#include "ingestion/documents/tables.hpp"
#include "ingestion/documents/writes.hpp"

namespace {

using namespace belay;
constexpr std::size_t kDimension = 100;
constexpr int kVocabulary = 60'000;

class Language {
public:
    Language() {
        double sum = 0;
        for (int i = 0; i < kVocabulary; ++i) sums_.push_back(sum += 1 / (i + 2.7));
    }
    std::string word() {
        const double at = std::uniform_real_distribution<double>(0, sums_.back())(random_);
        return word_of(std::lower_bound(sums_.begin(), sums_.end(), at) - sums_.begin());
    }
    static std::string word_of(std::ptrdiff_t rank) {
        std::string word;
        for (auto n = rank + 20; n > 0; n /= 20)
            word += "bcdfghjklmnpqrstvwxz"[n % 20], word += "aeiou"[n % 5];
        return word;
    }
    std::string words(int count) {
        std::string text;
        for (int i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + word();
        return text;
    }
    ai::embed::Vector vector() {
        ai::embed::Vector v(kDimension);
        float sum = 0;
        for (float& x : v) sum += (x = std::normal_distribution<float>()(random_)) * x;
        for (float& x : v) x /= std::sqrt(sum);
        return v;
    }
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

private:
    std::mt19937_64 random_{1};
    std::vector<double> sums_;
};

class RandomEmbedder final : public ai::embed::Embedder {
public:
    std::vector<ai::embed::Vector> embed(std::span<const std::string> texts,
                                         std::stop_token) override {
        std::vector<ai::embed::Vector> out;
        for (std::size_t i = 0; i < texts.size(); ++i) out.push_back(language_.vector());
        return out;
    }
    std::string model() const override { return "random"; }
    std::size_t dimension() const override { return kDimension; }

private:
    Language language_;
};

void fill(Engine& engine, Language& language, int documents) {
    constexpr int kAtOnce = 20;
    for (int from = 0; from < documents; from += kAtOnce) {
        engine.transact([&](Tx& tx) {
            for (int i = from; i < std::min(from + kAtOnce, documents); ++i) {
                const auto url = fmt::format("https://example.org/{}", i);
                const auto id = belay::documents::resolve(tx, "default", "", url).document_id;
                belay::documents::Description description;
                description.title = language.words(6);
                description.description = language.words(15);
                const auto vector = language.vector();
                const auto hash = fmt::format("hash{}", i);
                belay::documents::save_content(
                    tx, "default", id, {hash, belay::documents::content_path("default", hash), 1},
                    {url, "html", "", ""}, description, {"random", kDimension, belay::documents::vector_bytes(vector)},
                    language.words(300));
            }
        });
        if (from % 10'000 == 0) fmt::print(stderr, "{}\n", from);
    }
}

double milliseconds(const auto& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began)
        .count();
}

void measure(belay::documents::SearchIndex& index, Language& language, const char* what, int least,
             int most) {
    std::vector<double> times;
    for (int i = 0; i < 100; ++i) {
        std::string query;
        for (int w = 0; w < 3; ++w)
            query += Language::word_of(least + language.below(most - least)) + " ";
        times.push_back(milliseconds([&] { index.search("default", query, {}); }));
    }
    std::ranges::sort(times);
    fmt::print("  {:<34} p50 {:6.1f} ms   p95 {:6.1f} ms   max {:6.1f} ms\n", what, times[50],
               times[95], times[99]);
}

}  // namespace

int main(int argc, char** argv) {
    const int documents = argc > 1 ? std::atoi(argv[1]) : 100'000;
    const std::filesystem::path folder = argc > 2 ? argv[2] : ".";
    const auto file = folder / fmt::format("bench-search-{}.db", documents);
    const char* postgres_store = std::getenv("BELAY_BENCH_STORE");
    Engine engine{postgres_store != nullptr ? postgres(postgres_store) : sqlite(file.string())};
    engine.migrate(belay::documents::kOwner, belay::documents::migrations());
    engine.start();
    Language language;
    if (engine.query("SELECT count(*) FROM documents")[0].get<int>(0) == 0)
        fill(engine, language, documents);
    RandomEmbedder embedder;
    belay::documents::SearchIndex index{belay::documents::Read(engine), embedder};
    fmt::print("search: {} documents of 300 words, {} numbers each, on {}\n", documents, kDimension,
               postgres_store != nullptr ? "PostgreSQL" : "SQLite");
    fmt::print("  {:<34} {:6.0f} ms\n", "first search (reads the vectors)",
               milliseconds([&] { index.search("default", "bocu", {}); }));
    measure(index, language, "three rare words (rank 5,000+)", 5'000, 50'000);
    measure(index, language, "three usual words (rank 300-5,000)", 300, 5'000);
    measure(index, language, "three frequent words (rank 20-300)", 20, 300);
}
