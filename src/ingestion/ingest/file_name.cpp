#include "ingestion/ingest/file_name.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "core/base/utf8.hpp"
#include "ingestion/objects/key.hpp"

namespace belay::ingest {

namespace {

constexpr std::size_t kNameBytesMax = 255;
constexpr std::size_t kSuffixBytesMax = 16;

std::string cut(const std::string& name) {
    if (name.size() <= objects::kKeyPartBytesMax || name.size() > kNameBytesMax ||
        name.find('/') != std::string::npos)
        return name;
    const auto dot = std::min(name.rfind('.'), name.size());
    const std::string suffix = name.size() - dot <= kSuffixBytesMax ? name.substr(dot) : "";
    std::size_t end = objects::kKeyPartBytesMax - suffix.size();
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // in a letter
    return fmt::format("{}/{}{}", base::sha256_hex(name).substr(0, 32), name.substr(0, end),
                       suffix);
}

std::optional<std::string> problem_with(const std::string& name) {
    return objects::Key::problem("of/" + cut(name));
}

}  // namespace

bool is_file_name(const std::string& name) { return !problem_with(name); }

std::string name_in_key(const std::string& name) {
    if (const auto wrong = problem_with(name))
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a file cannot be called `{}`: {}",
                                base::truncate(base::to_valid_utf8(name), 80), *wrong));
    return cut(name);
}

}  // namespace belay::ingest
