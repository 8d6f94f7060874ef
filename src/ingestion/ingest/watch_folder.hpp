// watch_folder.hpp — files that a scanner or a script puts into a folder become uploads.
//
// A file that is whole is taken once and moved to `done/`; one that no workflow takes to `refused/`, with NAME.reason.txt
// beside it. It is read where it lies and moved when its run is durable: after a crash in between it is found again,
// and is the run that there is (one content under one name is one run). What is wrong with the server and not with the
// file leaves it where it is, for the next look.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include <belay/time.hpp>

#include "core/env/clock.hpp"
#include "core/env/drop_folder.hpp"
#include "core/env/parker.hpp"
#include "ingestion/ingest/uploads.hpp"

namespace belay::ingest {

struct WatchOptions {
    std::filesystem::path folder{};
    std::string workflow_type{};  // empty: the default of its content
    std::string organization_id = "default";
    std::uint64_t bytes_max = std::uint64_t{2} << 30U;
    // A file is whole when nobody has it open for writing and nothing of it changed for so long. One without bytes is
    // perhaps only begun.
    Duration quiet = std::chrono::seconds{2};
    Duration quiet_empty = std::chrono::minutes{1};
};

class WatchFolder {
public:
    using Log = std::function<void(std::string_view line)>;

    // `uploads` and `clock` outlive it. Throws Error{InvalidArgument} if the folder cannot be watched.
    WatchFolder(Uploads& uploads, const env::Clock& clock, WatchOptions options, Log log = {});
    ~WatchFolder();
    WatchFolder(const WatchFolder&) = delete;
    WatchFolder& operator=(const WatchFolder&) = delete;

    // Looks once, and deals with what is whole; gives how many files were moved.
    int look();

    // Looks every second, on a thread of its own. Once.
    void start();
    // Returns when the file under way is dealt with.
    void stop();

private:
    struct Seen {
        env::DroppedFile file{};
        Time since{};
        std::string problem{};  // the last that was told of it
    };

    bool is_whole(const Seen& seen, Time now) const;
    // Whether it was moved.
    bool deal_with(Seen& seen);
    bool take(const env::DroppedFile& file);
    bool refuse(const env::DroppedFile& file, std::string_view reason);
    void work();
    void tell(std::string_view line) const;

    Uploads& uploads_;
    const env::Clock& clock_;
    const WatchOptions options_;
    const Log log_;
    env::DropFolder folder_;
    std::map<std::string, Seen> seen_;
    std::atomic<bool> stopping_{false};
    env::Parker parker_;
    std::thread thread_;
};

// What would keep a server from watching it: no folder, not ours to move files in. Empty if nothing does.
std::string watch_problem(const std::filesystem::path& folder);

}  // namespace belay::ingest
