#include "ingestion/media/native/onnx_model.hpp"

#include <dlfcn.h>

#include <array>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#if defined(BELAY_HAVE_ONNX)
#include <onnxruntime_c_api.h>
#endif

namespace belay::media::native {

#if defined(BELAY_HAVE_ONNX)

namespace {

// The version of the interface that is asked for, not of the library: what was once in it stays in it.
constexpr std::uint32_t kInterface = 18;
constexpr std::size_t kValuesMax = 256u << 20;

const OrtApi* load_interface(const std::string& library) {
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw std::runtime_error(std::string{"cannot load ONNX Runtime: "} + ::dlerror());
    using GetBase = const OrtApiBase*(ORT_API_CALL*)();
    const auto get = reinterpret_cast<GetBase>(::dlsym(handle, "OrtGetApiBase"));
    const OrtApi* api = get ? get()->GetApi(kInterface) : nullptr;
    if (!api) throw std::runtime_error(fmt::format("{} is too old an ONNX Runtime", library));
    return api;
}

void check(const OrtApi& api, OrtStatus* status) {
    if (!status) return;
    const std::string message = api.GetErrorMessage(status);
    api.ReleaseStatus(status);
    // The runtime has no code for it: its allocator says what the C library told it.
    if (message.find("std::bad_alloc") != std::string::npos ||
        message.find("Failed to allocate memory") != std::string::npos)
        throw std::bad_alloc{};
    throw std::runtime_error("ONNX Runtime: " + message);
}

// What the interface gives is given back through it.
template <class T>
using Owned = std::unique_ptr<T, void(ORT_API_CALL*)(T*)>;

// One for all models: it holds the log, which only warns.
OrtEnv* environment(const OrtApi& api) {
    static OrtEnv* made = nullptr;
    if (!made) {
        check(api, api.CreateEnv(ORT_LOGGING_LEVEL_ERROR, "belay", &made));
        check(api, api.DisableTelemetryEvents(made));
    }
    return made;
}

std::string name_of(const OrtApi& api, const OrtSession* session, bool input) {
    OrtAllocator* allocator = nullptr;
    check(api, api.GetAllocatorWithDefaultOptions(&allocator));
    std::size_t count = 0;
    check(api, input ? api.SessionGetInputCount(session, &count)
                     : api.SessionGetOutputCount(session, &count));
    if (count != 1) throw std::runtime_error("the model must have one input and one output");
    char* name = nullptr;
    check(api, input ? api.SessionGetInputName(session, 0, allocator, &name)
                     : api.SessionGetOutputName(session, 0, allocator, &name));
    std::string copy = name;
    check(api, api.AllocatorFree(allocator, name));
    return copy;
}

}  // namespace

struct OnnxModel::Loaded {
    const OrtApi* api = nullptr;
    OrtSession* session = nullptr;
    std::string input{}, output{};

    ~Loaded() {
        if (session) api->ReleaseSession(session);
    }
};

OnnxModel::OnnxModel(const std::string& library, const std::string& model)
    : loaded_(std::make_unique<Loaded>()) {
    const OrtApi* api = loaded_->api = load_interface(library);
    OrtSessionOptions* made = nullptr;
    check(*api, api->CreateSessionOptions(&made));
    const Owned<OrtSessionOptions> options{made, api->ReleaseSessionOptions};
    // The helper forks: it may have no other thread.
    check(*api, api->SetIntraOpNumThreads(made, 1));
    check(*api, api->SetInterOpNumThreads(made, 1));
    check(*api, api->SetSessionExecutionMode(made, ORT_SEQUENTIAL));
    check(*api, api->SetSessionGraphOptimizationLevel(made, ORT_ENABLE_ALL));
    // Every line has a width of its own: a plan for one is waste for the next.
    check(*api, api->DisableMemPattern(made));
    // Memory that is kept for the next line counts against the job: with it a page took twice as much.
    check(*api, api->DisableCpuMemArena(made));
    // Numbers too small to matter cost a hundred times as much.
    check(*api, api->AddSessionConfigEntry(made, "session.set_denormal_as_zero", "1"));
    check(*api, api->CreateSession(environment(*api), model.c_str(), made, &loaded_->session));
    loaded_->input = name_of(*api, loaded_->session, true);
    loaded_->output = name_of(*api, loaded_->session, false);
}

Tensor OnnxModel::run(const Tensor& input) {
    const OrtApi& api = *loaded_->api;
    OrtMemoryInfo* made_info = nullptr;
    check(api, api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &made_info));
    const Owned<OrtMemoryInfo> info{made_info, api.ReleaseMemoryInfo};
    OrtValue* made_in = nullptr;
    // The interface reads what it is given, though it cannot say so.
    check(api, api.CreateTensorWithDataAsOrtValue(
                   info.get(), const_cast<float*>(input.values.data()),
                   input.values.size() * sizeof(float), input.shape.data(), input.shape.size(),
                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &made_in));
    const Owned<OrtValue> in{made_in, api.ReleaseValue};
    const std::array<const OrtValue*, 1> ins{in.get()};
    const std::array<const char*, 1> in_names{loaded_->input.c_str()};
    const std::array<const char*, 1> out_names{loaded_->output.c_str()};
    OrtValue* made_out = nullptr;
    check(api, api.Run(loaded_->session, nullptr, in_names.data(), ins.data(), 1, out_names.data(),
                       1, &made_out));
    const Owned<OrtValue> out{made_out, api.ReleaseValue};

    OrtTensorTypeAndShapeInfo* made_shape = nullptr;
    check(api, api.GetTensorTypeAndShape(out.get(), &made_shape));
    const Owned<OrtTensorTypeAndShapeInfo> shape{made_shape, api.ReleaseTensorTypeAndShapeInfo};
    ONNXTensorElementDataType type{};
    check(api, api.GetTensorElementType(made_shape, &type));
    std::size_t dimensions = 0, count = 0;
    check(api, api.GetDimensionsCount(made_shape, &dimensions));
    check(api, api.GetTensorShapeElementCount(made_shape, &count));
    if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT || count > kValuesMax)
        throw std::runtime_error("the model must answer with numbers, and not too many");
    Tensor result;
    result.shape.resize(dimensions);
    check(api, api.GetDimensions(made_shape, result.shape.data(), dimensions));
    void* data = nullptr;
    check(api, api.GetTensorMutableData(out.get(), &data));
    const auto* values = static_cast<const float*>(data);
    result.values.assign(values, values + count);
    return result;
}

#else

struct OnnxModel::Loaded {};

OnnxModel::OnnxModel(const std::string&, const std::string&) {
    throw std::runtime_error(
        "this belay-media was built without the headers of ONNX Runtime; run tools/setup models "
        "and build again");
}

Tensor OnnxModel::run(const Tensor&) { throw std::logic_error("there is no model"); }

#endif

OnnxModel::~OnnxModel() = default;
OnnxModel::OnnxModel(OnnxModel&&) noexcept = default;
OnnxModel& OnnxModel::operator=(OnnxModel&&) noexcept = default;

}  // namespace belay::media::native
