// expect-error: belay: this type has no JSON form. Write BOOST_DESCRIBE_STRUCT(YourType, (), (member, ...)) next to it
// expect-error: Invoice
#include <belay/belay.hpp>

struct Invoice {
    int total = 0;
};

Invoice read_invoice() { return {}; }

belay::Task<int> workflow(belay::Context& ctx) {
    const Invoice invoice = co_await ctx.step("read", read_invoice);
    co_return invoice.total;
}
