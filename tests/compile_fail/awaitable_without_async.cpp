// expect-error: belay: this step returns asio::awaitable; #include <belay/async.hpp> to run it.
#include <boost/asio/awaitable.hpp>

#include <belay/belay.hpp>

boost::asio::awaitable<int> ask() { co_return 1; }

belay::Task<int> workflow(belay::Context& ctx) { co_return co_await ctx.step("ask", ask); }
