// faulty_disk.hpp — a disk that is full or broken when a test says so.
//
// A layer over SQLite's own view of the system (a VFS), the default one while it lives: everything
// passes through to the real files, unless told otherwise. For tests only.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <new>

namespace belay::store::sqlite {

class FaultyDisk {
public:
    FaultyDisk() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
        vfs_.pNext = nullptr;
        vfs_.zName = "faulty";
        vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
        vfs_.pAppData = this;
        vfs_.xOpen = open;
        sqlite3_vfs_register(&vfs_, 1);
    }
    ~FaultyDisk() { sqlite3_vfs_unregister(&vfs_); }

    FaultyDisk(const FaultyDisk&) = delete;
    FaultyDisk& operator=(const FaultyDisk&) = delete;

    // A file cannot be written beyond this many bytes: the disk is full.
    std::atomic<sqlite3_int64> bytes_max = std::numeric_limits<sqlite3_int64>::max();

    // fsync fails: nobody knows what is on the disk.
    std::atomic<bool> sync_fails = false;

    int syncs = 0;  // so far

private:
    struct File {
        sqlite3_file base;
        FaultyDisk* disk;
        sqlite3_file* real;  // in the bytes behind this one
    };

    static sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }
    static FaultyDisk& disk(sqlite3_file* file) { return *reinterpret_cast<File*>(file)->disk; }

    static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* into, int flags, int* out) {
        auto& self = *static_cast<FaultyDisk*>(vfs->pAppData);
        auto* file = new (into) File{{nullptr}, &self, nullptr};
        file->real = reinterpret_cast<sqlite3_file*>(file + 1);
        std::memset(file->real, 0, static_cast<std::size_t>(self.real_->szOsFile));
        const int code = self.real_->xOpen(self.real_, name, file->real, flags, out);
        if (code == SQLITE_OK) file->base.pMethods = &methods();
        return code;
    }

    static int write(sqlite3_file* f, const void* data, int size, sqlite3_int64 offset) {
        if (offset + size > disk(f).bytes_max) return SQLITE_FULL;
        return real(f)->pMethods->xWrite(real(f), data, size, offset);
    }

    static int sync(sqlite3_file* f, int flags) {
        ++disk(f).syncs;
        if (disk(f).sync_fails) return SQLITE_IOERR_FSYNC;
        return real(f)->pMethods->xSync(real(f), flags);
    }

    static const sqlite3_io_methods& methods() {
        static const sqlite3_io_methods table = [] {
            sqlite3_io_methods m{};
            m.iVersion = 2;  // without memory-mapped reads
            m.xClose = [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); };
            m.xRead = [](sqlite3_file* f, void* data, int size, sqlite3_int64 at) {
                return real(f)->pMethods->xRead(real(f), data, size, at);
            };
            m.xWrite = write;
            m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
                return real(f)->pMethods->xTruncate(real(f), size);
            };
            m.xSync = sync;
            m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
                return real(f)->pMethods->xFileSize(real(f), size);
            };
            m.xLock = [](sqlite3_file* f, int kind) {
                return real(f)->pMethods->xLock(real(f), kind);
            };
            m.xUnlock = [](sqlite3_file* f, int kind) {
                return real(f)->pMethods->xUnlock(real(f), kind);
            };
            m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
                return real(f)->pMethods->xCheckReservedLock(real(f), out);
            };
            m.xFileControl = [](sqlite3_file* f, int operation, void* argument) {
                return real(f)->pMethods->xFileControl(real(f), operation, argument);
            };
            m.xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); };
            m.xDeviceCharacteristics = [](sqlite3_file* f) {
                return real(f)->pMethods->xDeviceCharacteristics(real(f));
            };
            m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
                return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
            };
            m.xShmLock = [](sqlite3_file* f, int offset, int n, int flags) {
                return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
            };
            m.xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); };
            m.xShmUnmap = [](sqlite3_file* f, int remove) {
                return real(f)->pMethods->xShmUnmap(real(f), remove);
            };
            return m;
        }();
        return table;
    }

    sqlite3_vfs* real_;
    sqlite3_vfs vfs_;
};

}  // namespace belay::store::sqlite
