#include "ingestion/media/spelling.hpp"

#include <algorithm>

#include "core/base/utf8.hpp"

namespace belay::media {

Spelling spelling(const std::vector<Word>& words, const std::vector<std::size_t>& which) {
    Spelling out;
    for (const std::size_t index : which) {
        std::string_view rest = words[index].text;
        while (!rest.empty()) {
            const std::size_t length = std::max<std::size_t>(1, base::utf8_sequence(rest));
            out.letters.push_back({rest.substr(0, length), index});
            rest.remove_prefix(length);
        }
    }
    return out;
}

std::vector<Pair> aligned(const Spelling& first, const Spelling& second) {
    // What the rest costs, from every pair of places on.
    const std::size_t rows = first.letters.size(), columns = second.letters.size();
    std::vector<int> rest((rows + 1) * (columns + 1));
    const auto at = [&](std::size_t i, std::size_t j) -> int& {
        return rest[i * (columns + 1) + j];
    };
    const auto differs = [&](std::size_t i, std::size_t j) {
        return first.letters[i].text == second.letters[j].text ? 0 : 1;
    };
    for (std::size_t i = rows + 1; i-- > 0;) {
        for (std::size_t j = columns + 1; j-- > 0;) {
            if (i == rows)
                at(i, j) = static_cast<int>(columns - j);
            else if (j == columns)
                at(i, j) = static_cast<int>(rows - i);
            else
                at(i, j) = std::min(
                    {at(i + 1, j + 1) + differs(i, j), at(i + 1, j) + 1, at(i, j + 1) + 1});
        }
    }
    std::vector<Pair> pairs;
    for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
        Pair pair;
        if (i < rows && j < columns && at(i, j) == at(i + 1, j + 1) + differs(i, j)) {
            pair = {i++, j++};
        } else if (i < rows && at(i, j) == at(i + 1, j) + 1) {
            pair.first = i++;
        } else {
            pair.second = j++;
        }
        pairs.push_back(pair);
    }
    return pairs;
}

}  // namespace belay::media
