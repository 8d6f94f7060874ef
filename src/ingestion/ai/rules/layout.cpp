// layout.cpp — lines and segments from boxes.
#include "ingestion/ai/rules/layout.hpp"

#include <algorithm>
#include <map>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

// Where "Nr.:4711" is cut into "Nr.:" and "4711"; npos for "12:50", "http://x" and "a:", which stay whole.
std::size_t split_place(std::string_view text) {
    if (text.find('@') != std::string_view::npos || text.starts_with("urn:"))
        return std::string_view::npos;
    for (auto at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
        if (at == 0 || at + 1 >= text.size()) continue;
        const char before = text[at - 1], after = text[at + 1];
        const bool digit_before = before >= '0' && before <= '9';
        if (!digit_before && after != '/' && after != '-' && after != ':') return at;
    }
    return std::string_view::npos;
}

void append_split(std::vector<media::Word>& out, media::Word word) {
    for (auto at = split_place(word.text); at != std::string::npos; at = split_place(word.text)) {
        media::Word left = word;
        left.text.resize(at + 1);
        const double share = static_cast<double>(char_count(left.text)) /
                             static_cast<double>(std::max<std::size_t>(1, char_count(word.text)));
        left.box.width = word.box.width * share;
        word.text.erase(0, at + 1);
        word.box.x = left.box.right();
        word.box.width -= left.box.width;
        out.push_back(std::move(left));
    }
    out.push_back(std::move(word));
}

// Some programs set kerned pairs as words of their own ("Ver käufer"): letters nearer to each other than
// any space is wide are one word. OCR has no such trouble.
void join_kerned(std::vector<media::Word>& words) {
    std::vector<media::Word> whole;
    for (auto& word : words) {
        if (!whole.empty()) {
            auto& last = whole.back();
            const auto gap = word.box.x - last.box.right();
            const bool letters = has_letter(last.text) && has_letter(word.text) &&
                                 !has_digit(last.text) && !has_digit(word.text) &&
                                 !last.text.ends_with(':');
            if (letters && gap > -0.2 * word.box.height && gap < 0.16 * word.box.height) {
                last.text += word.text;
                last.box = joined(last.box, word.box);
                continue;
            }
        }
        whole.push_back(std::move(word));
    }
    words = std::move(whole);
}

// OCR boxes hug the ink: "vom" is half as high as "Nr." and a dash is nothing. A text layer's boxes are
// as high as the font. Distances are counted in heights, so OCR's are made like the others.
void level_heights(std::vector<media::Word>& words) {
    std::vector<double> heights;
    for (const auto& word : words) heights.push_back(word.box.height);
    const auto middle = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
    std::nth_element(heights.begin(), middle, heights.end());
    for (auto& word : words) {
        // A large logo on the line must not make small print large.
        const auto height = std::min(1.3 * *middle, 2.2 * word.box.height);
        if (word.box.height >= height) continue;
        word.box.y -= (height - word.box.height) / 2;
        word.box.height = height;
    }
}

// How much the page hangs: the fall of its lines per unit to the right, by the ends of the lines that the
// reader found. The median, because a reader's line may be two; 0 if too few lines are long enough to tell.
double slope_of(const media::Page& page) {
    struct Ends {
        const media::Box* first = nullptr;
        const media::Box* last = nullptr;
    };
    std::map<int, Ends> lines;
    for (const auto& word : page.words) {
        auto& ends = lines[word.line];
        if (ends.first == nullptr || word.box.x < ends.first->x) ends.first = &word.box;
        if (ends.last == nullptr || word.box.x > ends.last->x) ends.last = &word.box;
    }
    std::vector<double> slopes;
    for (const auto& [number, ends] : lines) {
        const auto across = ends.last->x - ends.first->x;
        const auto down = ends.last->bottom() - ends.first->bottom();
        if (across > 0.2 * page.width && std::abs(down) < 0.1 * across)
            slopes.push_back(down / across);
    }
    constexpr std::size_t kEnough = 5;
    if (slopes.size() < kEnough) return 0;
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
    std::nth_element(slopes.begin(), middle, slopes.end());
    return std::abs(*middle) < 0.002 ? 0 : *middle;
}

}  // namespace

std::string Line::text() const { return text(0, words.size()); }

std::string Line::text(std::size_t first, std::size_t count) const {
    std::string out;
    for (auto i = first; i < std::min(first + count, words.size()); ++i) {
        if (!out.empty()) out += ' ';
        out += words[i].text;
    }
    return out;
}

media::Box Line::box_of(std::size_t first, std::size_t count) const {
    if (first >= words.size() || count == 0) return box;
    auto out = words[first].box;
    for (auto i = first; i < std::min(first + count, words.size()); ++i)
        out = joined(out, words[i].box);
    return out;
}

media::Box joined(const media::Box& a, const media::Box& b) {
    const auto x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

double overlap_x(const media::Box& a, const media::Box& b) {
    const auto shared = std::min(a.right(), b.right()) - std::max(a.x, b.x);
    const auto narrow = std::min(a.width, b.width);
    return shared <= 0 || narrow <= 0 ? 0 : shared / narrow;
}

double overlap_y(const media::Box& a, const media::Box& b) {
    const auto shared = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
    const auto low = std::min(a.height, b.height);
    return shared <= 0 || low <= 0 ? 0 : shared / low;
}

std::vector<Line> lines_of(const media::Page& page) {
    std::vector<media::Word> words;
    words.reserve(page.words.size());
    for (const auto& word : page.words) {
        if (words.size() >= kWordsPerPageMax) break;
        // Upright text only: a word much taller than wide was set along the margin.
        const bool sideways = char_count(word.text) > 3 && word.box.height > 3 * word.box.width;
        if (!trim(word.text).empty() && !sideways) append_split(words, word);
    }
    std::stable_sort(words.begin(), words.end(),
                     [](const auto& a, const auto& b) { return a.box.x < b.box.x; });
    // Lines are made as if the page hung straight; the boxes stay where they are on it.
    const auto slope = slope_of(page);
    for (auto& word : words) word.box.y -= slope * word.box.x;

    // Each word joins the line whose last word is most level with it; a page that hangs a little
    // still gives whole lines, because the neighbour, not the line's left end, is compared.
    std::vector<Line> lines;
    for (auto& word : words) {
        Line* best = nullptr;
        double most = 0.5;
        for (auto& line : lines) {
            const auto level = overlap_y(line.words.back().box, word.box);
            // Two words in one place belong to two lines printed on top of each other.
            if (line.words.back().box.right() > word.box.x + 0.5 * word.box.width) continue;
            const auto& last = line.words.back().box;
            // Against the taller of the two: a dash or a colon is low, and yet on the line.
            const auto drift =
                std::abs((last.y + last.height / 2) - (word.box.y + word.box.height / 2)) /
                std::max({1e-6, word.box.height, last.height});
            if (level - 0.5 * drift > most) {
                most = level - 0.5 * drift;
                best = &line;
            }
        }
        if (best == nullptr) {
            lines.push_back({page.number, word.box, {}});
            best = &lines.back();
        }
        best->box = joined(best->box, word.box);
        best->words.push_back(std::move(word));
    }
    for (auto& line : lines) {
        if (page.source == media::PageSource::TextLayer)
            join_kerned(line.words);
        else
            level_heights(line.words);
    }
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
        return a.box.y + a.box.height / 2 < b.box.y + b.box.height / 2;
    });
    if (slope != 0) {
        for (auto& line : lines) {
            for (auto& word : line.words) word.box.y += slope * word.box.x;
            line.box = line.box_of(0, line.words.size());
        }
    }
    return lines;
}

std::vector<Line> lines_of(const std::vector<media::Page>& pages) {
    std::vector<Line> all;
    for (const auto& page : pages) {
        auto lines = lines_of(page);
        all.insert(all.end(), std::make_move_iterator(lines.begin()),
                   std::make_move_iterator(lines.end()));
    }
    return all;
}

std::vector<Segment> segments_of(const Line& line, double gap) {
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < line.words.size(); ++i) {
        const auto& box = line.words[i].box;
        const auto height = i > 0 ? std::max(box.height, line.words[i - 1].box.height) : box.height;
        if (i == 0 || box.x - line.words[i - 1].box.right() > gap * height) {
            segments.push_back({i, 1, box});
        } else {
            ++segments.back().count;
            segments.back().box = joined(segments.back().box, box);
        }
    }
    return segments;
}

double text_height(const std::vector<Line>& lines) {
    std::vector<double> heights;
    for (const auto& line : lines) {
        for (const auto& word : line.words) heights.push_back(word.box.height);
    }
    if (heights.empty()) return 1;
    const auto middle = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
    std::nth_element(heights.begin(), middle, heights.end());
    return std::max(*middle, 1e-3);
}

}  // namespace belay::ai::rules
