#include "ingestion/workflows/paper/api/zip.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include <fmt/format.h>
#include <boost/crc.hpp>

#include <belay/error.hpp>

#include "core/base/assert.hpp"

namespace belay::workflows {

namespace {

constexpr std::uint64_t kLocalBytes = 30, kDescriptorBytes = 16, kCentralBytes = 46, kEndBytes = 22;
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kFlags = (1U << 3) | (1U << 11);  // sizes behind the bytes; names are UTF-8
constexpr std::uint16_t kFirstDay = 0x21;                 // 1980-01-01: the format has no "unknown"

void put16(std::string& out, std::uint64_t value) {
    for (int shift = 0; shift < 16; shift += 8) out += static_cast<char>((value >> shift) & 0xFF);
}
void put32(std::string& out, std::uint64_t value) {
    put16(out, value & 0xFFFF);
    put16(out, value >> 16);
}

struct Written {
    std::string name{};
    std::uint64_t size = 0, at = 0;
    std::uint32_t crc = 0;
};

class ZipSource final : public api::ByteSource {
public:
    explicit ZipSource(std::vector<ZipEntry> entries) : entries_(std::move(entries)) {}

    std::size_t read(std::span<std::byte> space) override {
        while (true) {
            if (said_ < to_say_.size()) return say(space);
            if (inside_) {
                if (const std::size_t got = read_inside(space); got > 0) return got;
                continue;
            }
            if (next_ < entries_.size()) {
                begin(entries_[next_++]);
            } else if (!ended_) {
                end();
            } else {
                return 0;
            }
        }
    }

private:
    std::size_t say(std::span<std::byte> space) {
        const std::size_t count = std::min(space.size(), to_say_.size() - said_);
        std::memcpy(space.data(), to_say_.data() + said_, count);
        said_ += count;
        return count;
    }
    void tell(std::string bytes) {
        position_ += bytes.size();
        to_say_ = std::move(bytes);
        said_ = 0;
    }

    void begin(const ZipEntry& entry) {
        written_.push_back({entry.name, entry.size, position_, 0});
        std::string out("PK\x03\x04", 4);
        put16(out, kVersion);
        put16(out, kFlags);
        put16(out, 0);  // stored
        put16(out, 0);
        put16(out, kFirstDay);
        put32(out, 0);
        put32(out, 0);
        put32(out, 0);
        put16(out, entry.name.size());
        put16(out, 0);
        inside_ = entry.open();
        left_ = entry.size;
        crc_.reset();
        tell(out + entry.name);
    }

    std::size_t read_inside(std::span<std::byte> space) {
        const std::size_t got = inside_->read(space);
        if (got > left_ || (got == 0 && left_ > 0))
            throw Error(ErrorCode::StoreUnavailable,
                        fmt::format("{} is not as long as it was", written_.back().name));
        if (got == 0) {
            inside_.reset();
            Written& one = written_.back();
            one.crc = static_cast<std::uint32_t>(crc_.checksum());
            std::string out("PK\x07\x08", 4);
            put32(out, one.crc);
            put32(out, one.size);
            put32(out, one.size);
            tell(std::move(out));
            return 0;
        }
        crc_.process_bytes(space.data(), got);
        left_ -= got;
        position_ += got;
        return got;
    }

    void end() {
        const std::uint64_t from = position_;
        std::string out;
        for (const Written& one : written_) {
            out += std::string_view("PK\x01\x02", 4);
            put16(out, kVersion);
            put16(out, kVersion);
            put16(out, kFlags);
            put16(out, 0);
            put16(out, 0);
            put16(out, kFirstDay);
            put32(out, one.crc);
            put32(out, one.size);
            put32(out, one.size);
            put16(out, one.name.size());
            for (int nothing = 0; nothing < 4; ++nothing) put16(out, 0);
            put32(out, 0);
            put32(out, one.at);
            out += one.name;
        }
        const std::uint64_t bytes = out.size();
        out += std::string_view("PK\x05\x06", 4);
        put16(out, 0);
        put16(out, 0);
        put16(out, written_.size());
        put16(out, written_.size());
        put32(out, bytes);
        put32(out, from);
        put16(out, 0);
        ended_ = true;
        tell(std::move(out));
    }

    std::vector<ZipEntry> entries_;
    std::size_t next_ = 0;
    std::unique_ptr<api::ByteSource> inside_{};  // of the entry that is being sent
    std::uint64_t left_ = 0;
    boost::crc_32_type crc_{};
    std::vector<Written> written_{};
    std::string to_say_{};
    std::size_t said_ = 0;
    std::uint64_t position_ = 0;
    bool ended_ = false;
};

}  // namespace

std::uint64_t zip_length(const std::vector<ZipEntry>& entries) {
    std::uint64_t out = kEndBytes;
    for (const ZipEntry& entry : entries)
        out += kLocalBytes + kDescriptorBytes + kCentralBytes + 2 * entry.name.size() + entry.size;
    return out;
}

std::unique_ptr<api::ByteSource> zip_source(std::vector<ZipEntry> entries) {
    BELAY_ASSERT(entries.size() <= kZipEntriesMax && zip_length(entries) <= kZipBytesMax);
    return std::make_unique<ZipSource>(std::move(entries));
}

std::string zip_name(std::string_view file_name) {
    std::string out(file_name.substr(0, 200));
    // The rest of a sign that was cut in the middle.
    while (file_name.size() > 200 && !out.empty() && (out.back() & 0x80) != 0) out.pop_back();
    for (char& c : out) {
        if (c == '/' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < 0x20) c = '_';
    }
    if (out.empty() || out.front() == '.') out.insert(out.begin(), '_');
    return out;
}

}  // namespace belay::workflows
