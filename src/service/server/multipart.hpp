// multipart.hpp — multipart/form-data (RFC 7578) as it arrives: a state machine that holds no part.
//
// Fed in pieces of any size, it tells its listener where parts begin and end and passes their bytes
// on; a boundary may be cut anywhere between two pieces. What it keeps is one part's headers and how
// much of a boundary it has seen. Pure, and fuzzed: hostile bytes come here first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::server {

struct MultipartLimits {
    std::size_t parts_max = 1000;
    std::size_t head_bytes_max = 8 * 1024;      // the headers of one part
    std::size_t preamble_bytes_max = 4 * 1024;  // before the first part and after the last
};

struct MultipartHead {
    std::string name{};  // of the form field
    std::optional<std::string>
        file_name{};  // a file, if given and not empty; its last path segment
    std::string content_type{};
};

class MultipartListener {
public:
    virtual ~MultipartListener() = default;
    virtual void part_begins(const MultipartHead& head) = 0;
    virtual void part_bytes(std::string_view bytes) = 0;
    virtual void part_ends() = 0;
};

class Multipart {
public:
    // `listener` must outlive it.
    Multipart(std::string_view boundary, MultipartListener& listener, MultipartLimits limits = {});

    // The next piece of the body. Throws ApiError{invalid_multipart} or {payload_too_large}, and what
    // the listener throws; it must not be used afterwards.
    void feed(std::string_view piece);

    // The body has ended. Throws ApiError{invalid_multipart} if a part is cut off.
    void finish() const;

private:
    enum class State { Preamble, AfterBoundary, Head, Bytes, Epilogue };

    std::string_view take_bytes(std::string_view piece);
    std::string_view take_after_boundary(std::string_view piece);
    std::string_view take_head(std::string_view piece);
    void skip_outside(std::size_t bytes);
    void emit(std::string_view bytes);
    void boundary_seen();
    void begin_part();

    MultipartListener& listener_;
    const MultipartLimits limits_;
    const std::string delimiter_;  // CR LF "--" boundary
    State state_ = State::Preamble;
    std::size_t matched_ = 2;  // of the delimiter; the body begins as if after a line
    std::string line_;         // what follows a boundary, or the headers of a part
    std::size_t parts_ = 0;
    std::size_t outside_ = 0;  // bytes of preamble and epilogue
};

// The boundary of a Content-Type `multipart/form-data; boundary=…`; nothing if it is another type, or
// the boundary is missing or not one.
std::optional<std::string> boundary_of(std::string_view content_type);

// The parameters of a header such as `form-data; name="files"`, names in lower case, up to where it is broken.
std::vector<std::pair<std::string, std::string>> header_parameters(std::string_view header);

// The value of one of them; nothing if it has none, or more than one: whoever looked at the other saw another form.
std::optional<std::string> header_parameter(std::string_view header, std::string_view name);

// The last path segment of a client's file name, made fit to be shown and stored: no control
// characters, valid UTF-8, at most 255 characters, never empty, "." or "..".
std::string safe_file_name(std::string_view given);

}  // namespace belay::server
