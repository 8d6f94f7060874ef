// drop_folder.hpp — a folder that other programs put files into: what is there, whether it is whole, and where it goes.
//
// Whoever may write into the folder may also put a link there, or replace a folder in it by one. So nothing is followed:
// files are opened and moved below the folder itself, never through a path, and only plain files are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/files.hpp"

namespace belay::env {

struct DroppedFile {
    std::string name{};
    std::uint64_t size = 0;
    std::int64_t changed_ns = 0;  // of its last write, by the system's clock
    std::uint64_t inode = 0;
    bool is_plain = true;  // no link, pipe or device

    friend bool operator==(const DroppedFile&, const DroppedFile&) = default;
};

// Any thread, one at a time. Throws FileError.
class DropFolder {
public:
    // It has to be there.
    explicit DropFolder(std::filesystem::path folder);
    ~DropFolder();
    DropFolder(const DropFolder&) = delete;
    DropFolder& operator=(const DropFolder&) = delete;

    // What is in it but folders, by name.
    std::vector<DroppedFile> look() const;

    // Null if it is not there any more, or no plain file.
    std::unique_ptr<ReadableFile> open(const DroppedFile& file) const;
    // Whether it is what it was when it was looked at.
    bool is_same(const DroppedFile& file) const;
    // Whether somebody has it open for writing; false where the file system cannot tell.
    bool is_being_written(const DroppedFile& file) const;

    // Moves it into a folder below, which is made if it is missing, under a name that is free there; with a text beside
    // it, NAME.reason.txt, if one is given: that is there before the file is. Gives the new name; empty if the file is
    // not there any more.
    std::string move(const DroppedFile& file, const std::string& into,
                     std::string_view reason = {});

private:
    const std::filesystem::path folder_;
    int fd_ = -1;
};

}  // namespace belay::env
