// local_embedder.hpp — embeddings without a network: weighted word vectors.
//
// A text's vector is the mean of its words', frequent words counting little, without the direction that
// all texts share (Arora, Liang and Ma, "A simple but tough-to-beat baseline", 2017). A word that the
// model does not know gets a vector made of its letter groups: it has no meaning, but the same word, or
// another form of it, is found again.
#pragma once

#include <filesystem>
#include <memory>

#include "ingestion/ai/embed/embedder.hpp"
#include "ingestion/ai/embed/word_vectors.hpp"

namespace belay::ai::embed {

class LocalEmbedder final : public Embedder {
public:
    // Throws as WordVectors does.
    explicit LocalEmbedder(const std::filesystem::path& words,
                           WordVectors::Check check = WordVectors::Check::Checksum);

    std::vector<Vector> embed(std::span<const std::string> texts,
                              std::stop_token stop = {}) override;
    std::string model() const override { return words_.model(); }
    std::size_t dimension() const override { return words_.dimension(); }

private:
    Vector embed_one(std::string_view text) const;
    bool add_known(std::string_view word, double weight, std::vector<double>& sum) const;
    void add_unknown(std::string_view word, std::vector<double>& sum) const;

    WordVectors words_;
};

// Where the model is: BELAY_EMBEDDER if it is set, else lib/belay/embedder/words.vec beside the installed
// program or build/deps/embedder/words.vec above it; an empty path if it is nowhere.
std::filesystem::path find_word_vectors(const std::filesystem::path& program);

}  // namespace belay::ai::embed
