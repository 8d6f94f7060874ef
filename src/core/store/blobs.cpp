#include "core/store/blobs.hpp"

#include <charconv>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "core/store/sealed_text.hpp"

namespace belay::store {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "blob:";
// What is sealed was held to the limit of one value before, and is a third longer now.
constexpr std::size_t kColumnBytesMax = base::kPayloadBytesMax / 3 * 4 + kSealedExtraBytes;
constexpr std::size_t kHashChars = 64;

bool is_hash(std::string_view text) {
    return text.size() == kHashChars &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

fs::path parent_of(const fs::path& folder) {
    const auto parent = folder.parent_path();
    return parent.empty() ? fs::path{"."} : parent;
}

}  // namespace

std::string BlobRef::text() const { return fmt::format("{}{}:{}", kPrefix, sha256, bytes); }

std::optional<BlobRef> BlobRef::parse(std::string_view column) {
    if (!column.starts_with(kPrefix)) return std::nullopt;
    const std::string_view rest = column.substr(kPrefix.size());
    BlobRef ref;
    ref.sha256 = rest.substr(0, kHashChars);
    const std::string_view number =
        rest.size() > kHashChars + 1 ? rest.substr(kHashChars + 1) : std::string_view{};
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), ref.bytes);
    const bool good = is_hash(ref.sha256) && rest.size() > kHashChars && rest[kHashChars] == ':' &&
                      error == std::errc{} && end == number.data() + number.size() &&
                      ref.bytes <= kColumnBytesMax;
    if (!good) {
        throw Error(ErrorCode::BadValue,
                    fmt::format("a column holds the broken reference `{}` to a large value",
                                column.substr(0, 100)));
    }
    return ref;
}

// ---- what is being kept

Blobs::Kept::Kept(Kept&& other) noexcept
    : blobs_(std::exchange(other.blobs_, nullptr)), sha256_(std::move(other.sha256_)) {}

Blobs::Kept& Blobs::Kept::operator=(Kept&& other) noexcept {
    if (this != &other) {
        let_go();
        blobs_ = std::exchange(other.blobs_, nullptr);
        sha256_ = std::move(other.sha256_);
    }
    return *this;
}

void Blobs::Kept::let_go() noexcept {
    if (blobs_ == nullptr) return;
    const std::lock_guard lock{blobs_->mutex_};
    const auto pin = blobs_->pinned_.find(sha256_);
    if (pin != blobs_->pinned_.end() && --pin->second == 0) blobs_->pinned_.erase(pin);
    blobs_ = nullptr;
}

Blobs::Kept Blobs::pin(const std::string& sha256) {
    const std::lock_guard lock{mutex_};
    ++pinned_[sha256];
    if (collecting_) since_collection_.insert(sha256);
    return Kept{*this, sha256};
}

// ---- files

Blobs::Blobs(env::Files& files, fs::path folder, std::size_t threshold)
    : files_(files), folder_(std::move(folder)), threshold_(threshold) {}

fs::path Blobs::folder_of(const fs::path& database) {
    fs::path folder = database;
    folder += ".blobs";
    return folder;
}

fs::path Blobs::path_of(std::string_view sha256) const {
    return folder_ / sha256.substr(0, 2) / sha256;
}

Blobs::Column Blobs::to_column(std::string value) {
    const std::size_t most = is_sealed(value) ? kColumnBytesMax : base::kPayloadBytesMax;
    if (value.size() > most) {
        throw Error(
            ErrorCode::PayloadTooLarge,
            fmt::format("a value has {} bytes, and {} are allowed: keep what is larger as an "
                        "object, and return its key",
                        value.size(), most));
    }
    if (value.size() <= threshold_) return {std::move(value), {}};
    const BlobRef ref{base::sha256_hex(value), value.size()};
    // Pinned first: from here on no collection removes it, so what is found there stays.
    Kept kept = pin(ref.sha256);
    const fs::path path = path_of(ref.sha256);
    make_durable_folder(path.parent_path());
    if (!has(path, ref.bytes)) write(path, value);
    // Also if it was there: whoever wrote it may not have come to this yet.
    files_.sync_folder(path.parent_path());
    return {ref.text(), std::move(kept)};
}

bool Blobs::has(const fs::path& path, std::uint64_t bytes) {
    const auto file = files_.open(path);
    return file != nullptr && file->size() == bytes;
}

void Blobs::write(const fs::path& path, std::string_view value) {
    const auto temp_folder = folder_ / "tmp";
    make_durable_folder(temp_folder);
    const auto temp = files_.create_temp(temp_folder);
    try {
        temp->write(std::as_bytes(std::span{value}));
        temp->sync();
        files_.rename(temp->path(), path);
    } catch (const Error&) {
        try {
            files_.remove(temp->path());
        } catch (const Error&) {
            // remove_leftovers will; the first failure is the one to tell of.
        }
        throw;
    }
}

void Blobs::make_durable_folder(const fs::path& folder) {
    {
        const std::lock_guard lock{mutex_};
        if (folders_.contains(folder)) return;
    }
    files_.make_folders(folder);
    files_.sync_folder(parent_of(folder_));
    files_.sync_folder(folder_);
    const std::lock_guard lock{mutex_};
    folders_.insert(folder);
}

std::string Blobs::from_column(std::string column) {
    const auto ref = BlobRef::parse(column);
    if (!ref) return column;
    const fs::path path = path_of(ref->sha256);
    const auto file = files_.open(path);
    if (file == nullptr) {
        throw Error(ErrorCode::BadValue,
                    fmt::format("a recorded value of {} bytes is missing: there is no file {}. The "
                                "folder {} belongs to the database; if it was left behind when the "
                                "database was copied, copy it too",
                                ref->bytes, path.string(), folder_.string()));
    }
    const auto damaged = [&](const std::string& how) {
        return Error(
            ErrorCode::BadValue,
            fmt::format("a recorded value is damaged: {} {}. Restore that file from a backup",
                        path.string(), how));
    };
    if (file->size() != ref->bytes) {
        throw damaged(fmt::format("has {} bytes, and {} were written", file->size(), ref->bytes));
    }
    std::string value(ref->bytes, '\0');
    const auto got = file->read_at(0, std::as_writable_bytes(std::span{value}));
    if (got != value.size() || base::sha256_hex(value) != ref->sha256)
        throw damaged("does not have the content that its name promises");
    return value;
}

// ---- cleaning up

// While it lives, what is kept is remembered also when its commit is done.
class Blobs::Collecting {
public:
    explicit Collecting(Blobs& blobs) : blobs_(blobs) {
        const std::lock_guard lock{blobs_.mutex_};
        blobs_.collecting_ = true;
        for (const auto& [sha256, count] : blobs_.pinned_) blobs_.since_collection_.insert(sha256);
    }
    ~Collecting() {
        const std::lock_guard lock{blobs_.mutex_};
        blobs_.collecting_ = false;
        blobs_.since_collection_.clear();
    }
    Collecting(const Collecting&) = delete;
    Collecting& operator=(const Collecting&) = delete;

private:
    Blobs& blobs_;
};

Blobs::Collected Blobs::collect(const std::function<std::set<std::string>()>& read_live) {
    const std::lock_guard alone{collecting_mutex_};
    const Collecting collecting{*this};
    std::vector<std::string> found;
    for (const auto& folder : files_.list(folder_)) {
        if (!folder.is_folder || folder.name.size() != 2) continue;
        for (auto& file : files_.list(folder_ / folder.name)) {
            if (!file.is_folder && is_hash(file.name)) found.push_back(std::move(file.name));
        }
    }
    const std::set<std::string> live = read_live();
    Collected collected;
    for (const std::string& sha256 : found) {
        if (live.contains(sha256)) {
            ++collected.left;
            continue;
        }
        const fs::path path = path_of(sha256);
        const auto file = files_.open(path);
        // Under the lock: a value that is kept at this moment is either seen here, or finds no file.
        const std::lock_guard lock{mutex_};
        if (since_collection_.contains(sha256)) {
            ++collected.left;
        } else if (files_.remove(path)) {
            ++collected.removed;
            collected.bytes += file == nullptr ? 0 : file->size();
        }
    }
    return collected;
}

void Blobs::remove_leftovers() {
    for (const auto& file : files_.list(folder_ / "tmp")) {
        if (!file.is_folder) files_.remove(folder_ / "tmp" / file.name);
    }
}

}  // namespace belay::store
