// layout.hpp — a page as people see it: lines across it, pieces of a line parted by wide gaps, and what
// stands right of or below a label.
//
// Readers number lines by columns and blocks; a table row or a "Total ....... 12.00" is a line across the
// page. So lines are made again here, from the boxes alone, and tolerate a page that hangs a little.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

struct Line {
    int page = 1;  // the page's number
    media::Box box{};
    std::vector<media::Word> words{};  // left to right

    std::string text() const;
    std::string text(std::size_t first, std::size_t count) const;
    media::Box box_of(std::size_t first, std::size_t count) const;
};

// The lines of a page from top to bottom. A word such as "Nr.:4711" becomes two, label and value. At
// most kWordsPerPageMax words are looked at: a page with more is not a document but an attack.
inline constexpr std::size_t kWordsPerPageMax = 6000;
std::vector<Line> lines_of(const media::Page& page);
std::vector<Line> lines_of(const std::vector<media::Page>& pages);

// Words of a line that stand together: `first`, and `count` of them.
struct Segment {
    std::size_t first = 0, count = 0;
    media::Box box{};
};

// A line cut at gaps wider than `gap` times the height of its letters; columns are farther apart
// than words.
std::vector<Segment> segments_of(const Line& line, double gap = 1.1);

media::Box joined(const media::Box& a, const media::Box& b);
// How much of the narrower (lower) of the two the other covers: 0 to 1.
double overlap_x(const media::Box& a, const media::Box& b);
double overlap_y(const media::Box& a, const media::Box& b);
// The usual height of a word on these lines.
double text_height(const std::vector<Line>& lines);

// --- Labels -------------------------------------------------------------------------------------

// What a label says, folded and without spaces or punctuation ("rechnungsnr"), and what it means to
// the caller.
struct Label {
    std::string_view text;
    int meaning = 0;
};

struct LabelAt {
    std::size_t line = 0;              // index into the lines searched
    std::size_t first = 0, count = 0;  // which words
    std::size_t label = 0;             // index into the labels
    int meaning = 0;
    bool exact = true;  // false if a letter or two differ, as OCR makes them
    media::Box box{};
};

// Finds labels; keeps an index of them, so one that is used often is made once. Borrows `labels`.
class LabelFinder {
public:
    explicit LabelFinder(std::span<const Label> labels);
    std::vector<LabelAt> find(const std::vector<Line>& lines) const;

private:
    struct Match {
        std::size_t label;
        bool exact;
    };
    std::optional<Match> match(const std::string& text) const;
    void find_in(const Line& line, std::size_t l, std::vector<LabelAt>& found) const;

    std::span<const Label> labels_;
    std::size_t longest_ = 0;
    std::unordered_map<std::string_view, std::size_t> exact_{};
    std::unordered_map<char, std::vector<std::size_t>> by_first_{}, by_last_{};
};

// Every place where one of `labels` is printed; where several fit the longest wins. A label is whole
// words: "total" is not found in "Totalausfall", but "rechnungsnr" is in "Rechnungs-Nr.:".
std::vector<LabelAt> find_labels(const std::vector<Line>& lines, std::span<const Label> labels);

// Where a label's value may stand.
struct Place {
    std::size_t line = 0;
    Segment segment{};
    bool below = false;
    double distance = 0;  // in text heights
};

struct PlaceOptions {
    double right_max = 40;  // text heights to the right on the label's own line
    double below_max = 3;   // text heights down
    std::size_t right_count = 3;
    std::size_t below_count = 2;
};

// The pieces right of the label and below it, nearest first; a piece on the label's own line counts as
// nearer than one below. A piece that touches the label's is cut behind the label.
std::vector<Place> places_near(const std::vector<Line>& lines, const LabelAt& label,
                               PlaceOptions options = {});

}  // namespace belay::ai::rules
