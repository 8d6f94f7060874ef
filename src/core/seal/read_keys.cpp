// read_keys.cpp — keys from a file, with errors that name the line.
#include <fstream>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <sys/stat.h>

#include <belay/error.hpp>
#include <belay/seal.hpp>

namespace belay {
namespace {

constexpr std::size_t kKeyDigits = 64;

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

int value_of(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

std::optional<std::string> from_hex(std::string_view digits) {
    if (digits.size() != kKeyDigits) return std::nullopt;
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const int high = value_of(digits[i]), low = value_of(digits[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

}  // namespace

SealKeys read_seal_keys(const std::filesystem::path& file) {
    const auto refuse = [&](int line, std::string_view why) {
        const std::string where =
            line == 0 ? file.string() : fmt::format("{}:{}", file.string(), line);
        throw Error(ErrorCode::InvalidArgument, fmt::format("{}: {}", where, why));
    };
    struct stat about {};
    if (::stat(file.c_str(), &about) != 0) refuse(0, "there is no such file of keys");
    if ((about.st_mode & 077) != 0)
        refuse(0, "others than its owner may read or change it: chmod 600");
    std::ifstream in{file};
    SealKeys keys;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        const auto text = trimmed(std::string_view(line).substr(0, line.find('#')));
        if (text.empty()) continue;
        const auto equals = text.find('=');
        if (equals == std::string_view::npos) refuse(number, "`NAME = 64 hex digits` is needed");
        const std::string name{trimmed(text.substr(0, equals))};
        const auto key = from_hex(trimmed(text.substr(equals + 1)));
        if (!key)
            refuse(number, fmt::format("the key `{}` is not {} hex digits", name, kKeyDigits));
        if (name == "fingerprint") {
            keys.fingerprint = *key;
            continue;
        }
        if (!keys.keys.emplace(name, *key).second)
            refuse(number, fmt::format("the key `{}` is there twice", name));
        keys.current = name;
    }
    if (keys.fingerprint.empty()) refuse(0, "a line `fingerprint = …` is needed");
    if (keys.keys.empty()) refuse(0, "a key beside `fingerprint` is needed");
    return keys;
}

}  // namespace belay
