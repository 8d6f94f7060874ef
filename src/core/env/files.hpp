// files.hpp — files and folders as an interface, with the calls that durability needs.
//
// A write is on the disk when its file was synced; a name (created, renamed, removed) is when its folder
// was. Nothing here hides that: whoever promises durability calls sync() and sync_folder() in the right
// order, and MemoryFiles (memory_files.hpp) forgets what was not synced, so a test can prove the order.
//
// Every call throws FileError when the world fails it; what a caller must branch on (not there, already
// there) is a value. All functions of Files and ReadableFile may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <belay/error.hpp>

namespace belay::env {

// A call that the system refused. Its message names the call, the path and the reason.
class FileError : public Error {
public:
    FileError(std::string_view call, const std::filesystem::path& path, int error_number);

    int error_number() const { return error_number_; }

    // No room left, or no quota: somebody has to make room, trying again alone does not help.
    bool is_disk_full() const;

private:
    int error_number_;
};

// A new file, written from its start. Closed when destroyed; the name stays.
class WritableFile {
public:
    WritableFile() = default;
    WritableFile(const WritableFile&) = delete;
    WritableFile& operator=(const WritableFile&) = delete;
    virtual ~WritableFile() = default;

    // All of `bytes`, or it throws; how much of them was written is then unknown.
    virtual void write(std::span<const std::byte> bytes) = 0;

    // What was written is on the disk when it returns. After a failure nobody knows what is: give the
    // file up.
    virtual void sync() = 0;

    virtual const std::filesystem::path& path() const = 0;
};

// A file open for reading. It can be read to its end also when its name is removed or replaced meanwhile.
class ReadableFile {
public:
    ReadableFile() = default;
    ReadableFile(const ReadableFile&) = delete;
    ReadableFile& operator=(const ReadableFile&) = delete;
    virtual ~ReadableFile() = default;

    virtual std::uint64_t size() const = 0;

    // Fills `into` from `offset` on; fewer bytes only where the file ends.
    virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const = 0;
};

struct FolderEntry {
    std::string name;
    bool is_folder = false;
};

class Files {
public:
    Files() = default;
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    virtual ~Files() = default;

    // A new empty file under a name of its own in `folder`, for this user only.
    virtual std::unique_ptr<WritableFile> create_temp(const std::filesystem::path& folder) = 0;

    // A new empty file; null if the name is taken.
    virtual std::unique_ptr<WritableFile> create(const std::filesystem::path& path) = 0;

    // Null if there is no such file.
    virtual std::unique_ptr<ReadableFile> open(const std::filesystem::path& path) = 0;

    virtual bool exists(const std::filesystem::path& path) = 0;

    // Replaces `to` in one step: everyone sees the old file or the new one.
    virtual void rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;

    // A second name for a file; false if `to` is taken.
    virtual bool link(const std::filesystem::path& from, const std::filesystem::path& to) = 0;

    // A file or an empty folder; false if it was not there, or is a folder with something in it.
    virtual bool remove(const std::filesystem::path& path) = 0;

    // Names that were made, changed or removed in `folder` are on the disk when it returns.
    virtual void sync_folder(const std::filesystem::path& folder) = 0;

    // Makes the folder and those above it that are missing. Not durable: sync the folders above.
    virtual void make_folders(const std::filesystem::path& folder) = 0;

    // What is in `folder`, in no order; empty if it is not there.
    virtual std::vector<FolderEntry> list(const std::filesystem::path& folder) = 0;
};

// The machine's own.
class SystemFiles final : public Files {
public:
    std::unique_ptr<WritableFile> create_temp(const std::filesystem::path& folder) override;
    std::unique_ptr<WritableFile> create(const std::filesystem::path& path) override;
    std::unique_ptr<ReadableFile> open(const std::filesystem::path& path) override;
    bool exists(const std::filesystem::path& path) override;
    void rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
    bool link(const std::filesystem::path& from, const std::filesystem::path& to) override;
    bool remove(const std::filesystem::path& path) override;
    void sync_folder(const std::filesystem::path& folder) override;
    void make_folders(const std::filesystem::path& folder) override;
    std::vector<FolderEntry> list(const std::filesystem::path& folder) override;
};

}  // namespace belay::env
