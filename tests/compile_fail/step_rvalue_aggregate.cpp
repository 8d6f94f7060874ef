// expect-error: belay: a struct built inside the co_await expression would be destroyed twice here
// expect-error: Name it first: const Doc doc{text};
// right-where: temporaries in a co_await expression are destroyed once
#include <belay/belay.hpp>

struct Doc {
    std::string title;
};

int length(const Doc& doc) { return static_cast<int>(doc.title.size()); }

belay::Task<int> workflow(belay::Context& ctx, std::string text) {
    co_return co_await ctx.step("length", length, Doc{text});
}
