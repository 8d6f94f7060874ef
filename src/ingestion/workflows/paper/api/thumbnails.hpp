// thumbnails.hpp — small pictures of files: made once, kept as rows, and never waited for.
//
// Whoever asks gets the picture if there is one, and otherwise learns that it will come: it is made on one thread beside
// the server's, which has the helper's place for looks, so neither OCR nor a list waits for pictures. What was asked for
// last is made first (it is on somebody's screen), one of each organization in turn. A file that cannot be drawn is
// remembered as such.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "ingestion/workflows/paper/services.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {

inline constexpr int kThumbnailSide = 120;  // pixels: 44 on the page, and sharp on a fine screen

class Thumbnails {
public:
    // `services` outlive it.
    explicit Thumbnails(const PaperServices& services) : services_(services) {}
    ~Thumbnails();
    Thumbnails(const Thumbnails&) = delete;
    Thumbnails& operator=(const Thumbnails&) = delete;

    // The JPEG; "" for a file that cannot be drawn; nothing yet: it is being made. Any thread; does not wait.
    std::optional<std::string> find(const SourceFile& file);

private:
    void want(const SourceFile& file);
    std::optional<SourceFile> next(const std::stop_token& stop);
    void make(const SourceFile& file, const std::stop_token& stop);
    void keep(const SourceFile& file, const std::string& jpeg);

    const PaperServices& services_;
    std::mutex mutex_;
    std::condition_variable_any asked_;
    // By organization, what was asked for last at the end.
    std::map<std::string, std::vector<SourceFile>> stacks_;
    std::set<std::string> known_;  // ids that are in a stack or being made
    std::string last_served_;
    std::jthread thread_;  // begun by the first who asks
};

}  // namespace belay::workflows
