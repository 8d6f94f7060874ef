// store.hpp — where uploaded bytes are kept: one interface, on a disk or in S3.
//
// An object is whole or not there: nobody ever sees a part of one. What finish() returned survives a
// crash and a power cut. Reading goes on undisturbed when the object is replaced or removed meanwhile, or
// fails with an error (S3); it never mixes two versions. conformance_test.cpp defines the behaviour.
//
// Failures of the world are Error{StoreUnavailable} (S3: S3Error). All functions of Store may be called
// from any thread; a Writer and a Reader belong to one at a time and must not outlive their store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/hash.hpp"
#include "ingestion/objects/object.hpp"
#include "ingestion/objects/small_objects.hpp"
#include "service/http/digest.hpp"

namespace belay::objects {

// Up to this size an object's etag is the MD5 of its bytes, as S3 has it. S3's etag of a larger one is no
// MD5 either, and reading 2 GiB at MD5's speed would cost more than the disk does.
inline constexpr std::uint64_t kMd5BytesMax = 8 * 1024 * 1024;

// Bytes on their way to become an object. Destroyed before finish(), nothing has happened.
class Writer {
public:
    explicit Writer(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    virtual ~Writer() = default;

    // Throws Error{PayloadTooLarge}, naming the limit, when there are more bytes than allowed. After a
    // throw the writer can only be destroyed.
    void write(std::span<const std::byte> bytes);
    void write(std::string_view bytes) { write(std::as_bytes(std::span(bytes))); }

    std::uint64_t size() const { return size_; }

    // Of the bytes so far, as 64 hex digits: who chooses the key by the content asks before finish().
    std::string sha256() const {
        base::Sha256 so_far = sha256_;
        return so_far.finish_hex();
    }

    // Makes it the object `key`, replacing an older one in one step. Durable when it returns. If it throws,
    // the object is as it was before or whole and new. Call once.
    Object finish(const Key& key, const Description& description);

    // The object as a value, if it is small and its store looks for such among rows (SmallObjects): the caller puts it
    // there, and it is an object when that is committed. Nothing otherwise: then call finish().
    std::optional<SmallObject> take_small(const Key& key, const Description& description);

protected:
    struct Content {
        std::uint64_t size;
        std::string sha256;
        std::string etag;  // for stores that have none of their own
    };

    virtual void take(std::span<const std::byte> bytes) = 0;
    virtual Object publish(const Key& key, const Description& description,
                           const Content& content) = 0;

    virtual bool is_small() const { return false; }
    virtual SmallObject small(const Key& key, const Description& description,
                              const Content& content);

private:
    Content spend(const Description& description);

    std::uint64_t bytes_max_;
    std::uint64_t size_ = 0;
    base::Sha256 sha256_;
    http::Md5 md5_;
    bool spent_ = false;
};

// An object's bytes (or a range of them) as a stream.
class Reader {
public:
    Reader() = default;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    virtual ~Reader() = default;

    virtual const Object& object() const = 0;

    // How many bytes this reader gives in all.
    virtual std::uint64_t length() const = 0;

    // Fills `into`; fewer bytes only at the end, 0 after it. Throws if the bytes cannot be read to the end
    // that was promised.
    virtual std::size_t read(std::span<std::byte> into) = 0;
};

class Store {
public:
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    // Starts an object of at most `bytes_max` bytes. Memory stays constant whatever its size.
    virtual std::unique_ptr<Writer> begin(std::uint64_t bytes_max) = 0;

    // A small object in one call.
    Object put(const Key& key, std::string_view bytes, const Description& description = {});

    // Nothing if there is no such object.
    virtual std::optional<Object> head(const Key& key) = 0;

    // Null if there is no such object.
    virtual std::unique_ptr<Reader> open(const Key& key, const Range& range = {}) = 0;

    // The whole object (or range); nothing if there is none. Throws Error{PayloadTooLarge} if it has more
    // than `bytes_max` bytes: nobody loads 2 GiB by accident.
    std::optional<std::string> get(const Key& key, std::uint64_t bytes_max,
                                   const Range& range = {});

    // No error if there is none. Durable when it returns.
    virtual void remove(const Key& key) = 0;

    // Up to `limit` (1 to 1000) objects whose keys start with `prefix`, after `cursor`. Objects put or
    // removed meanwhile may or may not be among them; the others are, once each.
    virtual Page list(std::string_view prefix, const std::optional<std::string>& cursor = {},
                      std::size_t limit = 1000) = 0;

    // An address at which anyone can download the object until `valid_for` is over, as a file called
    // `file_name` if one is given; nothing if this store has no such thing.
    virtual std::optional<std::string> download_url(const Key& key, Duration valid_for,
                                                    std::string_view file_name = {}) = 0;

    // For logs and `doctor`: where the bytes are.
    virtual std::string name() const = 0;
};

}  // namespace belay::objects
