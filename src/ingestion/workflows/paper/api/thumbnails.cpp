#include "ingestion/workflows/paper/api/thumbnails.hpp"

#include <belay/bytes.hpp>
#include <belay/error.hpp>

#include "ingestion/isolate/failure.hpp"

namespace belay::workflows {

namespace {

// More than a screen shows of anything; what was asked for before that has long been scrolled away.
constexpr std::size_t kWantedMaxEach = 200;

}  // namespace

Thumbnails::~Thumbnails() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    asked_.notify_all();
    thread_.join();
}

std::optional<std::string> Thumbnails::find(const SourceFile& file) {
    const SqlRows rows = services_.engine.query(
        "SELECT jpeg FROM file_thumbnails WHERE file_id = ? AND organization_id = ?", file.file_id,
        file.organization_id);
    if (!rows.empty()) return std::string(rows[0].get<Bytes>(0).view());
    want(file);
    return std::nullopt;
}

void Thumbnails::want(const SourceFile& file) {
    const std::lock_guard lock(mutex_);
    if (!known_.insert(file.file_id).second) return;
    auto& stack = stacks_[file.organization_id];
    if (stack.size() == kWantedMaxEach) {
        known_.erase(stack.front().file_id);
        stack.erase(stack.begin());
    }
    stack.push_back(file);
    if (!thread_.joinable()) {
        thread_ = std::jthread([this](const std::stop_token& stop) {
            while (const auto one = next(stop)) make(*one, stop);
        });
    }
    asked_.notify_one();
}

std::optional<SourceFile> Thumbnails::next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!asked_.wait(lock, stop, [this] { return !stacks_.empty(); })) return std::nullopt;
    auto found = stacks_.upper_bound(last_served_);
    if (found == stacks_.end()) found = stacks_.begin();
    SourceFile file = std::move(found->second.back());
    last_served_ = found->first;
    found->second.pop_back();
    if (found->second.empty()) stacks_.erase(found);
    return file;
}

// A failure of the machine's own is tried again by the next who asks; one of the file is kept.
void Thumbnails::make(const SourceFile& file, const std::stop_token& stop) {
    try {
        isolate::Asker asker{file.organization_id, isolate::JobKind::Look};
        auto turn = services_.turns.wait(std::move(asker), stop);
        if (turn) {
            const isolate::HeldTurn held{*std::move(turn), isolate::JobKind::Look};
            media::RenderPage::Arguments first;
            first.page = 1;
            first.side = kThumbnailSide;
            try {
                keep(file, services_.reader.render_page(read_bytes(services_, file), first, stop));
            } catch (const NonRetryable&) {
                keep(file, "");
            }
        }
    } catch (const std::exception&) {
    }
    const std::lock_guard lock(mutex_);
    known_.erase(file.file_id);
}

// Of a file that was deleted meanwhile nothing is kept.
void Thumbnails::keep(const SourceFile& file, const std::string& jpeg) {
    services_.engine.transact([&](Tx& tx) {
        const auto there = tx.value<int>(
            "SELECT count(*) FROM unified_files WHERE id = ? AND organization_id = ? AND "
            "deleted_at IS NULL",
            file.file_id, file.organization_id);
        if (there.value_or(0) == 0) return;
        tx.exec(
            "INSERT INTO file_thumbnails (file_id, organization_id, jpeg, made_at) VALUES (?, ?, "
            "?, ?) ON CONFLICT (file_id) DO NOTHING",
            file.file_id, file.organization_id, Bytes(std::string_view(jpeg)), tx.now());
    });
}

}  // namespace belay::workflows
