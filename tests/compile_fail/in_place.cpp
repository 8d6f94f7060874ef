// expect-error: belay: a struct built inside the co_await expression would be destroyed twice here
// right-where: temporaries in a co_await expression are destroyed once
#include <chrono>

#include <belay/belay.hpp>

using namespace std::chrono_literals;

struct Doc {
    std::string title;
};
BOOST_DESCRIBE_STRUCT(Doc, (), (title))

inline constexpr belay::Workflow<Doc, int> Index{"INDEX"};

int length(const Doc& doc) { return static_cast<int>(doc.title.size()); }

belay::Task<int> workflow(belay::Context& ctx, std::string text) {
    int sum = co_await ctx.step("length", length, Doc{text});
#ifdef __clang__  // g++ 12 has no words for these
    sum += co_await ctx.step("patient", {.retry = {.attempts_max = 5}, .timeout = 30s}, length,
                             Doc{text});
    sum += co_await ctx.step("own", [text] { return static_cast<int>(text.size()); });
    sum += co_await ctx.child(Index, Doc{text}, {.id = "july"});
    sum += co_await ctx.child<int>("INDEX", Doc{text}, {.id = text});
#endif
    co_return sum;
}
