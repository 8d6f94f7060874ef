#include "core/env/memory_files.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

namespace belay::env {

namespace fs = std::filesystem;

struct MemoryFiles::Node {
    bool is_folder = false;
    std::string bytes, bytes_synced;
    std::map<std::string, NodePtr> names, names_synced;
};

// Done and throws all the same: work first, then the error.
template <class Work>
auto MemoryFiles::call(std::string_view what, const fs::path& path, Work work) {
    const std::lock_guard lock{mutex_};
    if (dead_) throw PowerLost{calls_};
    ++calls_;
    if (!planned_ || planned_->call != calls_) return work();
    const auto fault = *std::exchange(planned_, std::nullopt);
    if (fault.fault == Fault::PowerLost) {
        dead_ = true;
        if (on_power_lost) on_power_lost();
        throw PowerLost{calls_};
    }
    if (fault.fault == Fault::Done) static_cast<void>(work());
    throw FileError(what, path, fault.error_number);
}

class MemoryFiles::Writable final : public WritableFile {
public:
    Writable(MemoryFiles& disk, NodePtr node, fs::path path)
        : disk_(disk), node_(std::move(node)), path_(std::move(path)), boot_(disk.boots_) {}

    void write(std::span<const std::byte> bytes) override {
        disk_.call("write", path_, [&] {
            live();
            const auto used = disk_.bytes_in(*disk_.root_);
            const auto room = disk_.capacity_ - std::min(used, disk_.capacity_);
            const auto taken = std::min<std::uint64_t>(room, bytes.size());
            node_->bytes.append(reinterpret_cast<const char*>(bytes.data()), taken);
            if (taken < bytes.size()) throw FileError("write", path_, ENOSPC);
        });
    }

    void sync() override {
        disk_.call("sync", path_, [&] {
            live();
            node_->bytes_synced = node_->bytes;
        });
    }

    const fs::path& path() const override { return path_; }

private:
    void live() const {
        if (boot_ != disk_.boots_) throw PowerLost{disk_.calls_};
    }

    MemoryFiles& disk_;
    NodePtr node_;
    fs::path path_;
    std::int64_t boot_;
};

class MemoryFiles::Readable final : public ReadableFile {
public:
    Readable(MemoryFiles& disk, NodePtr node, fs::path path)
        : disk_(disk), node_(std::move(node)), path_(std::move(path)) {}

    std::uint64_t size() const override {
        return disk_.call("look at", path_, [&] { return std::uint64_t{node_->bytes.size()}; });
    }

    std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const override {
        return disk_.call("read", path_, [&] {
            const auto& bytes = node_->bytes;
            if (offset >= bytes.size()) return std::size_t{0};
            const auto from = std::as_bytes(std::span(bytes)).subspan(offset);
            const auto count = std::min(from.size(), into.size());
            std::ranges::copy(from.first(count), into.begin());
            return count;
        });
    }

private:
    MemoryFiles& disk_;
    NodePtr node_;
    fs::path path_;
};

MemoryFiles::MemoryFiles() : root_(std::make_shared<Node>()) { root_->is_folder = true; }
MemoryFiles::~MemoryFiles() = default;

void MemoryFiles::fail_call(std::int64_t n, Fault fault, int error_number) {
    const std::lock_guard lock{mutex_};
    planned_ = Planned{calls_ + n, fault, error_number};
}

void MemoryFiles::cut_power() {
    const std::lock_guard lock{mutex_};
    dead_ = true;
}

bool MemoryFiles::is_dead() const {
    const std::lock_guard lock{mutex_};
    return dead_;
}

std::int64_t MemoryFiles::calls() const {
    const std::lock_guard lock{mutex_};
    return calls_;
}

void MemoryFiles::set_capacity(std::uint64_t bytes) {
    const std::lock_guard lock{mutex_};
    capacity_ = bytes;
}

std::uint64_t MemoryFiles::bytes_used() const {
    const std::lock_guard lock{mutex_};
    return bytes_in(*root_);
}

// A file with two names counts twice; nobody here measures that.
std::uint64_t MemoryFiles::bytes_in(const Node& node) const {
    std::uint64_t sum = node.bytes.size();
    for (const auto& [name, below] : node.names) sum += bytes_in(*below);
    return sum;
}

void MemoryFiles::lose_power(Random* dice) {
    const std::lock_guard lock{mutex_};
    settle(*root_, dice);
    planned_.reset();
    dead_ = false;
    ++boots_;
}

void MemoryFiles::settle(Node& node, Random* dice) {
    const auto keeps_new = [&] { return dice != nullptr && dice->below(2) == 1; };
    if (!node.is_folder) {
        if (node.bytes != node.bytes_synced && !keeps_new()) node.bytes = node.bytes_synced;
        node.bytes_synced = node.bytes;
        return;
    }
    auto after = node.names_synced;
    for (const auto& [name, now] : node.names) {  // made or replaced since
        const auto old = node.names_synced.find(name);
        if ((old == node.names_synced.end() || old->second != now) && keeps_new())
            after[name] = now;
    }
    for (const auto& [name, old] : node.names_synced)  // removed since
        if (!node.names.contains(name) && keeps_new()) after.erase(name);
    node.names = node.names_synced = std::move(after);
    for (const auto& [name, below] : node.names) settle(*below, dice);
}

MemoryFiles::NodePtr MemoryFiles::find(const fs::path& path) const {
    NodePtr at = root_;
    for (const auto& part : path.relative_path()) {
        if (part.empty()) continue;
        const auto next = at->names.find(part.string());
        if (next == at->names.end()) return nullptr;
        at = next->second;
    }
    return at;
}

MemoryFiles::NodePtr MemoryFiles::folder_of(std::string_view what, const fs::path& path) const {
    auto folder = find(path.parent_path());
    if (!folder) throw FileError(what, path, ENOENT);
    if (!folder->is_folder) throw FileError(what, path, ENOTDIR);
    return folder;
}

std::unique_ptr<WritableFile> MemoryFiles::create_temp(const fs::path& folder) {
    return call("make a temporary file in", folder, [&]() -> std::unique_ptr<WritableFile> {
        const auto path = folder / fmt::format("tmp-{:06}", ++temp_count_);
        auto node = std::make_shared<Node>();
        folder_of("make a temporary file in", path)->names[path.filename().string()] = node;
        return std::make_unique<Writable>(*this, node, path);
    });
}

std::unique_ptr<WritableFile> MemoryFiles::create(const fs::path& path) {
    return call("create", path, [&]() -> std::unique_ptr<WritableFile> {
        const auto folder = folder_of("create", path);
        auto node = std::make_shared<Node>();
        if (!folder->names.try_emplace(path.filename().string(), node).second) return nullptr;
        return std::make_unique<Writable>(*this, node, path);
    });
}

std::unique_ptr<ReadableFile> MemoryFiles::open(const fs::path& path) {
    return call("open", path, [&]() -> std::unique_ptr<ReadableFile> {
        auto node = find(path);
        if (!node) return nullptr;
        if (node->is_folder) throw FileError("open", path, EISDIR);
        return std::make_unique<Readable>(*this, std::move(node), path);
    });
}

bool MemoryFiles::exists(const fs::path& path) {
    return call("look at", path, [&] { return find(path) != nullptr; });
}

void MemoryFiles::rename(const fs::path& from, const fs::path& to) {
    call("rename", to, [&] {
        const auto folder = folder_of("rename", from);
        const auto into = folder_of("rename", to);
        const auto node = folder->names.find(from.filename().string());
        if (node == folder->names.end()) throw FileError("rename", from, ENOENT);
        const auto moved = node->second;
        folder->names.erase(node);
        into->names[to.filename().string()] = moved;
    });
}

bool MemoryFiles::link(const fs::path& from, const fs::path& to) {
    return call("link", to, [&] {
        const auto node = find(from);
        if (!node) throw FileError("link", from, ENOENT);
        return folder_of("link", to)->names.try_emplace(to.filename().string(), node).second;
    });
}

bool MemoryFiles::remove(const fs::path& path) {
    return call("remove", path, [&] {
        const auto folder = find(path.parent_path());
        if (!folder) return false;
        const auto node = folder->names.find(path.filename().string());
        if (node == folder->names.end() || !node->second->names.empty()) return false;
        folder->names.erase(node);
        return true;
    });
}

void MemoryFiles::sync_folder(const fs::path& folder) {
    call("sync the folder", folder, [&] {
        const auto node = find(folder);
        if (!node) throw FileError("sync the folder", folder, ENOENT);
        node->names_synced = node->names;
    });
}

void MemoryFiles::make_folders(const fs::path& folder) {
    call("make the folder", folder, [&] {
        NodePtr at = root_;
        for (const auto& part : folder.relative_path()) {
            if (part.empty()) continue;
            auto& next = at->names[part.string()];
            if (!next) {
                next = std::make_shared<Node>();
                next->is_folder = true;
            }
            if (!next->is_folder) throw FileError("make the folder", folder, ENOTDIR);
            at = next;
        }
    });
}

std::vector<FolderEntry> MemoryFiles::list(const fs::path& folder) {
    return call("list", folder, [&] {
        std::vector<FolderEntry> entries;
        if (const auto node = find(folder))
            for (const auto& [name, below] : node->names)
                entries.push_back({name, below->is_folder});
        return entries;
    });
}

}  // namespace belay::env
