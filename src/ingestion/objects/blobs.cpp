#include "ingestion/objects/blobs.hpp"

#include <functional>
#include <utility>

#include <fmt/format.h>

namespace belay::objects {

namespace fs = std::filesystem;

namespace {

std::string reference_name(std::string_view sha256, std::string_view key_hash) {
    return fmt::format("{}.{}", sha256, key_hash);
}

}  // namespace

Blobs::Pin::Pin(Pin&& other) noexcept
    : blobs_(std::exchange(other.blobs_, nullptr)), name_(std::move(other.name_)) {}

Blobs::Pin::~Pin() {
    if (blobs_ != nullptr) blobs_->unpin(name_);
}

Blobs::Blobs(env::Files& files, DurableFolders& folders, fs::path folder)
    : files_(files), folders_(folders), folder_(std::move(folder)) {}

fs::path Blobs::folder_of(std::string_view sha256) const {
    return folder_ / std::string(sha256.substr(0, 2));
}

std::mutex& Blobs::stripe_of(std::string_view sha256) {
    return stripes_[std::hash<std::string_view>{}(sha256) % kStripes];
}

Blobs::Pin Blobs::add(const fs::path& temp, std::string_view sha256, std::string_view key_hash) {
    const auto reference = reference_name(sha256, key_hash);
    {
        const std::lock_guard lock{pins_mutex_};
        pins_.insert(reference);
    }
    Pin pin{*this, reference};
    const auto folder = folder_of(sha256);
    const auto blob = folder / std::string(sha256);
    folders_.ensure(folder);
    const std::lock_guard lock{stripe_of(sha256)};
    static_cast<void>(files_.create(folder / reference));  // taken: the same key held it before
    if (!files_.exists(blob)) files_.rename(temp, blob);
    files_.sync_folder(folder);
    return pin;
}

std::unique_ptr<env::ReadableFile> Blobs::open(std::string_view sha256) {
    return files_.open(folder_of(sha256) / std::string(sha256));
}

void Blobs::release(std::string_view sha256, std::string_view key_hash) {
    const std::lock_guard lock{stripe_of(sha256)};
    files_.remove(folder_of(sha256) / reference_name(sha256, key_hash));
    if (!is_referred_to(sha256)) files_.remove(folder_of(sha256) / std::string(sha256));
}

bool Blobs::is_referred_to(std::string_view sha256) {
    const auto prefix = fmt::format("{}.", sha256);
    for (const auto& entry : files_.list(folder_of(sha256)))
        if (entry.name.starts_with(prefix)) return true;
    return false;
}

void Blobs::unpin(const std::string& reference) {
    const std::lock_guard lock{pins_mutex_};
    pins_.erase(pins_.find(reference));
    if (collecting_) made_meanwhile_.insert(reference);
}

bool Blobs::is_in_use(const std::string& reference) {
    const std::lock_guard lock{pins_mutex_};
    return pins_.contains(reference) || made_meanwhile_.contains(reference);
}

Blobs::Collection::Collection(Blobs& blobs) : blobs_(blobs) {
    {
        const std::lock_guard lock{blobs_.pins_mutex_};
        blobs_.collecting_ = true;
    }
    for (const auto& folder : blobs_.files_.list(blobs_.folder_)) {
        for (const auto& entry : blobs_.files_.list(blobs_.folder_ / folder.name)) {
            const bool is_blob = entry.name.find('.') == std::string::npos;
            (is_blob ? left_blobs_ : left_references_).insert(entry.name);
        }
    }
}

Blobs::Collection::~Collection() {
    const std::lock_guard lock{blobs_.pins_mutex_};
    blobs_.collecting_ = false;
    blobs_.made_meanwhile_.clear();
}

void Blobs::Collection::keep(std::string_view sha256, std::string_view key_hash) {
    left_references_.erase(reference_name(sha256, key_hash));
    left_blobs_.erase(std::string(sha256));
}

Blobs::Collection::Result Blobs::Collection::finish() {
    Result result;
    auto& files = blobs_.files_;
    for (const auto& name : left_references_) {
        const std::string_view sha256 = std::string_view{name}.substr(0, name.find('.'));
        const std::lock_guard lock{blobs_.stripe_of(sha256)};
        if (blobs_.is_in_use(name)) continue;
        result.references += files.remove(blobs_.folder_of(sha256) / name) ? 1 : 0;
    }
    for (const auto& sha256 : left_blobs_) {
        const std::lock_guard lock{blobs_.stripe_of(sha256)};
        if (blobs_.is_referred_to(sha256)) continue;
        result.blobs += files.remove(blobs_.folder_of(sha256) / sha256) ? 1 : 0;
    }
    return result;
}

}  // namespace belay::objects
