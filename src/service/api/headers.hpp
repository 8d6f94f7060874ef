// headers.hpp — the header fields of a request or a response.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::api {

// Whether two field names, media types or schemes are the same: ASCII letters without case.
bool same_word(std::string_view a, std::string_view b);

// `text` without blanks and tabs around it.
std::string_view trimmed(std::string_view text);

// The parts of a comma-separated list, trimmed; empty parts are left out.
std::vector<std::string_view> list_items(std::string_view text);

// In the order in which they came; a name may come more than once.
class Headers {
public:
    using Field = std::pair<std::string, std::string>;

    Headers() = default;
    Headers(std::initializer_list<Field> fields) : fields_(fields) {}

    void add(std::string name, std::string value);
    // Replaces every field of that name.
    void set(std::string_view name, std::string value);

    // The first field of that name; nothing if there is none.
    std::optional<std::string_view> find(std::string_view name) const;
    // Its value, or "".
    std::string_view get(std::string_view name) const { return find(name).value_or(""); }

    std::size_t count(std::string_view name) const;

    auto begin() const { return fields_.begin(); }
    auto end() const { return fields_.end(); }
    std::size_t size() const { return fields_.size(); }

private:
    std::vector<Field> fields_;
};

}  // namespace belay::api
