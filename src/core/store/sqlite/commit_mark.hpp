// commit_mark.hpp — the number of the newest commit that was acknowledged, kept beside the database.
//
// A database whose -wal was cut or lost opens without complaint, at an older state. Its commits are numbered (belay_meta);
// the newest number that was acknowledged is also in `FILE-acked`, a mapped page that is written after each commit and
// never synced: it survives the process, and a power cut at most makes it older than the database, which means
// nothing. A database that is older than its mark has lost commits, and that is said until somebody accepts it. A
// mark that cannot be kept keeps nobody from using the database.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <belay/time.hpp>

namespace belay::store::sqlite {

class CommitMark {
public:
    struct Page;

    explicit CommitMark(const std::filesystem::path& database);
    ~CommitMark();
    CommitMark(const CommitMark&) = delete;
    CommitMark& operator=(const CommitMark&) = delete;

    // The database was opened, and its newest commit has this number: gives the one to go on from, which is never below
    // what was acknowledged.
    std::int64_t opened(std::int64_t in_database, Time now);
    void acknowledged(std::int64_t number);

    struct Loss {
        std::int64_t found = 0;         // the newest commit of the database when that was noticed
        std::int64_t acknowledged = 0;  // the newest that there had been
        Time noticed_at{};
    };
    // Of a database whose mark tells of one; also while somebody executes on it.
    static std::optional<Loss> loss_of(const std::filesystem::path& database);
    // Whoever answers for the data has seen it: it is not said any more. False if there was none.
    static bool accept_loss(const std::filesystem::path& database);

private:
    Page* page_ = nullptr;
};

// What happened and what to do.
std::string sentence_of(const CommitMark::Loss& loss);

}  // namespace belay::store::sqlite
