#include "disk/virtual_disk.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

namespace belay::test {

namespace {

constexpr std::size_t kSector = 512;
constexpr int kShmLocks = 8;

// Whoever asks the machine's own file system whether there is a database finds a file of its name.
void show(const std::string& path) { std::ofstream{path} << "in memory"; }
void hide(const std::string& path) { std::filesystem::remove(path); }

void write_into(std::string& content, std::uint64_t at, std::string_view bytes) {
    if (content.size() < at + bytes.size()) content.resize(at + bytes.size(), '\0');
    std::memcpy(content.data() + at, bytes.data(), bytes.size());
}

}  // namespace

// A file. Open handles keep it when its name goes.
struct VirtualDisk::Node {
    struct Change {
        std::uint64_t at = 0;
        std::string bytes{};
        bool truncates = false;  // to `at`
    };
    std::string now;
    std::string synced;
    std::vector<Change> since;  // the sync, in order
    std::vector<std::unique_ptr<std::array<char, 32768>>> shared;
    std::vector<File*> open;
};

struct VirtualDisk::File {
    sqlite3_file base;
    VirtualDisk* disk;
    std::shared_ptr<Node>* node;
    std::string* name;
    std::int64_t boot;
    int lock;
    std::uint16_t shm_shared, shm_exclusive;  // a bit for each

    bool is_dead() const { return disk->dead_ || boot != disk->boots_; }
    Node& at() const { return **node; }
};

struct VirtualDisk::Methods {
    static File& file(sqlite3_file* f) { return *reinterpret_cast<File*>(f); }

    static int close(sqlite3_file* f) {
        File& self = file(f);
        std::erase(self.at().open, &self);
        delete self.node;
        delete self.name;
        return SQLITE_OK;
    }
    static int read(sqlite3_file* f, void* into, int count, sqlite3_int64 offset) {
        File& self = file(f);
        if (self.is_dead()) return SQLITE_IOERR_READ;
        const std::string& content = self.at().now;
        const auto at = std::min(static_cast<std::size_t>(offset), content.size());
        const auto got = std::min(static_cast<std::size_t>(count), content.size() - at);
        std::memcpy(into, content.data() + at, got);
        if (got == static_cast<std::size_t>(count)) return SQLITE_OK;
        std::memset(static_cast<char*>(into) + got, 0, static_cast<std::size_t>(count) - got);
        return SQLITE_IOERR_SHORT_READ;
    }
    static int write(sqlite3_file* f, const void* from, int count, sqlite3_int64 offset) {
        File& self = file(f);
        if (self.is_dead()) return SQLITE_IOERR_WRITE;
        bool fails_after = false;
        if (const int no = self.disk->change(fails_after); no != SQLITE_OK)
            return no == SQLITE_IOERR ? SQLITE_IOERR_WRITE : no;
        const std::string_view bytes{static_cast<const char*>(from),
                                     static_cast<std::size_t>(count)};
        const auto at = static_cast<std::uint64_t>(offset);
        Node& node = self.at();
        const std::uint64_t end = at + bytes.size();
        const std::uint64_t grows = end > node.now.size() ? end - node.now.size() : 0;
        if (grows > 0 && self.disk->bytes_used() + grows > self.disk->capacity_) {
            self.disk->note_refusal();
            return SQLITE_FULL;
        }
        write_into(node.now, at, bytes);
        node.since.push_back({at, std::string(bytes), false});
        return fails_after ? SQLITE_IOERR_WRITE : SQLITE_OK;
    }
    static int truncate(sqlite3_file* f, sqlite3_int64 size) {
        File& self = file(f);
        if (self.is_dead()) return SQLITE_IOERR_TRUNCATE;
        bool fails_after = false;
        if (const int no = self.disk->change(fails_after); no != SQLITE_OK)
            return no == SQLITE_IOERR ? SQLITE_IOERR_TRUNCATE : no;
        self.at().now.resize(static_cast<std::size_t>(size));
        self.at().since.push_back({static_cast<std::uint64_t>(size), "", true});
        return fails_after ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
    }
    static int sync(sqlite3_file* f, int) {
        File& self = file(f);
        if (self.is_dead()) return SQLITE_IOERR_FSYNC;
        bool fails_after = false;
        if (const int no = self.disk->change(fails_after); no != SQLITE_OK)
            return no == SQLITE_IOERR ? SQLITE_IOERR_FSYNC : no;
        Node& node = self.at();
        node.synced = node.now;
        node.since.clear();
        // SQLite's own VFS syncs the folder with the first sync of a file that it made.
        const auto name = self.disk->names_.find(*self.name);
        if (name != self.disk->names_.end() && name->second == *self.node)
            self.disk->durable_[*self.name] = *self.node;
        return fails_after ? SQLITE_IOERR_FSYNC : SQLITE_OK;
    }
    static int size(sqlite3_file* f, sqlite3_int64* out) {
        if (file(f).is_dead()) return SQLITE_IOERR_FSTAT;
        *out = static_cast<sqlite3_int64>(file(f).at().now.size());
        return SQLITE_OK;
    }

    // ---- locks: as SQLite's own, between the handles of this process

    static bool others_hold(File& self, int at_least) {
        return std::any_of(self.at().open.begin(), self.at().open.end(), [&](File* other) {
            return other != &self && !other->is_dead() && other->lock >= at_least;
        });
    }
    static int lock(sqlite3_file* f, int kind) {
        File& self = file(f);
        if (self.is_dead()) return SQLITE_IOERR_LOCK;
        if (self.lock >= kind) return SQLITE_OK;
        const int conflict = kind == SQLITE_LOCK_SHARED      ? SQLITE_LOCK_PENDING
                             : kind == SQLITE_LOCK_EXCLUSIVE ? SQLITE_LOCK_SHARED
                                                             : SQLITE_LOCK_RESERVED;
        if (others_hold(self, conflict)) return SQLITE_BUSY;
        self.lock = kind;
        return SQLITE_OK;
    }
    static int unlock(sqlite3_file* f, int kind) {
        file(f).lock = std::min(file(f).lock, kind);
        return SQLITE_OK;
    }
    static int check_reserved(sqlite3_file* f, int* out) {
        *out = others_hold(file(f), SQLITE_LOCK_RESERVED) ? 1 : 0;
        return SQLITE_OK;
    }
    static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
    static int sector(sqlite3_file*) { return kSector; }
    static int character(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

    // ---- the shared index of the log

    static int shm_map(sqlite3_file* f, int region, int bytes, int extend, void volatile** out) {
        File& self = file(f);
        if (self.is_dead() || bytes > 32768) return SQLITE_IOERR_SHMMAP;
        auto& shared = self.at().shared;
        if (static_cast<std::size_t>(region) >= shared.size() && extend == 0) {
            *out = nullptr;
            return SQLITE_OK;
        }
        while (static_cast<std::size_t>(region) >= shared.size()) {
            shared.push_back(std::make_unique<std::array<char, 32768>>());
            shared.back()->fill(0);
        }
        *out = shared[static_cast<std::size_t>(region)]->data();
        return SQLITE_OK;
    }
    static int shm_lock(sqlite3_file* f, int offset, int n, int flags) {
        File& self = file(f);
        if (self.is_dead()) return SQLITE_IOERR_SHMLOCK;
        const auto mask = static_cast<std::uint16_t>(((1U << n) - 1U) << offset);
        const auto without = static_cast<std::uint16_t>(~mask);
        if ((flags & SQLITE_SHM_UNLOCK) != 0) {
            self.shm_shared &= without;
            self.shm_exclusive &= without;
            return SQLITE_OK;
        }
        for (File* other : self.at().open) {
            if (other == &self || other->is_dead()) continue;
            const bool taken =
                (other->shm_exclusive & mask) != 0 ||
                ((flags & SQLITE_SHM_EXCLUSIVE) != 0 && (other->shm_shared & mask) != 0);
            if (taken) return SQLITE_BUSY;
        }
        auto& held = (flags & SQLITE_SHM_EXCLUSIVE) != 0 ? self.shm_exclusive : self.shm_shared;
        held |= mask;
        return SQLITE_OK;
    }
    static void shm_barrier(sqlite3_file*) {}
    static int shm_unmap(sqlite3_file* f, int remove) {
        File& self = file(f);
        self.shm_shared = self.shm_exclusive = 0;
        if (remove != 0 && !self.is_dead()) self.at().shared.clear();
        return SQLITE_OK;
    }

    static const sqlite3_io_methods& table() {
        static const sqlite3_io_methods kTable = [] {
            sqlite3_io_methods m{};
            m.iVersion = 2;
            m.xClose = close;
            m.xRead = read;
            m.xWrite = write;
            m.xTruncate = truncate;
            m.xSync = sync;
            m.xFileSize = size;
            m.xLock = lock;
            m.xUnlock = unlock;
            m.xCheckReservedLock = check_reserved;
            m.xFileControl = control;
            m.xSectorSize = sector;
            m.xDeviceCharacteristics = character;
            m.xShmMap = shm_map;
            m.xShmLock = shm_lock;
            m.xShmBarrier = shm_barrier;
            m.xShmUnmap = shm_unmap;
            return m;
        }();
        return kTable;
    }

    // ---- names

    static VirtualDisk& disk(sqlite3_vfs* vfs) { return *static_cast<VirtualDisk*>(vfs->pAppData); }

    static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* into, int flags, int* out) {
        VirtualDisk& self = disk(vfs);
        std::memset(into, 0, sizeof(File));
        if (self.dead_) return SQLITE_CANTOPEN;
        static int temporary = 0;
        const std::string path =
            name != nullptr ? name : "/temporary/" + std::to_string(++temporary);
        auto node = self.find(path);
        if (!node) {
            if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
            bool fails_after = false;
            if (self.change(fails_after) != SQLITE_OK || fails_after) return SQLITE_CANTOPEN;
            node = std::make_shared<Node>();
            self.names_[path] = node;
            if ((flags & SQLITE_OPEN_MAIN_DB) != 0) show(path);
        }
        auto* file = new (into) File{{&table()},
                                     &self,
                                     new std::shared_ptr<Node>(node),
                                     new std::string(path),
                                     self.boots_,
                                     SQLITE_LOCK_NONE,
                                     0,
                                     0};
        node->open.push_back(file);
        if (out != nullptr) *out = flags;
        return SQLITE_OK;
    }
    static int remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
        VirtualDisk& self = disk(vfs);
        if (self.dead_) return SQLITE_IOERR_DELETE;
        if (!self.find(name)) return SQLITE_IOERR_DELETE_NOENT;
        bool fails_after = false;
        if (self.change(fails_after) != SQLITE_OK) return SQLITE_IOERR_DELETE;
        self.names_.erase(name);
        if (sync_folder != 0) self.durable_.erase(name);
        return fails_after ? SQLITE_IOERR_DELETE : SQLITE_OK;
    }
    static int access(sqlite3_vfs* vfs, const char* name, int, int* out) {
        if (disk(vfs).dead_) return SQLITE_IOERR_ACCESS;
        *out = disk(vfs).find(name) ? 1 : 0;
        return SQLITE_OK;
    }
    static int full_path(sqlite3_vfs*, const char* name, int count, char* out) {
        sqlite3_snprintf(count, out, "%s", name);
        return SQLITE_OK;
    }
};

VirtualDisk::VirtualDisk() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    vfs_.pNext = nullptr;
    vfs_.zName = "virtual";
    vfs_.szOsFile = static_cast<int>(sizeof(File));
    vfs_.pAppData = this;
    vfs_.xOpen = Methods::open;
    vfs_.xDelete = Methods::remove;
    vfs_.xAccess = Methods::access;
    vfs_.xFullPathname = Methods::full_path;
    sqlite3_vfs_register(&vfs_, 1);
}

VirtualDisk::~VirtualDisk() { sqlite3_vfs_unregister(&vfs_); }

void VirtualDisk::fail_call(std::int64_t n, Fault fault) {
    planned_ = calls_ + n;
    fault_ = fault;
}

int VirtualDisk::change(bool& fails_after) {
    if (++calls_ != planned_) {
        if (calls_ < read_only_from_) return SQLITE_OK;
        note_refusal();
        return SQLITE_READONLY;
    }
    if (fault_ == Fault::NotDone) return SQLITE_IOERR;
    if (fault_ == Fault::Done) {
        fails_after = true;
        return SQLITE_OK;
    }
    dead_ = true;
    if (on_power_lost) on_power_lost();
    return SQLITE_IOERR;
}

void VirtualDisk::note_refusal() {
    if (refusals_left_ < 0 || --refusals_left_ > 0) return;
    mend();
}

void VirtualDisk::mend() {
    refusals_left_ = -1;
    capacity_ = UINT64_MAX;
    read_only_from_ = INT64_MAX;
}

std::shared_ptr<VirtualDisk::Node> VirtualDisk::find(const std::string& name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : found->second;
}

std::uint64_t VirtualDisk::bytes_used() const {
    std::uint64_t bytes = 0;
    for (const auto& [name, node] : names_) bytes += node->now.size();
    return bytes;
}

void VirtualDisk::lose_power(env::Random* dice) {
    const auto coin = [&] { return dice != nullptr && dice->below(2) == 0; };
    ++boots_;
    dead_ = false;
    planned_ = -1;
    // A name that was made or removed and not synced may have got through.
    for (const auto& [name, node] : names_) {
        if (!durable_.contains(name) && coin()) durable_[name] = node;
    }
    std::erase_if(durable_, [&](const auto& one) { return !names_.contains(one.first) && coin(); });
    for (auto& [name, node] : durable_) {
        for (const Node::Change& change : node->since) {
            if (change.truncates) {
                if (coin()) node->synced.resize(change.at);
                continue;
            }
            for (std::size_t at = 0; at < change.bytes.size(); at += kSector) {
                if (coin())
                    write_into(node->synced, change.at + at,
                               std::string_view(change.bytes).substr(at, kSector));
            }
        }
        // Handles of the dead keep the old node; the disk has a new one.
        auto left = std::make_shared<Node>();
        left->now = left->synced = node->synced;
        node = std::move(left);
    }
    for (const auto& [name, node] : names_) {
        if (!durable_.contains(name)) hide(name);
    }
    names_ = durable_;
}

}  // namespace belay::test
