#include "ingestion/objects/filesystem_store.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "ingestion/objects/temp_file.hpp"

namespace belay::objects {

namespace fs = std::filesystem;

namespace {

// Rows into a page of files: a row hides the file of its key.
void merge(Page& page, std::vector<Listed> rows, std::size_t limit) {
    if (rows.empty()) return;
    bool more = page.next_cursor.has_value();
    // Behind the last file of a page that goes on, files may come before rows.
    const std::string end = more ? page.objects.back().key.text() : "";
    std::map<std::string, Listed> all;
    for (auto& file : page.objects) all.insert_or_assign(file.key.text(), std::move(file));
    for (auto& row : rows) {
        if (more && row.key.text() > end) continue;
        all.insert_or_assign(row.key.text(), std::move(row));
    }
    page.objects.clear();
    page.next_cursor.reset();
    for (auto& [key, listed] : all) {
        if (page.objects.size() == limit) {
            more = true;
            break;
        }
        page.objects.push_back(std::move(listed));
    }
    if (more) page.next_cursor = page.objects.back().key.text();
}

std::string hash_of(const Key& key) { return base::sha256_hex(key.text()).substr(0, 32); }

}  // namespace

// Small objects stay in memory until their head is written; larger ones go to a file as they come.
class FilesystemStore::FileWriter final : public Writer {
public:
    FileWriter(FilesystemStore& store, std::uint64_t bytes_max)
        : Writer(bytes_max), store_(store) {}

protected:
    void take(std::span<const std::byte> bytes) override {
        if (!spilled_ && small_.size() + bytes.size() <= kInlineBytesMax) {
            small_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return;
        }
        if (!spilled_) {
            spilled_ = std::make_unique<TempFile>(store_.files_, store_.temp_);
            spilled_->write(small_);
            small_ = {};
        }
        spilled_->write(bytes);
    }

    bool is_small() const override { return store_.rows_ != nullptr && !spilled_; }

    SmallObject small(const Key& key, const Description& description,
                      const Content& content) override {
        return {object_of(key, description, content), std::move(small_)};
    }

    Object publish(const Key& key, const Description& description,
                   const Content& content) override {
        Object object = object_of(key, description, content);
        if (spilled_) spilled_->sync();
        const std::lock_guard lock{store_.stripe_of(key)};
        if (spilled_) {
            const auto pin = store_.blobs_.add(spilled_->path(), content.sha256, hash_of(key));
            store_.replace_head(object, std::nullopt);
        } else {
            store_.replace_head(object, small_);
        }
        // Until here the row was the object; from here on the file is.
        if (store_.rows_ != nullptr) store_.rows_->remove(key);
        return object;
    }

private:
    Object object_of(const Key& key, const Description& description, const Content& content) const {
        return {key,
                content.etag,
                content.size,
                description.content_type,
                content.sha256,
                store_.clock_.now(),
                description.metadata};
    }

    FilesystemStore& store_;
    std::string small_;
    std::unique_ptr<TempFile> spilled_;
};

class FilesystemStore::FileReader final : public Reader {
public:
    FileReader(Object object, std::unique_ptr<env::ReadableFile> file, std::uint64_t start,
               const Range& range)
        : object_(std::move(object)), file_(std::move(file)) {
        const auto offset = std::min(range.offset, object_.size);
        at_ = start + offset;
        length_ = std::min(range.length, object_.size - offset);
        left_ = length_;
    }

    const Object& object() const override { return object_; }
    std::uint64_t length() const override { return length_; }

    std::size_t read(std::span<std::byte> into) override {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_));
        const auto got = file_->read_at(at_, into.first(count));
        if (got < count) {
            throw Error(
                ErrorCode::StoreUnavailable,
                fmt::format(
                    "object `{}` ends {} bytes too early on the disk: restore it from a backup",
                    object_.key.text(), left_ - got));
        }
        at_ += got;
        left_ -= got;
        return got;
    }

private:
    Object object_;
    std::unique_ptr<env::ReadableFile> file_;
    std::uint64_t at_ = 0, length_ = 0, left_ = 0;
};

class FilesystemStore::BytesReader final : public Reader {
public:
    BytesReader(SmallObject small, const Range& range) : small_(std::move(small)) {
        at_ = std::min<std::uint64_t>(range.offset, small_.bytes.size());
        length_ = std::min<std::uint64_t>(range.length, small_.bytes.size() - at_);
        end_ = at_ + length_;
    }

    const Object& object() const override { return small_.object; }
    std::uint64_t length() const override { return length_; }

    std::size_t read(std::span<std::byte> into) override {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), end_ - at_));
        std::memcpy(into.data(), small_.bytes.data() + at_, count);
        at_ += count;
        return count;
    }

private:
    SmallObject small_;
    std::uint64_t at_ = 0, length_ = 0, end_ = 0;
};

FilesystemStore::FilesystemStore(ToRead, fs::path folder, env::Files& files,
                                 const env::Clock& clock)
    : folder_(std::move(folder)), files_(files), clock_(clock), folders_(files, folder_),
      temp_(folder_ / "temp"), heads_(files, folders_, folder_ / "heads", temp_),
      blobs_(files, folders_, folder_ / "blobs") {}

FilesystemStore::FilesystemStore(fs::path folder, env::Files& files, const env::Clock& clock)
    : FilesystemStore(ToRead{}, std::move(folder), files, clock) {
    folders_.ensure(folder_ / "heads");
    folders_.ensure(folder_ / "blobs");
    folders_.ensure(temp_);
    for (const auto& entry : files_.list(temp_)) files_.remove(temp_ / entry.name);
}

std::mutex& FilesystemStore::stripe_of(const Key& key) {
    return stripes_[std::hash<std::string>{}(key.text()) % kStripes];
}

std::unique_ptr<Writer> FilesystemStore::begin(std::uint64_t bytes_max) {
    return std::make_unique<FileWriter>(*this, bytes_max);
}

void FilesystemStore::replace_head(const Object& object,
                                   const std::optional<std::string_view>& inline_bytes) {
    const auto old = heads_.read_if_sound(object.key);
    heads_.write(object, inline_bytes);
    const bool had_blob = old && !old->is_inline;
    if (had_blob && (inline_bytes || old->object.sha256 != object.sha256))
        release_quietly(old->object.sha256, object.key);
}

// The new state is durable; a blob that could not be removed now is found by collect().
void FilesystemStore::release_quietly(const std::string& sha256, const Key& key) {
    try {
        blobs_.release(sha256, hash_of(key));
    } catch (const env::FileError&) {
    }
}

std::optional<Object> FilesystemStore::head(const Key& key) {
    if (rows_ != nullptr) {
        if (auto object = rows_->head(key)) return object;
    }
    auto head = heads_.read(key);
    if (!head) return std::nullopt;
    return std::move(head->object);
}

std::unique_ptr<Reader> FilesystemStore::open(const Key& key, const Range& range) {
    if (rows_ != nullptr) {
        if (auto small = rows_->get(key))
            return std::make_unique<BytesReader>(*std::move(small), range);
    }
    // Between the head and its blob somebody may replace both: then the head is read again.
    std::string sha256_missing;
    while (true) {
        auto head = heads_.read(key);
        if (!head) return nullptr;
        if (head->is_inline)
            return std::make_unique<FileReader>(std::move(head->object), std::move(head->file),
                                                head->inline_offset, range);
        if (auto blob = blobs_.open(head->object.sha256))
            return std::make_unique<FileReader>(std::move(head->object), std::move(blob), 0, range);
        if (sha256_missing == head->object.sha256) {
            throw Error(ErrorCode::StoreUnavailable,
                        fmt::format("object `{}`: its bytes (blob {}) are missing in {}: restore "
                                    "them from a backup",
                                    key.text(), head->object.sha256, folder_.string()));
        }
        sha256_missing = head->object.sha256;
    }
}

void FilesystemStore::remove(const Key& key) {
    const std::lock_guard lock{stripe_of(key)};
    const auto head = heads_.read_if_sound(key);
    // An older file under the key of a row goes first, or a crash in between would bring it back.
    const bool had_file = heads_.remove(key);
    if (rows_ != nullptr) rows_->remove(key);
    if (had_file && head && !head->is_inline) release_quietly(head->object.sha256, key);
}

Page FilesystemStore::list(std::string_view prefix, const std::optional<std::string>& cursor,
                           std::size_t limit) {
    limit = std::clamp<std::size_t>(limit, 1, 1000);
    Page page;
    heads_.walk(prefix, cursor.value_or(""), [&](const Head& head) {
        const auto& object = head.object;
        if (page.objects.size() == limit) {
            page.next_cursor = page.objects.back().key.text();
            return false;
        }
        page.objects.push_back({object.key, object.etag, object.size, object.modified});
        return true;
    });
    if (rows_ != nullptr) merge(page, rows_->list(prefix, cursor.value_or(""), limit + 1), limit);
    return page;
}

Blobs::Collection::Result FilesystemStore::collect() {
    const std::lock_guard lock{collect_mutex_};
    Blobs::Collection collection{blobs_};
    heads_.walk("", "", [&](const Head& head) {
        if (!head.is_inline) collection.keep(head.object.sha256, hash_of(head.object.key));
        return true;
    });
    return collection.finish();
}

}  // namespace belay::objects
