// expect-error: belay: a lambda that captures by value would be destroyed twice here
// right-where: temporaries in a co_await expression are destroyed once
#include <belay/belay.hpp>

belay::Task<> workflow(belay::Context& ctx, std::string text) {
    co_await ctx.transaction(
        "save", [text](belay::Tx& tx) { tx.exec("INSERT INTO notes VALUES (?)", text); });
}
