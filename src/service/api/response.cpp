#include "service/api/response.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

namespace belay::api {

namespace {

class FileSource final : public ByteSource {
public:
    FileSource(int file, std::uint64_t offset, std::uint64_t length)
        : file_(file), offset_(offset), left_(length) {}
    ~FileSource() override { ::close(file_); }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;

    std::size_t read(std::span<std::byte> space) override {
        const auto wanted = static_cast<std::size_t>(
            std::min<std::uint64_t>(left_, static_cast<std::uint64_t>(space.size())));
        if (wanted == 0) return 0;
        ssize_t got = 0;
        do {
            got = ::pread(file_, space.data(), wanted, static_cast<off_t>(offset_));
        } while (got < 0 && errno == EINTR);
        if (got <= 0) {
            throw Error(ErrorCode::StoreUnavailable,
                        fmt::format("a file ended {} bytes early, or cannot be read: {}", left_,
                                    got < 0 ? std::strerror(errno) : "it became shorter"));
        }
        offset_ += static_cast<std::uint64_t>(got);
        left_ -= static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
    }

private:
    int file_;
    std::uint64_t offset_;
    std::uint64_t left_;
};

}  // namespace

std::uint64_t Response::body_length() const {
    if (const auto* text = std::get_if<std::string>(&body)) return text->size();
    if (const auto* bytes = std::get_if<StaticBytes>(&body)) return bytes->bytes.size();
    return std::get<StreamBody>(body).length;
}

Response json_response(int status, const boost::json::object& json) {
    return text_response(status, "application/json", boost::json::serialize(json) + "\n");
}

Response text_response(int status, std::string content_type, std::string text) {
    Response response;
    response.status = status;
    response.headers.set("Content-Type", std::move(content_type));
    // What is read from tables changes under the same address.
    response.headers.set("Cache-Control", "no-store");
    response.body = std::move(text);
    return response;
}

std::unique_ptr<ByteSource> file_source(const std::string& path, std::uint64_t offset,
                                        std::uint64_t length) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
    }
    return std::make_unique<FileSource>(file, offset, length);
}

}  // namespace belay::api
