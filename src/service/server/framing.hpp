// framing.hpp — where a request ends must be said once, and so that every server before us reads it alike.
//
// Beast lets pass what the standard wants refused or read with care: folded lines, transfer encodings that are not
// `chunked`. A proxy that reads them differently would see other requests on the same connection than we do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::server {

// Sees the bytes of a head as they are taken and finds lines that go on with a blank.
class FoldWatch {
public:
    void see(std::string_view bytes) {
        for (const char c : bytes) {
            if (after_line_ && (c == ' ' || c == '\t')) found_ = true;
            after_line_ = c == '\n';
        }
    }
    bool found() const { return found_; }

private:
    bool after_line_ = false;
    bool found_ = false;
};

// What is wrong with a request's Transfer-Encoding fields; nothing if it is fine. `version` is 11 for HTTP/1.1.
std::optional<std::string> transfer_problem(const std::vector<std::string_view>& values,
                                            unsigned version);

}  // namespace belay::server
