#include "service/measure/bench.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "service/measure/work.hpp"

namespace belay::measure {

Scratch::Scratch(const std::filesystem::path& parent, const std::string& name)
    : folder_(parent / name) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
}

Scratch::~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void run_bench(const std::string& work, const BenchOptions& options, std::ostream& out) {
    if (!options.store.empty()) {
        if (work != "W1") {
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("{} is measured on SQLite only; W1 also on PostgreSQL", work));
        }
#ifdef BELAY_HAS_POSTGRES
        return run_w1_postgres(options, out);
#else
        throw Error(ErrorCode::InvalidArgument,
                    "this Belay was built without PostgreSQL (BELAY_POSTGRES=OFF)");
#endif
    }
    if (work == "W1") return run_w1(options, out);
    if (work == "W2") return run_w2(options, out);
    if (work == "W3") return run_w3(options, out);
    if (work == "W4") return run_w4(options, out);
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("there is no work `{}`; there are W1, W2, W3 and W4 (belay bench --help)",
                    work));
}

}  // namespace belay::measure
