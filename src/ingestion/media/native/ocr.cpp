#include "ingestion/media/native/ocr.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <tesseract/baseapi.h>
#include <tesseract/ocrclass.h>
#include <tesseract/resultiterator.h>

#include "core/base/utf8.hpp"
#include "ingestion/media/language.hpp"
#include "ingestion/media/lines.hpp"
#include "ingestion/media/native/image_prep.hpp"
#include "ingestion/media/read_error.hpp"

namespace belay::media::native {
namespace {

constexpr const char* kDebianFolder = "/usr/share/tesseract-ocr/5/tessdata";
constexpr std::size_t kWordsMax = 100'000;
constexpr double kSkewWorthTurning =
    0.2;  // degrees; at half of it a row of A4 moves by its own height's fifth
constexpr int kLettersMin = 10;     // fewer marks are specks, not a page to try from every side
constexpr double kReadable = 0.55;  // a page read with less confidence may lie on its side

std::string from_environment(const char* name, const char* otherwise) {
    const char* set = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    return set && *set ? set : otherwise;
}

std::string ordinary_folder(const OcrSetup& setup) {
    return setup.data_folder.empty() ? from_environment("TESSDATA_PREFIX", kDebianFolder)
                                     : setup.data_folder;
}

// Beside the program: PREFIX/lib/belay when installed, build/deps in a build folder.
std::vector<std::string> careful_folders(const OcrSetup& setup) {
    if (!setup.careful_folder.empty()) return {setup.careful_folder};
    if (const std::string set = from_environment("BELAY_OCR_MODELS", ""); !set.empty())
        return {set};
    std::error_code ignored;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    return {(here / "../lib/belay/tessdata").lexically_normal(),
            (here / "../deps/tessdata").lexically_normal()};
}

// Where the model to use lies; the ordinary folder when there is no larger model for the language.
std::string folder_of(const OcrSetup& setup, const std::string& language, bool careful) {
    if (careful) {
        for (const std::string& folder : careful_folders(setup)) {
            std::error_code ignored;
            if (std::filesystem::exists(folder + "/" + language + ".traineddata", ignored))
                return folder;
        }
    }
    return ordinary_folder(setup);
}

tesseract::PageSegMode mode_of(Spread spread) {
    return spread == Spread::Sparse ? tesseract::PSM_SPARSE_TEXT : tesseract::PSM_SINGLE_BLOCK;
}

bool says_something(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return u >= 0x80 || (u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') ||
               (u >= 'a' && u <= 'z');
    });
}

Box box_of(const tesseract::PageIterator& at, tesseract::PageIteratorLevel level) {
    int left = 0, top = 0, right = 0, bottom = 0;
    if (!at.BoundingBox(level, &left, &top, &right, &bottom)) return {};
    return {static_cast<double>(left), static_cast<double>(top), static_cast<double>(right - left),
            static_cast<double>(bottom - top)};
}

// The words of Tesseract's result. Its lines are kept together; number_lines only joins those that
// stand side by side, so that one badly boxed word cannot tear a line apart.
std::vector<Word> words_of(tesseract::TessBaseAPI& api) {
    std::vector<Word> words;
    std::vector<Word> lines;  // one stand-in per line, its number in `text`
    const std::unique_ptr<tesseract::ResultIterator> at{api.GetIterator()};
    if (!at) return words;
    do {
        if (at->IsAtBeginningOf(tesseract::RIL_TEXTLINE)) {
            lines.push_back({.text = std::to_string(lines.size()),
                             .box = box_of(*at, tesseract::RIL_TEXTLINE)});
        }
        const std::unique_ptr<char[]> text{at->GetUTF8Text(tesseract::RIL_WORD)};
        if (!text || lines.empty()) continue;
        Word word{.text = base::to_valid_utf8(text.get()),
                  .box = box_of(*at, tesseract::RIL_WORD),
                  .confidence = std::clamp(
                      static_cast<double>(at->Confidence(tesseract::RIL_WORD)) / 100, 0.0, 1.0),
                  .line = static_cast<int>(lines.size()) - 1,
                  .by = ReadBy::Tesseract};
        if (word.text.empty() || (!says_something(word.text) && word.confidence < 0.4)) continue;
        words.push_back(std::move(word));
    } while (words.size() < kWordsMax && at->Next(tesseract::RIL_WORD));

    number_lines(lines);
    std::vector<int> place(lines.size());
    for (const Word& line : lines)
        place[static_cast<std::size_t>(std::stoi(line.text))] = line.line;
    for (Word& word : words) word.line = place[static_cast<std::size_t>(word.line)];
    std::stable_sort(words.begin(), words.end(), [](const Word& a, const Word& b) {
        return a.line != b.line ? a.line < b.line : a.box.x < b.box.x;
    });
    return words;
}

double mean_confidence(const std::vector<Word>& words) {
    double sum = 0, weight = 0;
    for (const Word& word : words) {
        if (!says_something(word.text)) continue;
        const double letters = std::min<double>(12, static_cast<double>(word.text.size()));
        sum += word.confidence * letters;
        weight += letters;
    }
    return weight > 0 ? sum / weight : 0;
}

// How much was read, and how surely: what a page lying on its side has little of.
double worth(const std::vector<Word>& words) {
    double sum = 0;
    for (const Word& word : words) {
        if (word.text.size() >= 3 && word.confidence > 0.6)
            sum += static_cast<double>(word.text.size());
    }
    return sum;
}

// What is done to the print before it is read.
enum class Light { Strong, Own, Joined };

// An image on its way to the reader, and how to come back from its pixels to the page's.
struct Prepared {
    PixPtr image;
    double factor = 1;
    double skew = 0;
    int letters = 0;  // marks that look like letters; a blank sheet has none
};

Prepared prepare(const Pix& upright, double pixels_max, Light light) {
    Prepared ready;
    const PixPtr flat = flat_background(upright);
    PixPtr strong = strong_print(*flat);
    const TextMeasure text = measure_text(*strong);
    ready.letters = text.letters;
    switch (light) {
        case Light::Strong:
            ready.image = std::move(strong);
            break;
        case Light::Own:
            ready.image.reset(pixClone(const_cast<Pix*>(&upright)));
            break;
        case Light::Joined:
            ready.image = joined_dots(*flat);
            break;
    }
    ready.factor = reading_scale(text.letter_height, pixGetWidth(&upright), pixGetHeight(&upright),
                                 pixels_max);
    if (ready.factor != 1) ready.image = scaled(*ready.image, ready.factor);
    if (text.skew_is_sure && std::fabs(text.skew_degrees) >= kSkewWorthTurning) {
        ready.skew = text.skew_degrees;
        ready.image = levelled(*ready.image, ready.skew);
    }
    return ready;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// One way to read a page, and what came of it.
struct Attempt {
    PixPtr upright;
    Prepared ready;
    std::vector<Word> words;
    int rotation = 0;
};

}  // namespace

struct OcrEngine::Models {
    double stop_at = 0;  // when the page's time is up, in processor seconds
    std::map<std::string, std::unique_ptr<tesseract::TessBaseAPI>> loaded;  // by path

    tesseract::TessBaseAPI& get(const OcrSetup& setup, const std::string& language, bool careful) {
        const std::string folder = folder_of(setup, language, careful);
        auto& api = loaded[folder + "/" + language];
        if (api) return *api;
        auto fresh = std::make_unique<tesseract::TessBaseAPI>();
        if (fresh->Init(folder.c_str(), language.c_str(), tesseract::OEM_LSTM_ONLY) != 0) {
            throw ReadError{
                ReadErrorKind::Unavailable,
                fmt::format(
                    "the language file {}/{}.traineddata is missing (Debian: tesseract-ocr-{})",
                    folder, language, language)};
        }
        fresh->SetVariable("debug_file", "/dev/null");
        api = std::move(fresh);
        return *api;
    }

    std::vector<Word> read(const OcrSetup& setup, const std::string& language,
                           const Prepared& ready, const ReadHints& hints) {
        tesseract::TessBaseAPI& api = get(setup, language, hints.careful);
        api.SetPageSegMode(mode_of(hints.spread));
        api.SetImage(ready.image.get());
        api.SetSourceResolution(300);
        // Processor time, not the clock's: on a busy machine a page is slow without being hostile.
        tesseract::ETEXT_DESC watch;
        watch.cancel_this = &stop_at;
        watch.cancel = [](void* stop, int) { return cpu_seconds() > *static_cast<double*>(stop); };
        const int failed = api.Recognize(&watch);
        if (cpu_seconds() > stop_at) {
            api.Clear();
            throw ReadError{
                ReadErrorKind::TookTooLong,
                fmt::format("reading the page was given up after {} s", setup.seconds_max)};
        }
        if (failed != 0) throw ReadError{ReadErrorKind::Broken, "the picture could not be read"};
        std::vector<Word> words = words_of(api);
        api.Clear();
        return words;
    }

    Attempt attempt(const OcrSetup& setup, const Pix& gray, int rotation, Light light,
                    const std::string& language, const ReadHints& hints) {
        Attempt made;
        made.rotation = rotation;
        made.upright = turned(gray, rotation / 90);
        made.ready = prepare(*made.upright, setup.pixels_max, light);
        made.words = read(setup, language, made.ready, hints);
        return made;
    }
};

OcrEngine::OcrEngine(OcrSetup setup)
    : setup_(std::move(setup)), models_(std::make_unique<Models>()) {}
OcrEngine::~OcrEngine() = default;

void OcrEngine::warm() {
    for (const std::string& language : setup_.languages) {
        models_->get(setup_, language, false);
        models_->get(setup_, language, true);
    }
}

namespace {

Page finish(std::vector<Word> words, const Prepared& ready, const Pix& upright,
            const ReadHints& hints, int rotation, std::string language) {
    const double per_unit = hints.pixels_per_unit;
    Page page{.width = pixGetWidth(&upright) / per_unit,
              .height = pixGetHeight(&upright) / per_unit,
              .source = PageSource::Ocr,
              .rotation = rotation,
              .skew = ready.skew,
              .language = std::move(language)};
    const double shrink = ready.factor * per_unit;
    for (Word& word : words) {
        Box& box = word.box;
        box = {box.x / shrink, box.y / shrink, box.width / shrink, box.height / shrink};
    }
    page.confidence = mean_confidence(words);
    page.words = std::move(words);
    return page;
}

}  // namespace

Page OcrEngine::read(const Pix& image, const ReadHints& hints) {
    const double start = cpu_seconds();
    models_->stop_at = start + setup_.seconds_max;
    const PixPtr gray = to_gray(image);
    std::string language = hints.language.empty() ? setup_.languages.front() : hints.language;
    Attempt best = models_->attempt(setup_, *gray, std::max(0, hints.rotation), Light::Strong,
                                    language, hints);

    // A page that is merely hard to read is about as bad in every way: another one has to be clearly
    // better to be believed.
    const auto consider = [&](int rotation, Light light) {
        try {
            Attempt other = models_->attempt(setup_, *gray, rotation, light, language, hints);
            if (worth(other.words) > 20 + worth(best.words) * 1.3) best = std::move(other);
        } catch (const ReadError& error) {
            // The first reading stands, however poor: it is more than none.
            if (error.kind() != ReadErrorKind::TookTooLong) throw;
        }
    };
    const bool blank = best.ready.letters < kLettersMin;
    // Other ways are tried as long as all of them together stay within the page's time.
    const auto unreadable = [&] {
        return !blank && mean_confidence(best.words) < kReadable &&
               cpu_seconds() - start < setup_.seconds_max / 2.0;
    };
    if (unreadable()) consider(best.rotation, Light::Joined);
    if (hints.rotation < 0) {
        for (const int rotation : {180, 90, 270}) {
            if (unreadable()) consider(rotation, Light::Strong);
        }
    }
    if (hints.language.empty()) {
        const std::string guess = guess_language(best.words);
        const bool known = std::find(setup_.languages.begin(), setup_.languages.end(), guess) !=
                           setup_.languages.end();
        if (known && guess != language && cpu_seconds() - start < setup_.seconds_max / 2.0) {
            std::vector<Word> better = models_->read(setup_, guess, best.ready, hints);
            if (mean_confidence(better) > mean_confidence(best.words) - 0.1) {
                best.words = std::move(better);
                language = guess;
            }
        }
    }
    return finish(std::move(best.words), best.ready, *best.upright, hints, best.rotation, language);
}

Page OcrEngine::read_again(const Pix& image, const Page& first, const ReadHints& hints) {
    models_->stop_at = cpu_seconds() + setup_.seconds_max;
    const PixPtr gray = to_gray(image);
    ReadHints other = hints;
    other.careful = !hints.careful;
    const std::string language = first.language.empty() ? setup_.languages.front() : first.language;
    // Other models see other things; without them at least the light is another.
    const bool other_models =
        folder_of(setup_, language, true) != folder_of(setup_, language, false);
    const Light light = other_models ? Light::Strong : Light::Own;
    Attempt made = models_->attempt(setup_, *gray, first.rotation, light, language, other);
    return finish(std::move(made.words), made.ready, *made.upright, hints, first.rotation,
                  language);
}

}  // namespace belay::media::native
