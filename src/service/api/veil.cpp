#include "service/api/veil.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/model/chosen_id.hpp"

namespace belay::api {

namespace {

constexpr std::size_t kHiddenCharsMin = 4;

// As it stands between the quotes of JSON.
std::string in_json(std::string_view text) {
    const std::string quoted = boost::json::serialize(boost::json::string(text));
    return quoted.substr(1, quoted.size() - 2);
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    auto at = text.find(what);
    if (at == std::string::npos) return;
    std::string out;
    std::size_t from = 0;
    for (; at != std::string::npos; at = text.find(what, from)) {
        out.append(text, from, at - from).append(by);
        from = at + what.size();
    }
    text = out.append(text, from);
}

}  // namespace

void Veil::hide(std::string_view text, std::string instead) {
    if (text.size() < kHiddenCharsMin) return;
    hidden_.emplace_back(in_json(text), in_json(instead));
    std::ranges::stable_sort(
        hidden_, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::string Veil::json(std::string_view organization, std::string json) const {
    if (!organization.empty()) replace_all(json, in_json(model::chosen_prefix(organization)), "");
    if (is_own(organization)) return json;
    for (const auto& [text, instead] : hidden_) replace_all(json, text, instead);
    return json;
}

std::string told_to_strangers(const Error& error) {
    const std::string_view what = error.what();
    switch (error.code()) {
        case ErrorCode::CommitUnknown:
            return "the store did not say whether this was written: look before you try again";
        case ErrorCode::StoreUnavailable:
        case ErrorCode::StoreLocked:
            // The stores say it in these words (store/*/failure.cpp).
            if (what.starts_with("the disk ") && what.find("is full") != std::string_view::npos)
                return "the disk is full: nothing is written until there is room again; try later";
            return "the store cannot be used now; try again later";
        default:
            return std::string(what);
    }
}

std::string worker_for_strangers(std::string_view worker) {
    const auto slash = worker.find('/');
    if (slash == std::string_view::npos) return std::string(worker);
    return fmt::format("worker{}", worker.substr(slash));
}

}  // namespace belay::api
