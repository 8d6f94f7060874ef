#include "ingestion/objects/heads.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "ingestion/objects/temp_file.hpp"

namespace belay::objects {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

// The first line, of a fixed length: what this is, and how many bytes of JSON follow.
constexpr std::string_view kMagic = "belay-object-1 ";
constexpr std::size_t kFirstLineBytes = kMagic.size() + 8 + 1;

// A key of 1 KiB and metadata of 2 KB, every byte escaped as \u00XX, and the rest.
constexpr std::size_t kFactsBytesMax = 64 * 1024;

class Damaged : public Error {
    using Error::Error;
};

[[noreturn]] void damaged(const fs::path& path, std::string_view why) {
    throw Damaged(ErrorCode::StoreUnavailable,
                  fmt::format("{} is damaged ({}): restore it from a backup or remove it",
                              path.string(), why));
}

std::string facts_of(const Object& object, bool is_inline) {
    json::object metadata;
    for (const auto& [name, value] : object.metadata) metadata[name] = value;
    return json::serialize(json::object{{"key", object.key.text()},
                                        {"etag", object.etag},
                                        {"size", object.size},
                                        {"content_type", object.content_type},
                                        {"sha256", object.sha256},
                                        {"modified", base::format_time(object.modified)},
                                        {"metadata", std::move(metadata)},
                                        {"inline", is_inline}});
}

std::string text_of(const json::value& value) { return std::string(value.as_string()); }

Head head_of(const json::value& facts) {
    const auto modified = base::parse_time(text_of(facts.at("modified")));
    if (!modified) throw std::invalid_argument("its time is none");
    Head head{{Key{text_of(facts.at("key"))},
               text_of(facts.at("etag")),
               facts.at("size").to_number<std::uint64_t>(),
               text_of(facts.at("content_type")),
               text_of(facts.at("sha256")),
               *modified,
               {}},
              facts.at("inline").as_bool(),
              0,
              nullptr};
    for (const auto& [name, value] : facts.at("metadata").as_object())
        head.object.metadata.emplace(name, text_of(value));
    return head;
}

std::string read_from(const env::ReadableFile& file, std::uint64_t offset, std::size_t count) {
    std::string text(count, '\0');
    text.resize(file.read_at(offset, std::as_writable_bytes(std::span(text))));
    return text;
}

}  // namespace

Heads::Heads(env::Files& files, DurableFolders& folders, fs::path folder, fs::path temp)
    : files_(files), folders_(folders), folder_(std::move(folder)), temp_(std::move(temp)) {}

fs::path Heads::path_of(const Key& key) const {
    fs::path path = folder_;
    std::string_view rest = key.text();
    for (auto slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
        path /= std::string(rest.substr(0, slash)) + ".d";
        rest.remove_prefix(slash + 1);
    }
    return path / (std::string(rest) + ".o");
}

std::optional<Head> Heads::read(const Key& key) {
    const auto path = path_of(key);
    auto head = read_file(path);
    if (head && head->object.key != key) damaged(path, "it belongs to another key");
    return head;
}

std::optional<Head> Heads::read_if_sound(const Key& key) {
    try {
        return read(key);
    } catch (const Damaged&) {
        return std::nullopt;
    }
}

std::optional<Head> Heads::read_file(const fs::path& path) {
    auto file = files_.open(path);
    if (!file) return std::nullopt;
    // Mostly the one read that is needed.
    std::string start = read_from(*file, 0, 2048);
    std::size_t count = 0;
    if (start.size() < kFirstLineBytes || !start.starts_with(kMagic) ||
        std::from_chars(start.data() + kMagic.size(), start.data() + kFirstLineBytes - 1, count)
                .ptr != start.data() + kFirstLineBytes - 1 ||
        count > kFactsBytesMax) {
        damaged(path, "it does not begin as it should");
    }
    const auto facts = start.size() >= kFirstLineBytes + count
                           ? start.substr(kFirstLineBytes, count)
                           : read_from(*file, kFirstLineBytes, count);
    try {
        Head head = head_of(json::parse(facts));
        head.inline_offset = kFirstLineBytes + count;
        if (head.is_inline && file->size() != head.inline_offset + head.object.size)
            damaged(path, "its bytes are not as many as it says");
        head.file = std::move(file);
        return head;
    } catch (const env::FileError&) {
        throw;
    } catch (const Damaged&) {
        throw;
    } catch (const std::exception& error) {
        damaged(path, error.what());
    }
}

void Heads::write(const Object& object, const std::optional<std::string_view>& inline_bytes) {
    const auto path = path_of(object.key);
    folders_.ensure(path.parent_path());
    const auto facts = facts_of(object, inline_bytes.has_value());
    TempFile temp{files_, temp_};
    temp.write(fmt::format("{}{:08}\n{}", kMagic, facts.size(), facts));
    if (inline_bytes) temp.write(*inline_bytes);
    temp.sync();
    temp.become(path);
    files_.sync_folder(path.parent_path());
}

bool Heads::remove(const Key& key) {
    const auto path = path_of(key);
    const bool was_there = files_.remove(path);
    // Also if it was not: an earlier removal may have failed before its sync.
    if (files_.exists(path.parent_path())) files_.sync_folder(path.parent_path());
    return was_there;
}

void Heads::walk(std::string_view prefix, std::string_view after,
                 const std::function<bool(const Head&)>& visit) {
    walk_folder(folder_, "", prefix, after, visit);
}

bool Heads::walk_folder(const fs::path& folder, const std::string& key_before,
                        std::string_view prefix, std::string_view after,
                        const std::function<bool(const Head&)>& visit) {
    // `b` (an object) < `b.x` (an object) < `b/` (a folder): sorted by these, the keys come in order.
    std::vector<std::pair<std::string, bool>> parts;
    for (const auto& entry : files_.list(folder)) {
        const std::string_view name = entry.name;
        if (!name.ends_with(entry.is_folder ? ".d" : ".o")) continue;
        parts.emplace_back(
            std::string(name.substr(0, name.size() - 2)) + (entry.is_folder ? "/" : ""),
            entry.is_folder);
    }
    std::ranges::sort(parts);
    for (const auto& [part, is_folder] : parts) {
        const std::string key = key_before + part;
        if (is_folder) {
            const bool may_match = key.starts_with(prefix) || prefix.starts_with(key);
            const bool is_before = key < after && !after.starts_with(key);
            if (!may_match || is_before) continue;
            const auto below = folder / (part.substr(0, part.size() - 1) + ".d");
            if (!walk_folder(below, key, prefix, after, visit)) return false;
        } else if (key.starts_with(prefix) && key > after) {
            const auto head = read_file(folder / (part + ".o"));
            if (head && !visit(*head)) return false;  // none: removed since it was listed
        }
    }
    return true;
}

}  // namespace belay::objects
