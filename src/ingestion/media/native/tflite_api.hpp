// tflite_api.hpp — the part of TensorFlow Lite's C interface that Belay calls, found at run time.
//
// The library is loaded by path when belay-media warms up, so belay builds and runs without it. The C
// interface is stable: functions over opaque handles; the two values below have their layout from
// tensorflow/lite/c/c_api_types.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace belay::media {

struct TfLiteApi {
    enum Type : int { Float32 = 1, UInt8 = 3, Int8 = 9 };
    enum Status : int { Ok = 0 };
    struct Quantization {
        float scale;
        std::int32_t zero_point;
    };

    const char* (*version)() = nullptr;
    void* (*model_from_file)(const char* path) = nullptr;
    void* (*options_create)() = nullptr;
    void (*options_set_threads)(void* options, std::int32_t threads) = nullptr;
    void (*options_delete)(void* options) = nullptr;
    void* (*interpreter_create)(const void* model, const void* options) = nullptr;
    Status (*allocate_tensors)(void* interpreter) = nullptr;
    Status (*invoke)(void* interpreter) = nullptr;
    std::int32_t (*input_count)(const void* interpreter) = nullptr;
    std::int32_t (*output_count)(const void* interpreter) = nullptr;
    void* (*input)(const void* interpreter, std::int32_t index) = nullptr;
    const void* (*output)(const void* interpreter, std::int32_t index) = nullptr;
    Type (*tensor_type)(const void* tensor) = nullptr;
    std::int32_t (*tensor_dimensions)(const void* tensor) = nullptr;
    std::int32_t (*tensor_dimension)(const void* tensor, std::int32_t index) = nullptr;
    std::size_t (*tensor_bytes)(const void* tensor) = nullptr;
    void* (*tensor_data)(const void* tensor) = nullptr;
    Quantization (*tensor_quantization)(const void* tensor) = nullptr;

    // Loads the library, for the life of the process. Throws std::runtime_error with the loader's reason.
    static TfLiteApi load(const std::string& library);
};

}  // namespace belay::media
