#include "sequences/sequence_world.hpp"

#include <algorithm>

#include "core/base/hash.hpp"

namespace belay::test {

// A name that is taken by other bytes gives the key with their hash in it.
std::string Model::key_of_upload(const std::string& name, const std::string& bytes) const {
    const auto there = objects.find("acme/" + name);
    if (there == objects.end() || there->second.bytes == bytes) return "acme/" + name;
    return "acme/" + base::sha256_hex(bytes).substr(0, 32) + "/" + name;
}

void Model::upload(const std::string& key, const Stored& what, Time now) {
    objects[key] = what;
    live.insert({key, what.type, what.bytes});
    Known& head = heads[key];
    head = {std::max(head.at, now), what.bytes, false};
}

void Model::remove(const LiveFile& file, Time now) {
    const std::string& key = std::get<0>(file);
    live.erase(file);
    removed[file] = now;
    const bool needed =
        std::ranges::any_of(live, [&](const LiveFile& other) { return std::get<0>(other) == key; });
    if (needed) return;
    objects.erase(key);
    Known& head = heads[key];
    head.at = std::max(head.at, now);
    head.deleted = true;
}

// Nothing happens to the object: what was live as one type is live as another.
void Model::read_as(const LiveFile& file, const std::string& type, Time now) {
    live.insert({std::get<0>(file), type, std::get<2>(file)});
    live.erase(file);
    removed[file] = now;
}

void Model::created(const std::string& key, const std::string& told_bytes, Time at) {
    const auto there = objects.find(key);
    if (there == objects.end()) return;
    const Stored& what = there->second;
    const LiveFile file{key, what.type, what.bytes};
    const auto head = heads.find(key);
    if (head != heads.end()) {
        if (head->second.deleted && at <= head->second.at) return;
        if (!head->second.deleted && at < head->second.at && head->second.bytes != told_bytes)
            return;
        // A file that somebody deleted while others of its key stayed.
        const auto gone = removed.find(file);
        if (!head->second.deleted && !live.contains(file) && gone != removed.end() &&
            at <= gone->second)
            return;
    }
    live.insert(file);
    Known& known = heads[key];
    known = {std::max(known.at, at), what.bytes, false};
}

void Model::deleted(const std::string& key, Time at) {
    Known& head = heads[key];
    if (at < head.at) return;
    head.at = at;
    head.deleted = true;
    std::erase_if(live, [&](const LiveFile& file) {
        if (std::get<0>(file) != key) return false;
        removed[file] = at;
        return true;
    });
}

}  // namespace belay::test
