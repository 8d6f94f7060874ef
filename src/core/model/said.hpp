// said.hpp — what a run says of itself beside its steps: labels to be found by, and values that others may read.
//
// Neither is part of its history: a replay says the same again, and what was said last stands. Labels are not part of
// what makes a run the same (P3).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <belay/options.hpp>

namespace belay::model {

struct Said {
    Labels labels{};
    std::map<std::string, std::string> exposed{};  // JSON by name

    bool empty() const { return labels.empty() && exposed.empty(); }
    friend bool operator==(const Said&, const Said&) = default;
};

// Each throws Error{InvalidArgument} with a sentence that names what is wrong and what would be right.
void check_label(std::string_view name, std::string_view value);
void check_labels(const Labels& labels);
// Also {PayloadTooLarge}.
void check_exposed(std::string_view name, std::string_view value);

// "customer=42" as people type it. Throws Error{InvalidArgument}.
void add_label(Labels& labels, std::string_view typed);
// "customer=42, tier=gold"
std::string labels_text(const Labels& labels);

}  // namespace belay::model
