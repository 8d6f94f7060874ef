// temp_file.hpp — a file on its way to its name; gone if it never gets there.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "core/env/files.hpp"

namespace belay::objects {

class TempFile {
public:
    // `files` outlives this.
    TempFile(env::Files& files, const std::filesystem::path& folder)
        : files_(files), file_(files.create_temp(folder)) {}
    TempFile(const TempFile&) = delete;
    TempFile& operator=(const TempFile&) = delete;
    ~TempFile() {
        if (has_become_) return;
        try {
            file_.reset();
            files_.remove(path_);
        } catch (...) {  // left for the cleaning at the next start
        }
    }

    void write(std::span<const std::byte> bytes) { file_->write(bytes); }
    void write(std::string_view bytes) { write(std::as_bytes(std::span(bytes))); }
    void sync() { file_->sync(); }
    const std::filesystem::path& path() const { return path_; }

    // Gets its name, replacing what had it.
    void become(const std::filesystem::path& path) {
        files_.rename(path_, path);
        has_become_ = true;
    }

private:
    env::Files& files_;
    std::unique_ptr<env::WritableFile> file_;
    std::filesystem::path path_ = file_->path();
    bool has_become_ = false;
};

}  // namespace belay::objects
