#include "ingestion/ingest/watch_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "core/base/utf8.hpp"
#include "core/env/thread.hpp"
#include "ingestion/ingest/content_type.hpp"
#include "ingestion/ingest/workflow_type.hpp"

namespace belay::ingest {

namespace {

constexpr std::chrono::seconds kLookEvery{1};
constexpr std::size_t kPieceBytes = 256 * 1024;

// Names that programs give to what they have not finished, and those that nobody means to show.
bool is_unfinished(std::string_view name) {
    constexpr std::array<std::string_view, 7> kEndings{".part", ".partial",    ".tmp", ".temp",
                                                       ".swp",  ".crdownload", "~"};
    return name.starts_with('.') || std::ranges::any_of(kEndings, [&](std::string_view ending) {
               return name.ends_with(ending);
           });
}

}  // namespace

std::string watch_problem(const std::filesystem::path& folder) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        return fmt::format("{} is no folder", folder.string());
    if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
        return fmt::format("files in {} cannot be moved: it is not writable", folder.string());
    return {};
}

WatchFolder::WatchFolder(Uploads& uploads, const env::Clock& clock, WatchOptions options, Log log)
    : uploads_(uploads), clock_(clock), options_(std::move(options)), log_(std::move(log)),
      folder_([&] {
          if (const auto problem = watch_problem(options_.folder); !problem.empty())
              throw Error(ErrorCode::InvalidArgument, problem);
          return options_.folder;
      }()) {}

WatchFolder::~WatchFolder() { stop(); }

void WatchFolder::tell(std::string_view line) const {
    if (log_) log_(line);
}

int WatchFolder::look() {
    const Time now = clock_.now();
    const auto files = folder_.look();
    std::set<std::string> there;
    int moved = 0;
    for (const env::DroppedFile& file : files) {
        if (stopping_) return moved;
        if (is_unfinished(file.name)) continue;
        there.insert(file.name);
        Seen& seen = seen_[file.name];
        if (seen.file != file || seen.since > now) {  // new, changed, or a clock that was set back
            seen.file = file;
            seen.since = now;
        }
        if (!is_whole(seen, now)) continue;
        if (deal_with(seen)) {
            there.erase(file.name);
            ++moved;
        } else {
            seen.since = now;  // not again at once
        }
    }
    std::erase_if(seen_, [&](const auto& one) { return !there.contains(one.first); });
    return moved;
}

bool WatchFolder::is_whole(const Seen& seen, Time now) const {
    const Duration quiet = seen.file.size == 0 ? options_.quiet_empty : options_.quiet;
    return now - seen.since >= quiet && !folder_.is_being_written(seen.file);
}

bool WatchFolder::deal_with(Seen& seen) {
    std::string problem;
    try {
        return take(seen.file);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Stopped) throw;
        const bool is_the_files = error.code() == ErrorCode::InvalidArgument ||
                                  error.code() == ErrorCode::PayloadTooLarge;
        problem = error.what();
        if (is_the_files) {
            try {
                return refuse(seen.file, problem);
            } catch (const std::exception& again) {
                problem = again.what();
            }
        }
    } catch (const std::exception& error) {
        problem = error.what();
    }
    // The same cause may name another temporary file each time.
    const auto cause = problem.rfind(": ");
    const std::string why = cause == std::string::npos ? problem : problem.substr(cause);
    if (why != seen.problem)
        tell(fmt::format("watch: {} waits: {}", base::to_valid_utf8(seen.file.name), problem));
    seen.problem = why;
    return false;
}

bool WatchFolder::take(const env::DroppedFile& file) {
    const auto open = folder_.open(file);
    if (!open) {
        if (file.is_plain) return false;  // gone since
        throw Error(ErrorCode::InvalidArgument, "this is a link or a device, and no file");
    }
    if (!base::is_utf8(file.name))
        throw Error(ErrorCode::InvalidArgument, "the name of this file is not UTF-8");
    const auto writer = uploads_.object_store().begin(options_.bytes_max);
    std::vector<std::byte> piece(kPieceBytes);
    std::string first;
    for (std::uint64_t at = 0;;) {
        const std::size_t got = open->read_at(at, piece);
        if (got == 0) break;
        const std::span<const std::byte> bytes{piece.data(), got};
        if (at == 0)
            first.assign(reinterpret_cast<const char*>(piece.data()), std::min(got, kSniffBytes));
        writer->write(bytes);
        at += got;
    }
    // Somebody went on with it after all: what was read is no file.
    if (!folder_.is_same(file)) return false;
    uploads_.finish(*writer,
                    {options_.organization_id, file.name, content_type_of(first, "", file.name),
                     options_.workflow_type, false, "watch"});
    base::failpoint("watch.taken");
    if (!folder_.is_same(file)) return false;  // a new one under its name: that is taken next
    return !folder_.move(file, "done").empty();
}

bool WatchFolder::refuse(const env::DroppedFile& file, std::string_view reason) {
    if (!folder_.is_same(file)) return false;
    const std::string name = folder_.move(file, "refused", std::string(reason) + "\n");
    tell(fmt::format("watch: {} was refused: {}", base::to_valid_utf8(file.name), reason));
    return !name.empty();
}

void WatchFolder::start() {
    thread_ = env::start_thread("belay-watch", [this] { work(); });
}

void WatchFolder::stop() {
    stopping_ = true;
    parker_.unpark();
    if (thread_.joinable()) thread_.join();
}

void WatchFolder::work() {
    std::string last;
    while (!stopping_) {
        std::string problem;
        try {
            look();
        } catch (const Error& error) {
            if (error.code() == ErrorCode::Stopped) return;
            problem = error.what();
        } catch (const std::exception& error) {
            problem = error.what();
        }
        if (!problem.empty() && problem != last) tell(fmt::format("watch: {}", problem));
        last = problem;
        parker_.park_for(kLookEvery);
    }
}

}  // namespace belay::ingest
