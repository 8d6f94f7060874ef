// make-word-vectors FROM TO — packs wink's word vectors (JSON) into the file that the local embedder maps.
//
// Compiled and run once by tools/setup-models, before anything else of this repository is built: so it
// uses the standard library and the layout in src/ingestion/ai/embed/word_file.hpp, nothing else.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "ingestion/ai/embed/word_file.hpp"

namespace {

using namespace belay::ai::embed;

[[noreturn]] void fail(const std::string& message) {
    std::cerr << "make-word-vectors: " << message << '\n';
    std::exit(1);
}

struct Words {
    std::vector<std::string> names{};
    std::vector<std::uint32_t> ranks{};
    std::vector<float> values{};  // names.size() × dimension
    std::uint32_t dimension = 0;
};

void append_code_point(std::string& out, unsigned c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | c >> 6);
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out += static_cast<char>(0xE0 | c >> 12);
        out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    }
}

std::string read_string(const char*& at, const char* end) {
    std::string out;
    for (++at; at < end && *at != '"'; ++at) {
        if (*at != '\\') {
            out += *at;
            continue;
        }
        ++at;
        if (*at == 'u' && end - at > 4) {
            append_code_point(out, static_cast<unsigned>(std::strtoul(
                                       std::string(at + 1, at + 5).c_str(), nullptr, 16)));
            at += 4;
        } else {
            out += *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
        }
    }
    if (at >= end) fail("the file ends inside a string");
    ++at;
    return out;
}

std::uint32_t number_after(const std::string& text, const std::string& key) {
    const auto at = text.find("\"" + key + "\":");
    if (at == std::string::npos || at > 1000) fail("no \"" + key + "\" at the start of the file");
    return static_cast<std::uint32_t>(
        std::strtoul(text.c_str() + at + key.size() + 3, nullptr, 10));
}

// Every vector has `dimension` numbers, its length, and the word's rank.
Words read_words(const std::string& text) {
    Words words;
    words.dimension = number_after(text, "dimensions");
    const std::uint32_t rank_index = number_after(text, "wordIndex");
    if (words.dimension < 10 || words.dimension > 2000) fail("impossible dimension");
    const auto begin = text.find("\"vectors\":{");
    if (begin == std::string::npos) fail("no vectors");
    const char* at = text.data() + begin + 11;
    const char* const end = text.data() + text.size();
    while (at < end && *at == '"') {
        std::string name = read_string(at, end);
        if (end - at < 2 || at[0] != ':' || at[1] != '[') fail("no vector after \"" + name + "\"");
        at += 2;
        const std::size_t first = words.values.size();
        std::uint32_t rank = 0;
        std::uint32_t i = 0;
        for (;; ++i) {
            char* after = nullptr;
            const float value = std::strtof(at, &after);
            if (after == at) fail("no number in the vector of \"" + name + "\"");
            at = after;
            if (i < words.dimension) words.values.push_back(value);
            if (i == rank_index) rank = static_cast<std::uint32_t>(value);
            if (*at == ']') break;
            ++at;
        }
        ++at;
        if (words.values.size() - first != words.dimension)
            fail("a short vector: \"" + name + "\"");
        words.names.push_back(std::move(name));
        words.ranks.push_back(rank);
        if (*at == ',') ++at;
    }
    if (words.names.size() != number_after(text, "size"))
        fail("there are fewer words than the file says");
    return words;
}

// What a text is before it says anything: the mean of the words, as often as they come and as much as
// they count. Texts of many words all lie near this direction; without it their differences remain.
std::vector<float> common_direction(const Words& words) {
    std::vector<double> sum(words.dimension, 0.0);
    for (std::size_t i = 0; i < words.names.size(); ++i) {
        const double share = word_weight(words.ranks[i]) / (words.ranks[i] + 1.0);
        const float* const vector = &words.values[i * words.dimension];
        double length = 0;
        for (std::uint32_t d = 0; d < words.dimension; ++d) length += double(vector[d]) * vector[d];
        length = std::sqrt(std::max(length, 1e-12));
        for (std::uint32_t d = 0; d < words.dimension; ++d) sum[d] += share * vector[d] / length;
    }
    double length = 0;
    for (const double value : sum) length += value * value;
    length = std::sqrt(length);
    std::vector<float> direction;
    for (const double value : sum) direction.push_back(static_cast<float>(value / length));
    return direction;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) fail("usage: make-word-vectors FROM.json TO.vec");
    std::ifstream in{argv[1], std::ios::binary};
    if (!in) fail(std::string{"cannot read "} + argv[1]);
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    const Words words = read_words(text);
    text.clear();
    text.shrink_to_fit();

    std::vector<std::uint32_t> order(words.names.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return words.names[a] < words.names[b]; });

    std::string body;
    const auto put = [&](const void* bytes, std::size_t size) {
        body.append(static_cast<const char*>(bytes), size);
    };
    const auto common = common_direction(words);
    put(common.data(), common.size() * sizeof(float));
    std::uint32_t offset = 0;
    for (const auto i : order) {
        put(&offset, sizeof offset);
        offset += static_cast<std::uint32_t>(words.names[i].size());
    }
    put(&offset, sizeof offset);
    for (const auto i : order) put(&words.ranks[i], sizeof(std::uint32_t));
    std::string vectors;
    for (const auto i : order) {
        const float* const vector = &words.values[std::size_t{i} * words.dimension];
        float largest = 1e-9f, length = 0;
        for (std::uint32_t d = 0; d < words.dimension; ++d) {
            largest = std::max(largest, std::fabs(vector[d]));
            length += vector[d] * vector[d];
        }
        length = std::sqrt(std::max(length, 1e-12f));
        // Unit length: a rare word must not shout because its vector is long.
        const float scale = largest / 127 / length;
        put(&scale, sizeof scale);
        for (std::uint32_t d = 0; d < words.dimension; ++d)
            vectors +=
                static_cast<char>(static_cast<std::int8_t>(std::lround(vector[d] / largest * 127)));
    }
    body += vectors;
    for (const auto i : order) body += words.names[i];

    WordFileHeader header;
    header.count = static_cast<std::uint32_t>(order.size());
    header.dimension = words.dimension;
    header.characters = offset;
    header.checksum = fnv1a(kFnvStart, body.data(), body.size());
    std::strncpy(header.model, "glove-wink-100d-sif", sizeof header.model - 1);

    const std::string partial = std::string{argv[2]} + ".part";
    std::ofstream out{partial, std::ios::binary | std::ios::trunc};
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out.write(body.data(), static_cast<std::streamsize>(body.size()));
    out.close();
    if (!out || std::rename(partial.c_str(), argv[2]) != 0)
        fail(std::string{"cannot write "} + argv[2]);
    std::cerr << "make-word-vectors: " << header.count << " words, "
              << (sizeof header + body.size()) / 1000000 << " MB\n";
}
