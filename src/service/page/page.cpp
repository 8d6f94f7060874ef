#include "service/page/page.hpp"

#include <algorithm>

namespace belay::page {

namespace {

class EmbeddedFiles final : public api::StaticFiles {
public:
    std::optional<api::StaticFile> find(std::string_view path) const override {
        const auto all = table();
        const auto found = std::lower_bound(
            all.begin(), all.end(), path,
            [](const PageFile& one, std::string_view wanted) { return one.path < wanted; });
        if (found == all.end() || found->path != path) return std::nullopt;
        return found->file;
    }
};

}  // namespace

const api::StaticFiles* files() {
    static const EmbeddedFiles embedded;
    return table().empty() ? nullptr : &embedded;
}

}  // namespace belay::page
