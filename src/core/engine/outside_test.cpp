// What strangers may ask of an engine: a workflow lets in what it says, and an id is one of its organization's own.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"
#include "core/engine/fork.hpp"
#include "core/engine/outside.hpp"
#include "core/engine/queue_requests.hpp"

namespace belay::engine {
namespace {

std::string read(const std::string& file) { return "text of " + file; }
std::string analyse(const std::string& text) { return "total in " + text; }

Task<std::string> invoice(Context& ctx, std::string file) {
    const auto text = co_await ctx.step("read", read, file);
    co_return co_await ctx.step("analyse", analyse, text);
}

// Files are called after their organization.
void only_own(std::string_view organization, const std::string& file) {
    if (!file.starts_with(organization)) throw NonRetryable("there is no file " + file);
}

struct OutsideBench : Bench {
    OutsideBench() {
        define = [](Engine& engine) {
            WorkflowOptions open;
            open.admit = only_own;
            engine.define("OPEN", invoice, open);
            open.editable = {"read"};
            engine.define("EDITABLE", invoice, open);
            WorkflowOptions internal;
            internal.exposed = false;
            engine.define("INTERNAL", invoice, internal);
        };
        start();
    }

    std::string done(std::string_view workflow, std::string id, std::string organization = "acme") {
        SubmitOptions options;
        options.id = std::move(id);
        options.organization_id = organization;
        auto made = engine().submit<std::string>(workflow, organization + "/1", options);
        made.result();
        return made.id();
    }
    std::string submit(std::string workflow, std::string organization, std::string id,
                       std::string input) {
        belay::detail::Submission submission;
        submission.workflow = std::move(workflow);
        submission.input = std::move(input);
        submission.options.id = std::move(id);
        submission.options.organization_id = std::move(organization);
        return core().submit_from_outside(std::move(submission));
    }
    // What a control request of another process is answered.
    store::Store::Answer ask(std::string kind, std::string run_id, std::string payload) {
        store::ControlRequest request;
        request.kind = std::move(kind);
        request.run_id = std::move(run_id);
        request.payload = std::move(payload);
        request.created_at = sim.clock().now();
        const auto id = reader.ask(request);
        restart();  // requests are read at the start, too
        run_until([&] { return reader.answer(id).has_value(); });
        return reader.answer(id).value();
    }
};

std::string refusal(const std::function<void()>& what, ErrorCode code) {
    try {
        what();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

TEST(Outside, a_workflow_that_is_not_exposed_is_one_that_there_is_not) {
    OutsideBench b;
    const std::string run = b.done("INTERNAL", "july");

    const auto there =
        refusal([&] { b.submit("INTERNAL", "acme", "", "\"acme/1\""); }, ErrorCode::NotFound);
    const auto not_there =
        refusal([&] { b.submit("NOTHING", "acme", "", "\"acme/1\""); }, ErrorCode::NotFound);
    EXPECT_EQ(there.substr(there.find("; there are")),
              not_there.substr(not_there.find("; there are")));
    EXPECT_EQ(there.substr(there.find("; there are")).find("INTERNAL"), std::string::npos);
    refusal([&] { b.core().fork_from_outside(run, {.from = "analyse"}); }, ErrorCode::NotFound);

    EXPECT_EQ(b.engine().fork(run, {.from = "analyse"}).id().empty(), false);
}

TEST(Outside, an_input_is_admitted_by_every_door) {
    OutsideBench b;
    const std::string run = b.done("OPEN", "july");
    const ForkOptions theirs{.input = "\"other/1\""};

    EXPECT_EQ(
        refusal([&] { b.submit("OPEN", "acme", "", "\"other/1\""); }, ErrorCode::InvalidArgument),
        "there is no file other/1");
    refusal([&] { b.core().fork_from_outside(run, theirs); }, ErrorCode::InvalidArgument);
    refusal([&] { b.submit("OPEN", "acme", "", "{}"); }, ErrorCode::BadValue);
    EXPECT_EQ(b.ask("fork", run, fork_request(theirs)).text, "there is no file other/1");
    EXPECT_FALSE(b.ask("submit", "", R"({"workflow":"OPEN","input":"other/1"})").ok);
    EXPECT_FALSE(b.ask("submit", "", R"({"workflow":"INTERNAL","input":"x"})").ok);

    EXPECT_FALSE(b.submit("OPEN", "acme", "", "\"acme/2\"").empty());
    EXPECT_FALSE(b.core().fork_from_outside(run, {.input = "\"acme/2\""}).empty());
}

TEST(Outside, an_output_is_replaced_only_where_the_workflow_says_so) {
    OutsideBench b;
    const std::string closed = b.done("OPEN", "july");
    const std::string open = b.done("EDITABLE", "august");
    const auto with = [](std::string step) {
        ForkOptions options;
        options.outputs[std::move(step)] = "\"forged\"";
        return options;
    };

    const auto why = refusal([&] { b.core().fork_from_outside(closed, with("read")); },
                             ErrorCode::InvalidArgument);
    EXPECT_NE(why.find("`read`"), std::string::npos) << why;
    EXPECT_NE(why.find("no step"), std::string::npos) << why;
    refusal([&] { b.core().fork_from_outside(open, with("analyse")); }, ErrorCode::InvalidArgument);
    // By its path it is the same step.
    refusal([&] { b.core().fork_from_outside(closed, with("1")); }, ErrorCode::InvalidArgument);
    EXPECT_FALSE(b.ask("fork", closed, fork_request(with("read"))).ok);

    EXPECT_FALSE(b.core().fork_from_outside(open, with("read")).empty());
    EXPECT_FALSE(b.ask("fork", open, fork_request(with("1"))).text.empty());
    EXPECT_FALSE(b.engine().fork(closed, with("read")).id().empty());
}

TEST(Outside, an_id_that_one_organization_has_is_free_for_every_other) {
    OutsideBench b;
    const auto acme = b.submit("OPEN", "acme", "july", "\"acme/1\"");
    const auto other = b.submit("OPEN", "other", "july", "\"other/1\"");
    const auto own = b.submit("OPEN", "default", "july", "\"default/1\"");

    EXPECT_NE(acme, other);
    EXPECT_EQ(own, "july");  // the server's own, as the program calls it
    EXPECT_EQ(b.submit("OPEN", "acme", "july", "\"acme/1\""), acme);
    refusal([&] { b.submit("OPEN", "acme", "july", "\"acme/2\""); }, ErrorCode::InputMismatch);
    EXPECT_EQ(b.submit("OPEN", "acme", acme, "\"acme/1\""), acme);
}

TEST(Outside, an_id_that_belay_derives_cannot_be_taken) {
    OutsideBench b;
    const std::string derived = "imgcls_0123456789abcdef0123456789abcdef";
    const std::string child = b.done("OPEN", "july") + "/1";

    for (const std::string& id : {derived, child}) {
        EXPECT_NE(b.submit("OPEN", "other", id, "\"other/1\""), id);
        EXPECT_NE(b.submit("OPEN", "default", id, "\"default/1\""), id);
        EXPECT_NE(b.core().fork_from_outside("july", {.from = "read", .id = id}), id);
        EXPECT_FALSE(b.reader.find_run(id)) << id;
    }
    // One that the organization has already is its own.
    b.done("OPEN", derived, "other");
    EXPECT_EQ(b.submit("OPEN", "other", derived, "\"other/1\""), derived);
    EXPECT_NE(b.submit("OPEN", "acme", derived, "\"acme/1\""), derived);
}

TEST(Outside, a_message_reaches_the_run_that_its_organization_will_call_so) {
    OutsideBench b;
    const std::string payload =
        R"({"topic":"t","payload":"1","dedupe_key":"","organization_id":"acme"})";
    b.done("OPEN", "july", "other");

    EXPECT_TRUE(b.ask("send", "july", payload).ok);  // as if the other's were not there

    const auto acme = b.submit("OPEN", "acme", "july", "\"acme/1\"");
    EXPECT_EQ(b.reader.messages(acme, 10).size(), 1U);
    EXPECT_TRUE(b.reader.messages("july", 10).empty());
}

TEST(Outside, what_was_accepted_without_the_code_is_admitted_where_it_is) {
    OutsideBench b;
    const auto without_code = [&](std::string workflow, std::string input) {
        SubmitOptions options;
        options.organization_id = "acme";
        options.source_channel = std::string(kUnadmitted) + "cli";
        return b.engine().submit<std::string>(workflow, input, options);
    };
    EXPECT_EQ(without_code("OPEN", "acme/1").result(), "total in text of acme/1");

    const auto refused = without_code("OPEN", "other/1");
    refusal([&] { refused.result(); }, ErrorCode::RunFailed);
    EXPECT_EQ(b.reader.find_run(refused.id())->failure->message, "there is no file other/1");
    EXPECT_TRUE(b.reader.stages(b.reader.find_run(refused.id())->no).empty());
    // A retry does not get in either.
    b.engine().retry(refused.id());
    refusal([&] { refused.result(); }, ErrorCode::RunFailed);
    refusal([&] { without_code("INTERNAL", "acme/1").result(); }, ErrorCode::RunFailed);
}

TEST(Outside, a_fork_of_what_nobody_admitted_is_asked_about_as_well) {
    OutsideBench b;
    SubmitOptions options;
    options.organization_id = "acme";
    options.source_channel = std::string(kUnadmitted) + "cli";
    const auto refused = b.engine().submit<std::string>("OPEN", std::string("other/1"), options);
    refusal([&] { refused.result(); }, ErrorCode::RunFailed);

    for (const std::string& fork :
         {b.core().fork_from_outside(refused.id(), {}), b.engine().fork(refused.id(), {}).id()}) {
        const auto run = b.engine().find<std::string>(fork);
        refusal([&] { run.result(); }, ErrorCode::RunFailed);
        const model::Run ended = b.reader.find_run(fork).value();
        ASSERT_TRUE(ended.failure.has_value());
        EXPECT_EQ(ended.failure->message, "there is no file other/1");
        EXPECT_TRUE(b.reader.stages(ended.no).empty());
    }
    // With an input that was let in it is like any other.
    const auto good = b.core().fork_from_outside(refused.id(), {.input = "\"acme/1\""});
    EXPECT_EQ(b.engine().find<std::string>(good).result(), "total in text of acme/1");
}

TEST(Outside, a_fork_is_left_to_its_first_claim_where_its_workflow_is_not_defined) {
    OutsideBench b;
    const std::string run = b.done("EDITABLE", "july");
    const auto fork = [&](const ForkOptions& options) {
        return fork_from_outside(b.reader, {}, "default", {run, options, "made-up"}, "v1");
    };

    const store::Submit made = fork({.input = "\"other/1\""});
    EXPECT_TRUE(made.run.source_channel.starts_with(kUnadmitted));
    EXPECT_EQ(made.run.code_version, "");
    ForkOptions edited;
    edited.outputs["read"] = "\"forged\"";
    refusal([&] { fork(edited); }, ErrorCode::InvalidArgument);
}

TEST(Outside, what_no_worker_defines_is_refused_at_once) {
    OutsideBench b;
    belay::detail::Submission submission;
    submission.workflow = "NOTHING";
    EXPECT_FALSE(leave_to_first_claim(b.reader, b.core().workflows(), submission));
    submission.workflow = "OPEN";
    EXPECT_FALSE(leave_to_first_claim(b.reader, b.core().workflows(), submission));
    // To a process that defines nothing, those of the worker that is there are known.
    b.done("OPEN", "july");
    EXPECT_TRUE(leave_to_first_claim(b.reader, {}, submission));
    EXPECT_TRUE(submission.options.source_channel.starts_with(kUnadmitted));
    submission.workflow = "NOTHING";
    EXPECT_FALSE(leave_to_first_claim(b.reader, {}, submission));
}

TEST(Outside, a_schedule_that_the_code_did_not_declare_is_asked_about) {
    OutsideBench b;
    const auto set = [&](std::string name, std::string workflow, std::string input) {
        belay::detail::ScheduleRequest request;
        request.what = belay::detail::ScheduleRequest::What::Set;
        request.name = std::move(name);
        request.workflow = std::move(workflow);
        request.input = std::move(input);
        request.options.cron = "0 * * * *";
        request.options.organization_id = "acme";
        return b.ask(kScheduleRequest, "", to_payload(request));
    };
    EXPECT_EQ(set("theirs", "OPEN", "\"other/1\"").text, "there is no file other/1");
    EXPECT_FALSE(set("internal", "INTERNAL", "\"acme/1\"").ok);
    EXPECT_FALSE(set("wrong", "OPEN", "7").ok);
    EXPECT_TRUE(set("fine", "OPEN", "\"acme/1\"").ok);
    // A store can be written while nobody executes on it: then it is found at the start, and does not fire.
    b.engine().schedule("own", "INTERNAL", std::string("acme/1"), {.cron = "0 * * * *"});
    const auto declared = b.reader.schedules();
    for (const auto& one : declared) {
        EXPECT_EQ(is_declared(one), one.schedule.name == "own") << one.schedule.name;
        auto changed = one;
        changed.schedule.input = "\"other/1\"";
        EXPECT_FALSE(is_declared(changed));
    }
}

}  // namespace
}  // namespace belay::engine
