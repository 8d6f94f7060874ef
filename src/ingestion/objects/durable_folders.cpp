#include "ingestion/objects/durable_folders.hpp"

namespace belay::objects {

namespace fs = std::filesystem;

// Organizations with folders of their own; above it we forget, and sync again.
constexpr std::size_t kKnownFoldersMax = 20'000;

DurableFolders::DurableFolders(env::Files& files, fs::path root)
    : files_(files), root_(std::move(root)) {}

void DurableFolders::ensure(const fs::path& folder) {
    // Under the lock also while syncing: whoever finds a folder in the set may rely on it.
    const std::lock_guard lock{mutex_};
    if (known_.contains(folder)) return;
    if (known_.size() > kKnownFoldersMax) known_.clear();
    files_.make_folders(folder);
    fs::path at = folder;
    while (!known_.contains(at)) {
        const auto above = at.parent_path();
        files_.sync_folder(above.empty() ? fs::path{"."} : above);
        if (at == root_ || above == at || above.empty()) break;
        at = above;
    }
    for (at = folder; known_.insert(at).second && at != root_; at = at.parent_path()) {
        if (at == at.parent_path()) break;
    }
}

}  // namespace belay::objects
