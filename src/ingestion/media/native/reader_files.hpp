// reader_files.hpp — where the second reader's models lie.
//
// A folder with detect.onnx, english.onnx and english.txt, latin.onnx and latin.txt (a character per line, in the
// model's order) and libonnxruntime.so.1. It is the one in BELAY_READER_FOLDER, or else the first that exists of
// ../lib/belay/reader (installed) and ../deps/reader (a build), both beside this program's folder.
#pragma once

#include <string>
#include <vector>

namespace belay::media::native {

struct ReaderFiles {
    struct Letters {
        std::string model{};
        std::vector<std::string> alphabet{};  // what the model's classes mean; 0 is "none"
    };
    std::string library{};
    std::string detect{};
    Letters english{}, latin{};
};

// Finds and reads them. Throws std::runtime_error that says where it looked and what to do.
ReaderFiles find_reader();

}  // namespace belay::media::native
