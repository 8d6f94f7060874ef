// word_vectors.hpp — words.vec, mapped: a word's vector and how frequent it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/env/mapped_file.hpp"
#include "ingestion/ai/embed/word_file.hpp"

namespace belay::ai::embed {

class WordVectors {
public:
    enum class Check {
        Checksum,
        Layout
    };  // reading 40 MB takes 50 ms; the layout is always checked

    // Throws Error{NotFound} if there is no such file and Error{BadValue} if it is not what
    // make-word-vectors writes: cut short, of another version, or damaged.
    explicit WordVectors(const std::filesystem::path& file, Check check = Check::Checksum);

    std::string model() const;
    std::size_t dimension() const { return header().dimension; }
    std::size_t size() const { return header().count; }
    std::span<const float> common() const { return {common_, dimension()}; }

    struct Word {
        std::uint32_t rank = 0;
        float scale = 0;
        const std::int8_t* vector = nullptr;  // `dimension()` of them
    };
    std::optional<Word> find(std::string_view word) const;

private:
    const WordFileHeader& header() const {
        return *reinterpret_cast<const WordFileHeader*>(file_.bytes().data());
    }

    env::MappedFile file_;
    const float* common_ = nullptr;
    const std::uint32_t* offsets_ = nullptr;
    const std::uint32_t* ranks_ = nullptr;
    const float* scales_ = nullptr;
    const std::int8_t* vectors_ = nullptr;
    const char* characters_ = nullptr;
};

}  // namespace belay::ai::embed
