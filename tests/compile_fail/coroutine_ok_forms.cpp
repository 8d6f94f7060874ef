// expect-ok: every form that the messages beside this file recommend.
#include <belay/async.hpp>
#include <belay/belay.hpp>

struct Doc {
    std::string title;
};
BOOST_DESCRIBE_STRUCT(Doc, (), (title))

Doc read_doc(const Doc& doc, const std::string&) { return doc; }
void tear_doc(const Doc&, const Doc&, const std::string&) {}
void tear_if(std::optional<Doc>, const Doc&, const std::string&) {}
boost::asio::awaitable<int> ask(belay::Attempt&, const std::string&) { co_return 1; }
belay::Task<int> group(belay::Context& inner, Doc doc) {
    co_return co_await inner.step("length", [&] { return static_cast<int>(doc.title.size()); });
}

belay::Task<int> workflow(belay::Context& ctx, std::string text) {
    const Doc doc{text};
    const belay::StepOptions patient{.retry = {.attempts_max = 5}};
    const Doc again = co_await ctx.step("read", patient, read_doc, doc, text + "!")
                          .undo(patient, tear_doc)
                          .commit([&](belay::Tx& tx, const Doc&) {
                              tx.exec("INSERT INTO notes VALUES (?)", text);
                          });
    co_await ctx.transaction(
        "save", [](belay::Tx& tx, const std::string& note) { return tx.exec(note); }, text);
    const auto maybe =
        co_await ctx.step("read again", read_doc, again, "text").undo(tear_if).optional();
    co_await ctx.step("nothing", [&] { text += "!"; }).undo([](belay::Attempt&, bool) {});
    const int inside = co_await ctx.scope("group", group, maybe ? *maybe : doc);
    co_return inside + co_await ctx.step("ask", ask, text);
}

void define(belay::Engine& engine) { engine.define("workflow", workflow); }
