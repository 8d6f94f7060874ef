// headers.hpp — the header fields of a request or a response: ordered, names without case.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::http {

class Headers {
public:
    Headers() = default;
    Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

    void add(std::string name, std::string value) {
        fields_.emplace_back(std::move(name), std::move(value));
    }
    void set(std::string_view name, std::string value);
    void remove(std::string_view name);

    // The first field of that name.
    std::optional<std::string> find(std::string_view name) const;
    std::string get(std::string_view name) const { return find(name).value_or(""); }
    bool has(std::string_view name) const { return find(name).has_value(); }

    auto begin() const { return fields_.begin(); }
    auto end() const { return fields_.end(); }
    std::size_t size() const { return fields_.size(); }

private:
    std::vector<std::pair<std::string, std::string>> fields_;
};

// ASCII only, which is all that HTTP needs.
std::string lower(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string_view trim(std::string_view text);

}  // namespace belay::http
