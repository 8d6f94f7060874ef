// durable_folders.hpp — folders that a power cut cannot take away, made once.
//
// A folder that exists may have been made by a process that died before it synced the folder above: a
// file acknowledged inside would go with it. So the first use of a folder in this process syncs its way
// down from the root, whether it was there or not; later uses cost a look-up.
#pragma once

#include <filesystem>
#include <mutex>
#include <set>

#include "core/env/files.hpp"

namespace belay::objects {

class DurableFolders {
public:
    // `files` outlives this. Nothing above `root` is synced except the folder that holds it.
    DurableFolders(env::Files& files, std::filesystem::path root);

    // `folder` is `root` or below it. It exists, durably, when this returns.
    void ensure(const std::filesystem::path& folder);

private:
    env::Files& files_;
    std::filesystem::path root_;
    std::mutex mutex_;
    std::set<std::filesystem::path> known_;
};

}  // namespace belay::objects
