#include "ingestion/ai/embed/word_vectors.hpp"

#include <cstring>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::ai::embed {
namespace {

constexpr std::uint32_t kDimensionMax = 4096;
constexpr std::uint32_t kCountMax = 10'000'000;

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view why) {
    throw Error(ErrorCode::BadValue,
                fmt::format("{} {}; `tools/setup models` makes it anew", file.string(), why));
}

}  // namespace

WordVectors::WordVectors(const std::filesystem::path& file, Check check) : file_(file) {
    const auto bytes = file_.bytes();
    if (bytes.size() < sizeof(WordFileHeader) || header().magic != kWordFileMagic)
        refuse(file, "is not a file of word vectors");
    const std::uint64_t count = header().count, dimension = header().dimension;
    if (dimension == 0 || dimension > kDimensionMax || count == 0 || count > kCountMax)
        refuse(file, "has an impossible header");
    const std::uint64_t expected = sizeof(WordFileHeader) + dimension * 4 + (count + 1) * 4 +
                                   count * 8 + count * dimension + header().characters;
    if (header().characters > bytes.size() || bytes.size() != expected)
        refuse(file, fmt::format("has {} bytes instead of {}", bytes.size(), expected));

    const auto* at = reinterpret_cast<const char*>(bytes.data()) + sizeof(WordFileHeader);
    const auto take = [&]<class T>(const T*& field, std::uint64_t n) {
        field = reinterpret_cast<const T*>(at);
        at += n * sizeof(T);
    };
    take(common_, dimension);
    take(offsets_, count + 1);
    take(ranks_, count);
    take(scales_, count);
    take(vectors_, count * dimension);
    characters_ = at;
    for (std::uint64_t i = 0; i < count; ++i)
        if (offsets_[i] > offsets_[i + 1]) refuse(file, "has words out of place");
    if (offsets_[count] != header().characters) refuse(file, "has words out of place");
    if (check == Check::Checksum &&
        fnv1a(kFnvStart, bytes.data() + sizeof(WordFileHeader),
              bytes.size() - sizeof(WordFileHeader)) != header().checksum)
        refuse(file, "is damaged: its checksum is wrong");
}

std::string WordVectors::model() const {
    return {header().model, strnlen(header().model, sizeof header().model)};
}

std::optional<WordVectors::Word> WordVectors::find(std::string_view word) const {
    std::size_t low = 0, high = size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const std::string_view at{characters_ + offsets_[middle],
                                  offsets_[middle + 1] - offsets_[middle]};
        if (at == word)
            return Word{ranks_[middle], scales_[middle], vectors_ + middle * dimension()};
        if (at < word)
            low = middle + 1;
        else
            high = middle;
    }
    return std::nullopt;
}

}  // namespace belay::ai::embed
