#include "ingestion/ai/embed/local_embedder.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/ai/embed/words.hpp"

namespace belay::ai::embed {
namespace {

constexpr double kUnknownWeight = 0.6;  // below a rare known word, which says more
constexpr std::size_t kGroup = 4;       // letters

// Deterministic numbers from a hash (splitmix64), each about -1 to 1.
class Noise {
public:
    explicit Noise(std::uint64_t seed) : state_(seed) {}
    double next() {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        z ^= z >> 31;
        return static_cast<double>(static_cast<std::int64_t>(z)) / 9.3e18;
    }

private:
    std::uint64_t state_;
};

}  // namespace

LocalEmbedder::LocalEmbedder(const std::filesystem::path& words, WordVectors::Check check)
    : words_(words, check) {}

bool LocalEmbedder::add_known(std::string_view word, double weight,
                              std::vector<double>& sum) const {
    const auto found = words_.find(word);
    if (!found) return false;
    const double factor = weight * word_weight(found->rank) * found->scale;
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += factor * found->vector[d];
    return true;
}

void LocalEmbedder::add_unknown(std::string_view word, std::vector<double>& sum) const {
    // "well-known" when the model has only "well" and "known".
    if (word.find('-') != std::string_view::npos) {
        std::size_t known = 0;
        for (std::size_t begin = 0; begin <= word.size();) {
            const auto end = std::min(word.find('-', begin), word.size());
            if (end > begin) known += add_known(word.substr(begin, end - begin), 1, sum);
            begin = end + 1;
        }
        if (known > 0) return;
    }
    const std::string framed = "<" + std::string{word} + ">";
    const std::size_t groups = framed.size() > kGroup ? framed.size() - kGroup + 1 : 1;
    const double factor = kUnknownWeight / std::sqrt(static_cast<double>(groups * sum.size()) / 3);
    for (std::size_t i = 0; i < groups; ++i) {
        const std::string_view group = std::string_view{framed}.substr(i, kGroup);
        Noise noise{fnv1a(kFnvStart, group.data(), group.size())};
        for (double& value : sum) value += factor * noise.next();
    }
}

Vector LocalEmbedder::embed_one(std::string_view text) const {
    std::vector<double> sum(dimension(), 0.0);
    std::size_t count = 0;
    for (const std::string& word : words_of(text.substr(0, kTextBytesMax))) {
        ++count;
        if (!add_known(word, 1, sum)) add_unknown(word, sum);
    }
    if (count == 0) throw NonRetryable("there is no word in the text to embed");

    const auto length_of = [&] {
        double square = 0;
        for (const double value : sum) square += value * value;
        return std::sqrt(square);
    };
    const double before = length_of();
    double along = 0;
    for (std::size_t d = 0; d < sum.size(); ++d) along += sum[d] * words_.common()[d];
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] -= along * words_.common()[d];
    // A text that was nothing but the common direction has no direction left; give it back.
    if (length_of() < 1e-6 * before)
        for (std::size_t d = 0; d < sum.size(); ++d) sum[d] = words_.common()[d];
    const double length = length_of();
    if (length == 0) throw NonRetryable("the words of the text say nothing to the model");
    Vector vector;
    vector.reserve(sum.size());
    for (const double value : sum) vector.push_back(static_cast<float>(value / length));
    return vector;
}

std::vector<Vector> LocalEmbedder::embed(std::span<const std::string> texts, std::stop_token stop) {
    if (texts.size() > kTextsMax)
        throw NonRetryable(
            fmt::format("{} texts in one call; at most {} are embedded", texts.size(), kTextsMax));
    std::vector<Vector> vectors;
    vectors.reserve(texts.size());
    for (const std::string& text : texts) {
        if (stop.stop_requested()) throw Error(ErrorCode::Stopped, "embedding was stopped");
        vectors.push_back(embed_one(text));
    }
    return vectors;
}

std::filesystem::path find_word_vectors(const std::filesystem::path& program) {
    std::error_code ignored;
    if (const char* given = std::getenv("BELAY_EMBEDDER"); given != nullptr && *given != '\0')
        return given;
    const auto folder = program.parent_path();
    auto candidates = {folder / "../lib/belay/embedder/words.vec",
                       folder / "deps/embedder/words.vec", folder / "../deps/embedder/words.vec",
                       folder / "build/deps/embedder/words.vec"};
    for (const auto& candidate : candidates)
        if (std::filesystem::exists(candidate, ignored)) return candidate.lexically_normal();
    return {};
}

}  // namespace belay::ai::embed
