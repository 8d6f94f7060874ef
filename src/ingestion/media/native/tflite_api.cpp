#include "ingestion/media/native/tflite_api.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace belay::media {
namespace {

template <class F>
void find(void* library, F*& function, const char* name) {
    function = reinterpret_cast<F*>(::dlsym(library, name));
    if (!function)
        throw std::runtime_error(std::string{"the TensorFlow Lite library lacks "} + name);
}

}  // namespace

TfLiteApi TfLiteApi::load(const std::string& library) {
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        throw std::runtime_error(std::string{"cannot load TensorFlow Lite: "} + ::dlerror());
    TfLiteApi api;
    find(handle, api.version, "TfLiteVersion");
    find(handle, api.model_from_file, "TfLiteModelCreateFromFile");
    find(handle, api.options_create, "TfLiteInterpreterOptionsCreate");
    find(handle, api.options_set_threads, "TfLiteInterpreterOptionsSetNumThreads");
    find(handle, api.options_delete, "TfLiteInterpreterOptionsDelete");
    find(handle, api.interpreter_create, "TfLiteInterpreterCreate");
    find(handle, api.allocate_tensors, "TfLiteInterpreterAllocateTensors");
    find(handle, api.invoke, "TfLiteInterpreterInvoke");
    find(handle, api.input_count, "TfLiteInterpreterGetInputTensorCount");
    find(handle, api.output_count, "TfLiteInterpreterGetOutputTensorCount");
    find(handle, api.input, "TfLiteInterpreterGetInputTensor");
    find(handle, api.output, "TfLiteInterpreterGetOutputTensor");
    find(handle, api.tensor_type, "TfLiteTensorType");
    find(handle, api.tensor_dimensions, "TfLiteTensorNumDims");
    find(handle, api.tensor_dimension, "TfLiteTensorDim");
    find(handle, api.tensor_bytes, "TfLiteTensorByteSize");
    find(handle, api.tensor_data, "TfLiteTensorData");
    find(handle, api.tensor_quantization, "TfLiteTensorQuantizationParams");
    return api;
}

}  // namespace belay::media
