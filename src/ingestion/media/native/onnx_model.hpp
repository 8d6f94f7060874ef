// onnx_model.hpp — a neural network run by ONNX Runtime, found at run time.
//
// The library is loaded by path when belay-media warms up, so belay builds and runs without it. Everything is
// made before the fork: one thread, nothing left open (reader_test.cpp looks), and a job only computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace belay::media::native {

// Numbers in rows: shape {1, 3, 48, 320} has 3 planes of 48 rows of 320.
struct Tensor {
    std::vector<std::int64_t> shape{};
    std::vector<float> values{};
};

class OnnxModel {
public:
    // Loads the library, for the life of the process, and the model. Throws std::runtime_error that says what is
    // missing or wrong.
    OnnxModel(const std::string& library, const std::string& model);
    ~OnnxModel();
    OnnxModel(OnnxModel&&) noexcept;
    OnnxModel& operator=(OnnxModel&&) noexcept;

    // The model's one output for its one input. Throws std::runtime_error with the runtime's reason, and
    // std::bad_alloc where it says that memory ran out.
    Tensor run(const Tensor& input);

private:
    struct Loaded;
    std::unique_ptr<Loaded> loaded_;
};

}  // namespace belay::media::native
