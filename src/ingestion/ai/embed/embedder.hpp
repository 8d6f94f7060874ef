// embedder.hpp — texts as vectors whose directions say what they are about: one interface, local and remote
// providers behind it.
//
// Vectors of two models have nothing to do with each other: whoever stores one stores `model()` beside it,
// and compares it only with vectors of the same model and dimension.
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <belay/cost.hpp>

namespace belay::ai::embed {

// More than any provider takes at once; callers with more make several calls.
inline constexpr std::size_t kTextsMax = 2048;
// Of one text; what follows is left out. About 20 pages.
inline constexpr std::size_t kTextBytesMax = 64 * 1024;

using Vector = std::vector<float>;  // of length 1

class Embedder {
public:
    Embedder() = default;
    Embedder(const Embedder&) = delete;
    Embedder& operator=(const Embedder&) = delete;
    virtual ~Embedder() = default;

    // One vector for each text, in their order, each of length 1 and of `dimension()` numbers. Throws
    // NonRetryable when another attempt cannot help (a text without a word, too many texts, no model
    // installed), RetryAfter when the provider said when, another std::exception otherwise. Any thread.
    virtual std::vector<Vector> embed(std::span<const std::string> texts,
                                      std::stop_token stop = {}) = 0;

    // The model's name as it is recorded beside its vectors.
    virtual std::string model() const = 0;
    virtual std::size_t dimension() const = 0;

    // What a text of so many bytes costs at the most. Nothing: it is free.
    virtual Cost costs_at_most(std::size_t text_bytes) const {
        static_cast<void>(text_bytes);
        return {};
    }
};

}  // namespace belay::ai::embed
