#include "ingestion/media/fusion.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ingestion/media/spelling.hpp"

namespace belay::media {
namespace {

constexpr double kSharedHeight = 0.5, kSharedWidth = 0.3;  // of the smaller: the same print
constexpr double kNumberSure = 0.5;  // a number of the second reader's is believed from here on
constexpr double kLetterDoubt = 0.45, kLetterSure = 0.9;
constexpr double kAloneSure = 0.6;         // what only the second saw must be print, not a stain
constexpr std::size_t kSpellingMax = 200;  // letters of one place that are compared one by one

double shared(double from, double to, double other_from, double other_to) {
    const double least = std::min(to - from, other_to - other_from);
    if (least <= 0) return from >= other_from && to <= other_to ? 1 : 0;  // a point on it
    return (std::min(to, other_to) - std::max(from, other_from)) / least;
}

bool same_print(const Box& a, const Box& b) {
    return shared(a.y, a.bottom(), b.y, b.bottom()) > kSharedHeight &&
           shared(a.x, a.right(), b.x, b.right()) > kSharedWidth;
}

// Words of both pages that stand in the same place, by their index.
struct Place {
    std::vector<std::size_t> first{}, second{};
};

class Sets {
public:
    explicit Sets(std::size_t count) : parent_(count) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    std::size_t find(std::size_t at) {
        while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
        return at;
    }
    void join(std::size_t a, std::size_t b) {
        a = find(a);
        b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::size_t> parent_;
};

std::vector<Place> places_of(const std::vector<Word>& first, const std::vector<Word>& second) {
    std::vector<std::size_t> by_top(second.size());
    std::iota(by_top.begin(), by_top.end(), std::size_t{0});
    std::stable_sort(by_top.begin(), by_top.end(), [&](std::size_t a, std::size_t b) {
        return second[a].box.y < second[b].box.y;
    });
    double highest = 0;
    for (const Word& word : second) highest = std::max(highest, word.box.height);
    Sets sets{first.size() + second.size()};
    for (std::size_t i = 0; i < first.size(); ++i) {
        const Box& box = first[i].box;
        auto at =
            std::lower_bound(by_top.begin(), by_top.end(), box.y - highest,
                             [&](std::size_t index, double y) { return second[index].box.y < y; });
        for (; at != by_top.end() && second[*at].box.y <= box.bottom(); ++at) {
            if (same_print(box, second[*at].box)) sets.join(i, first.size() + *at);
        }
    }
    std::map<std::size_t, Place> places;
    for (std::size_t i = 0; i < first.size(); ++i) places[sets.find(i)].first.push_back(i);
    for (std::size_t i = 0; i < second.size(); ++i)
        places[sets.find(first.size() + i)].second.push_back(i);
    std::vector<Place> out;
    for (auto& [root, place] : places) out.push_back(std::move(place));
    return out;
}

struct Census {
    std::size_t digits = 0, letters = 0;
};

Census census(std::string_view text) {
    Census count;
    for (const char c : text) {
        if (c >= '0' && c <= '9')
            ++count.digits;
        else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0)
            ++count.letters;
    }
    return count;
}

// A number, or what stands in the place of one: not a word in which a letter was taken for a digit.
bool mostly_digits(std::string_view text) {
    const Census count = census(text);
    return count.digits > 0 && count.digits >= count.letters;
}

// Digits and what stands between digits, and nothing else: 13.10, 25/12/2018.
bool is_number(std::string_view text) {
    const Census count = census(text);
    return count.digits > 0 && count.letters == 0;
}

ReadBy both(ReadBy a, ReadBy b) { return a == b ? a : ReadBy::Both; }

// A run of aligned letters that becomes one word.
struct Run {
    std::optional<std::size_t> number{};  // the second reader's word that is taken as it is
    std::size_t word = 0;                 // of the first reader, whose it is otherwise
    std::vector<Pair> pairs{};
};

class Fusing {
public:
    Fusing(const std::vector<Word>& first, const std::vector<Word>& second)
        : first_(first), second_(second) {}

    // The words of a place that both readers saw, each for one of the first's.
    std::vector<std::pair<std::size_t, Word>> place(const Place& place) const {
        std::vector<std::pair<std::size_t, Word>> words;
        const Spelling a = spelling(first_, place.first), b = spelling(second_, place.second);
        if (a.letters.empty() || a.letters.size() > kSpellingMax ||
            b.letters.size() > kSpellingMax) {
            for (const std::size_t index : place.first) words.emplace_back(index, first_[index]);
            return words;
        }
        for (const Run& run : runs(a, b, aligned(a, b)))
            words.emplace_back(run.word, word_of(run, a, b));
        std::erase_if(words, [](const auto& word) { return word.second.text.empty(); });
        return words;
    }

private:
    // The second reader's number that this letter of its is part of, if it is believed.
    std::optional<std::size_t> number_at(const Spelling& b, std::size_t letter) const {
        const std::size_t word = b.letters[letter].word;
        const bool believed =
            is_number(second_[word].text) && second_[word].confidence >= kNumberSure;
        return believed ? std::optional{word} : std::nullopt;
    }

    // Numbers keep the second reader's bounds, all else the first's.
    std::vector<Run> runs(const Spelling& a, const Spelling& b,
                          const std::vector<Pair>& pairs) const {
        std::vector<Run> out;
        std::size_t seen = 0;  // of the second's letters
        for (const Pair& pair : pairs) {
            std::optional<std::size_t> number;
            if (pair.second) {
                number = number_at(b, *pair.second);
                seen = *pair.second + 1;
            } else if (seen > 0 && seen < b.letters.size() &&
                       b.letters[seen - 1].word == b.letters[seen].word) {
                number = number_at(b, seen);  // a letter too many in the midst of it
            }
            std::size_t word = out.empty() ? a.letters.front().word : out.back().word;
            if (pair.first) word = a.letters[*pair.first].word;
            // A letter that the first did not see belongs to the word before it, if that is not a number.
            const bool goes_on = !out.empty() && out.back().number == number &&
                                 (number || !pair.first || out.back().word == word);
            if (!goes_on) out.push_back({number, word, {}});
            // A number is put where the first reader began to see it.
            const bool unseen =
                std::none_of(out.back().pairs.begin(), out.back().pairs.end(),
                             [](const Pair& other) { return other.first.has_value(); });
            if (number && pair.first && unseen) out.back().word = word;
            out.back().pairs.push_back(pair);
        }
        return out;
    }

    Word word_of(const Run& run, const Spelling& a, const Spelling& b) const {
        std::string seen_first, seen_second, merged;
        double sure = 1;  // of the second reader's words in this run
        const Word* from_second = nullptr;
        for (const Pair& pair : run.pairs) {
            const std::string_view one =
                pair.first ? a.letters[*pair.first].text : std::string_view{};
            const std::string_view two =
                pair.second ? b.letters[*pair.second].text : std::string_view{};
            seen_first += one;
            seen_second += two;
            // The second reader writes a letter that it does not know as the one it resembles.
            merged += one.size() > 1 && two.size() == 1 ? one : two;
            if (pair.second) {
                from_second = &second_[b.letters[*pair.second].word];
                sure = std::min(sure, from_second->confidence);
            }
        }
        if (run.number) {
            Word word = second_[*run.number];
            if (seen_first.empty()) return word;
            const Word* other = nullptr;
            for (const Pair& pair : run.pairs) {
                if (pair.first) other = &first_[a.letters[*pair.first].word];
            }
            settle(word, *other, seen_first);
            // The same word for both: the first reader's box is of the ink.
            if (seen_first == other->text) word.box = other->box;
            return word;
        }
        Word word = first_[run.word];
        word.box = part_of_box(run, a, word);
        word.text = seen_first;
        if (!from_second || seen_second.empty()) return word;
        if (seen_first == seen_second) {
            word.by = both(word.by, from_second->by);
            word.confidence = std::max(word.confidence, sure);
            return word;
        }
        const bool number = mostly_digits(seen_first) || mostly_digits(seen_second);
        const bool believe_second =
            seen_first.empty() || (number ? sure >= kNumberSure && sure >= word.confidence - 0.3
                                          : word.confidence < kLetterDoubt && sure > kLetterSure);
        if (number) word.other = believe_second ? seen_first : seen_second;
        if (believe_second) {
            word.text = number ? seen_second : merged;
            word.by = from_second->by;
            word.confidence = sure;
        }
        return word;
    }

    // `word` is a number of the second reader's, `seen` what the first saw there.
    static void settle(Word& word, const Word& other, const std::string& seen) {
        if (seen == word.text) {
            word.by = both(other.by, word.by);
            word.confidence = std::max(word.confidence, other.confidence);
        } else {
            word.other = seen;
        }
    }

    // Where a part of a word stands, by its share of the letters.
    static Box part_of_box(const Run& run, const Spelling& a, const Word& word) {
        std::size_t from = a.letters.size(), to = 0, begin = a.letters.size(), end = 0;
        for (const Pair& pair : run.pairs) {
            if (!pair.first) continue;
            from = std::min(from, *pair.first);
            to = std::max(to, *pair.first + 1);
        }
        for (std::size_t i = 0; i < a.letters.size(); ++i) {
            if (a.letters[i].word != run.word) continue;
            begin = std::min(begin, i);
            end = i + 1;
        }
        if (from >= to || (from <= begin && to >= end)) return word.box;
        const double each = word.box.width / static_cast<double>(end - begin);
        Box box = word.box;
        box.x += each * static_cast<double>(from - begin);
        box.width = each * static_cast<double>(to - from);
        return box;
    }

    const std::vector<Word>& first_;
    const std::vector<Word>& second_;
};

double middle(const Box& box) { return box.y + box.height / 2; }

// The lines of the first page, and where on them (or between them) the second's own words belong.
class Lines {
public:
    explicit Lines(const Page& first) {
        std::map<int, std::pair<double, int>> sums;
        for (const Word& word : first.words) {
            auto& [sum, count] = sums[word.line];
            sum += middle(word.box);
            ++count;
        }
        for (const auto& [line, sum] : sums)
            middles_.emplace_back(line, sum.first / std::max(1, sum.second));
    }
    // A line of the second page of which nothing was seen by the first: before which line it stands.
    int before(double y) const {
        for (const auto& [line, at] : middles_) {
            if (at > y) return line;
        }
        return middles_.empty() ? 0 : middles_.back().first + 1;
    }

private:
    std::vector<std::pair<int, double>> middles_;
};

// A word on its way into the page: a line of the first page, or one of the second that stands before it.
struct Placed {
    Word word{};
    int line = 0;
    int new_line = -1;  // the second page's, if the first has none there
    double y = 0;       // of the new line

    // New lines stand before the line whose number they have.
    auto key() const {
        return std::make_tuple(line, new_line < 0, new_line < 0 ? 0.0 : y, new_line);
    }
};

// From the top, and on lines that got a word from the second reader from left to right.
std::vector<Word> in_order(std::vector<Placed> placed, const std::set<int>& grown) {
    const bool any_new = std::any_of(placed.begin(), placed.end(),
                                     [](const Placed& one) { return one.new_line >= 0; });
    std::stable_sort(placed.begin(), placed.end(), [&](const Placed& a, const Placed& b) {
        if (a.key() != b.key()) return a.key() < b.key();
        return (a.new_line >= 0 || grown.contains(a.line)) && a.word.box.x < b.word.box.x;
    });
    std::vector<Word> words;
    int line = -1;
    const Placed* before = nullptr;
    for (Placed& one : placed) {
        if (!before || before->key() != one.key()) ++line;
        before = &one;
        one.word.line = any_new ? line : one.line;
        words.push_back(one.word);
    }
    return words;
}

}  // namespace

Page fused(const Page& first, const Page& second) {
    if (first.words.size() > kFusedWordsMax || second.words.size() > kFusedWordsMax) return first;
    if (first.words.empty()) {
        Page page = second;
        page.number = first.number;
        return page;
    }
    const Fusing fusing{first.words, second.words};
    const std::vector<Place> places = places_of(first.words, second.words);

    // Which line of the first page a line of the second's is, by the words that both saw.
    std::map<int, std::map<int, int>> votes;
    for (const Place& place : places) {
        for (const std::size_t a : place.first) {
            for (const std::size_t b : place.second)
                ++votes[second.words[b].line][first.words[a].line];
        }
    }
    const auto line_of = [&](int line) -> std::optional<int> {
        const auto at = votes.find(line);
        if (at == votes.end()) return std::nullopt;
        return std::max_element(at->second.begin(), at->second.end(),
                                [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    };

    const Lines lines{first};
    std::vector<std::vector<Word>> instead(
        first.words.size());  // of the first's words, in their order
    std::vector<Placed> own;  // the second's
    for (const Place& place : places) {
        if (place.first.empty()) {
            for (const std::size_t b : place.second) {
                const Word& word = second.words[b];
                if (word.confidence < kAloneSure) continue;
                if (const auto line = line_of(word.line)) {
                    own.push_back({word, *line, -1, 0});
                } else {
                    const double y = middle(word.box);
                    own.push_back({word, lines.before(y), word.line, y});
                }
            }
        } else if (place.second.empty()) {
            instead[place.first.front()].push_back(first.words[place.first.front()]);
        } else {
            for (auto& [index, word] : fusing.place(place)) {
                word.line = first.words[index].line;
                instead[index].push_back(std::move(word));
            }
        }
    }

    std::vector<Placed> placed;
    for (const auto& words : instead) {
        for (const Word& word : words) placed.push_back({word, word.line, -1, 0});
    }
    // All words of a new line stand at one height.
    std::map<int, double> heights;
    for (const Placed& one : own) {
        if (one.new_line >= 0) heights.emplace(one.new_line, one.y);
    }
    std::set<int> grown;
    for (Placed& one : own) {
        if (one.new_line >= 0) {
            one.y = heights[one.new_line];
            one.line = lines.before(one.y);
        } else {
            grown.insert(one.line);
        }
        placed.push_back(std::move(one));
    }

    Page page = first;
    page.words = in_order(std::move(placed), grown);
    if (!second.words.empty()) page.confidence = std::max(first.confidence, second.confidence);
    return page;
}

}  // namespace belay::media
