// wal_readers.hpp — which processes read a database at this moment, and so keep its write-ahead log from being cut back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace belay::store::sqlite {

struct WalReader {
    int pid = 0;
    std::string command{};  // as the kernel knows it; empty if it may not be known
};

// Those that are in a read transaction, this process among them. Read from the kernel's list of locks: to open the
// file and ask would take away the locks that this process has on it. Empty where there is no such list.
std::vector<WalReader> wal_readers(const std::filesystem::path& file);

// "sqlite3 (pid 4711), python3 (pid 4712)"
std::string names_of(const std::vector<WalReader>& readers);

}  // namespace belay::store::sqlite
