// sequence_world.hpp — one organization's files, on an engine on SQLite and objects in files, beside a small model of what
// must be there.
//
// Everything happens in one thread in an order drawn from a seed. Each act does one thing to the real parts and the same
// to the model; check() compares the two, and looks for what must hold whatever was done: no file without a run, one
// Upload for each live picture, every list in the state of its run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <belay/belay.hpp>

#include "core/env/memory_files.hpp"
#include "core/env/simulation.hpp"
#include "disk/virtual_disk.hpp"
#include "ingestion/ingest/inbox.hpp"
#include "support/temp_dir.hpp"

namespace belay::test {

// What is live: object key, workflow type, bytes.
using LiveFile = std::tuple<std::string, std::string, std::string>;

struct Stored {
    std::string bytes;
    std::string type;  // workflow_type in its metadata
};

struct Known {
    Time at{};
    std::string bytes;
    bool deleted = false;
};

// What must be there.
struct Model {
    std::set<LiveFile> live;
    std::map<std::string, Stored> objects;
    std::map<std::string, Known> heads;
    std::map<LiveFile, Time> removed;

    std::string key_of_upload(const std::string& name, const std::string& bytes) const;
    void upload(const std::string& key, const Stored& what, Time now);
    void remove(const LiveFile& file, Time now);
    void read_as(const LiveFile& file, const std::string& type, Time now);
    void created(const std::string& key, const std::string& told_bytes, Time at);
    void deleted(const std::string& key, Time at);
};

class SequenceWorld {
public:
    explicit SequenceWorld(std::uint64_t seed);
    ~SequenceWorld();

    // Does something by chance; false if what was drawn is not possible now.
    bool act();
    // Lets the runs end.
    void settle();
    // What is wrong; empty if nothing is.
    std::string check();
    // What was done, a line each, for whoever has to understand a failure.
    const std::vector<std::string>& done() const { return done_; }

private:
    struct Process;
    struct Told {
        ingest::NoticeKind kind;
        std::string key;
        std::string bytes;
        std::string etag;
        Time at;
    };

    void boot();
    void kill();
    void die_and_boot();
    std::uint64_t draw(std::uint64_t below) { return dice_.below(below); }
    template <class T>
    const T& one_of(const std::vector<T>& all) {
        return all[draw(all.size())];
    }
    // A live file by chance, and its id.
    std::optional<std::pair<LiveFile, std::string>> some_file();
    void note(std::string what) { done_.push_back(std::move(what)); }
    void read_objects();
    // Does `work`, which may meet a power cut drawn by chance: then the model is `after` it or as it was.
    template <class Work>
    void at_risk(const Model& after, Work work);

    bool upload();
    bool remove();
    bool read_as();
    bool put();
    bool delete_directly();
    bool deliver();
    bool retry();
    bool cancel();
    bool change_mood();
    bool run_some();
    bool crash();
    bool leave_bytes_without_rows();

    // Whether the model's heads are the rows of the keys.
    bool knows_the_keys();
    std::string check_files();
    std::string check_uploads();
    std::string check_lists();
    std::string status_wrong(const std::string& run, const std::string& status, bool has_error,
                             bool has_end);
    std::vector<std::string> runs_where(const std::string& condition);

    TempDir dir_;
    VirtualDisk database_;
    env::MemoryFiles files_;
    env::Simulation simulation_;
    env::SeededRandom dice_;
    env::SimulatedExecutor* executor_ = nullptr;
    std::unique_ptr<Process> process_;
    Model model_;
    std::vector<Told> told_;
    std::vector<std::string> done_;
    bool model_fails_ = false;  // the classifier
};

}  // namespace belay::test
