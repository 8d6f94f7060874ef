#include "ingestion/cli/gunzip.hpp"

#include <memory>
#include <new>

#include <fmt/format.h>
#include <zlib.h>

#include <belay/error.hpp>

namespace belay::cli {

std::string gunzip(const std::string& name, const std::string& packed, std::size_t bytes_max) {
    z_stream stream{};
    // 16: a gzip header, and none other.
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closing(&stream, inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string out;
    std::string piece(1u << 16, '\0');
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        status = inflate(&stream, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END) {
            throw Error(ErrorCode::BadValue,
                        fmt::format("{}: its gzip data is damaged or ends too early", name));
        }
        out.append(piece, 0, piece.size() - stream.avail_out);
        if (out.size() > bytes_max) {
            throw Error(ErrorCode::PayloadTooLarge,
                        fmt::format("{}: it has more than {} MiB", name, bytes_max >> 20));
        }
    }
    return out;
}

}  // namespace belay::cli
