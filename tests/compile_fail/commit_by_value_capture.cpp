// expect-error: belay: a lambda that captures by value would be destroyed twice here
// right-where: temporaries in a co_await expression are destroyed once
#include <belay/belay.hpp>

belay::Task<int> workflow(belay::Context& ctx, std::string text) {
    co_return co_await ctx.step("one", [] { return 1; }).commit([text](belay::Tx& tx, const int&) {
        tx.exec("INSERT INTO notes VALUES (?)", text);
    });
}
