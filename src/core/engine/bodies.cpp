#include "core/engine/bodies.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>
#include <belay/tx.hpp>

#include "core/base/hash.hpp"
#include "core/base/limits.hpp"
#include "core/engine/body_news.hpp"
#include "core/engine/expected.hpp"
#include "core/engine/input.hpp"
#include "core/engine/inside.hpp"
#include "core/engine/new_run.hpp"
#include "core/store/batch.hpp"
#include "core/store/child_end.hpp"

namespace belay::engine {
namespace {

RunInfo info_of(const model::Run& run) {
    RunInfo info;
    info.id = run.id;
    info.workflow_key = run.workflow_key;
    info.organization_id = run.organization_id;
    info.file_id = run.file_id;
    info.input = run.input;
    info.status = run.status;
    if (run.result) info.result = *run.result;
    if (run.failure) {
        info.error = run.failure->message;
        info.error_stage = run.failure->stage;
    }
    return info;
}

// The place of a run's on_end hook. A run that was retried ends again, and what its hook starts then is
// another run.
std::string end_place(std::int64_t run_attempts) {
    return run_attempts <= 1 ? "on_end" : fmt::format("on_end:{}", run_attempts);
}

}  // namespace

class Bodies::EngineTx final : public belay::detail::TxPort {
public:
    EngineTx(Bodies& bodies, store::SqlTx& sql, const Owner& owner, News& news)
        : bodies_(bodies), sql_(sql), owner_(owner), news_(news) {}

    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override {
        return sql_.run(sql, parameters);
    }

    std::string submit(std::string_view workflow, std::string input,
                       const SubmitOptions& options) override {
        return submit(workflow, std::move(input), options, model::RunNo{}, "");
    }

    std::string submit_child(std::string_view workflow, std::string input,
                             const SubmitOptions& options, const std::string& path) override {
        return submit(workflow, std::move(input), options, owner_.lease.run, path);
    }

    std::string submit(std::string_view workflow, std::string input, const SubmitOptions& options,
                       model::RunNo parent, const std::string& path) {
        check_new_run(bodies_.workflows_, workflow, input, options);
        std::string id = options.id.empty()
                             ? derived_id(owner_.name.empty() ? owner_.run_id : owner_.name,
                                          fmt::format("{}/{}", owner_.place, ++submissions_))
                             : "";
        model::NewRun run = new_run(workflow, std::move(input), options, std::move(id),
                                    owner_.organization_id, bodies_.options_.code_version, now());
        run.parent = parent;
        if (parent) run.parent_path = path;
        const store::SubmitOutcome outcome = sql_.submit(run, options.retry);
        if (outcome.kind == store::SubmitKind::UnknownQueue) {
            throw Error(ErrorCode::NotFound, store::unknown_queue(run.queue));
        }
        if (outcome.kind == store::SubmitKind::Mismatch) {
            throw Error(
                ErrorCode::InputMismatch,
                fmt::format("a run with id `{}` exists with another workflow or another input",
                            outcome.run.id));
        }
        if (outcome.kind == store::SubmitKind::Deleted) throw deleted_error(outcome.run);
        bodies_.submitted_ = true;
        if (outcome.kind == store::SubmitKind::Created) {
            Event& event = tell("run_submitted");
            event.organization_id = run.organization_id;
            event.run_id = run.id;
            event.workflow_key = run.workflow_key;
            event.status = to_string(outcome.run.status);
        }
        return outcome.run.id;
    }

    void send(const std::string& run_id, std::string_view topic, std::string payload,
              const SendOptions& options) override {
        const model::NewMessage message =
            new_message(run_id, topic, std::move(payload), options, owner_.organization_id, now());
        std::string why = bodies_.expected_.misfit(message);
        if (!why.empty()) throw Error(ErrorCode::InvalidArgument, why);
        if (sql_.send(message, why) == store::SendResult::Refused)
            throw Error(ErrorCode::InvalidArgument, why);
    }

    void publish(std::string_view type, std::string data, const PublishOptions& options) override {
        check_event(type, data);
        Event& event = tell(type);
        event.organization_id =
            options.organization_id.empty() ? owner_.organization_id : options.organization_id;
        if (!owner_.workflow_key.empty()) event.run_id = owner_.run_id;
        event.workflow_key = owner_.workflow_key;
        event.data = std::move(data);
    }

    const std::string& run_id() const override { return owner_.run_id; }
    Time now() const override { return bodies_.clock_.now(); }

private:
    static void check_event(std::string_view type, const std::string& data) {
        const auto allowed = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '_' || c == '-' || c == '.';
        };
        if (type.empty() || type.size() > base::kEventTypeCharsMax ||
            !std::all_of(type.begin(), type.end(), allowed)) {
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("the type of an event has 1 to {} letters, digits, '_', '-' "
                                    "and '.'; `{}` is none",
                                    base::kEventTypeCharsMax, type));
        }
        if (data.size() > base::kPublishBytesMax) {
            throw Error(ErrorCode::PayloadTooLarge,
                        fmt::format("event `{}` has {} bytes of JSON; one event takes at most {}. "
                                    "Publish where the "
                                    "data is, not the data.",
                                    type, data.size(), base::kPublishBytesMax));
        }
    }

    Event& tell(std::string_view type) {
        if (!news_) news_ = std::make_shared<std::vector<Event>>();
        Event& event = news_->emplace_back();
        event.type = type;
        return event;
    }

    Bodies& bodies_;
    store::SqlTx& sql_;
    const Owner& owner_;
    News& news_;
    int submissions_ = 0;
};

// What the stores call: one of three things, and what it told.
struct Bodies::Body {
    Bodies* bodies;
    Owner owner;
    std::shared_ptr<belay::detail::Work> work{};  // the commit part of this step,
    const Hook* hook = nullptr;                   // or a hook,
    std::shared_ptr<const RunInfo> info{};      // told this (shared: a body is copied as a whole),
    std::function<std::string(Tx&)> program{};  // or a transaction of the program's own
    News news{};

    std::string operator()(store::SqlTx& sql) {
        if (news) news->clear();
        EngineTx port{*bodies, sql, owner, news};
        Tx tx{port};
        if (program) return program(tx);
        const Inside inside{bodies, Inside::Where::Body};
        const belay::detail::Executing executing(
            bodies->box_, owner.lease.run.value, owner.lease.epoch,
            work ? std::string_view(work->call.name) : owner.place);
        if (hook != nullptr) {
            run_hook(tx);
            return {};
        }
        std::string output = work->commit(tx);
        if (output.size() > base::kPayloadBytesMax) {
            throw Error(
                ErrorCode::PayloadTooLarge,
                fmt::format("step `{}` returned {} bytes of JSON; a checkpoint takes at most {}",
                            work->call.name, output.size(), base::kPayloadBytesMax));
        }
        return output;
    }

private:
    // Hooks read the run's input themselves, and the codec does not know whose value it is that does not fit.
    void run_hook(Tx& tx) const {
        try {
            (*hook)(tx, *info);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::BadValue)
                check_input(bodies->workflows_, info->workflow_key, info->input);
            throw;
        }
    }
};

void Bodies::check(std::string_view workflow, const std::string& input,
                   const SubmitOptions& options) const {
    check_new_run(workflows_, workflow, input, options);
}

void Bodies::check_fork(const ForkOptions& options, const model::NewRun& fork) const {
    SubmitOptions as_submitted;
    as_submitted.source_channel = fork.source_channel;
    check(fork.workflow_key, fork.input, as_submitted);
    if (!options.input || !workflows_.contains(fork.workflow_key)) return;
    const Inside inside{this, Inside::Where::Workflow};
    check_input(workflows_, fork.workflow_key, fork.input);
}

store::TxBody Bodies::of_step(std::shared_ptr<belay::detail::Work> work,
                              const store::Lease& lease) {
    const auto& shared = *work->call.run_shared;
    Body body{this,
              {shared.id, fmt::format("{}:{}", work->call.path, work->call.name),
               shared.organization_id, shared.name(), shared.workflow_key, lease}};
    body.work = std::move(work);
    return body;
}

store::TxBody Bodies::on_start(const model::Run& run, News news) {
    const auto workflow = workflows_.find(run.workflow_key);
    if (workflow == workflows_.end()) return {};
    model::Run started = run;
    started.status = RunStatus::Running;
    return of_hook(workflow->second->options.on_start, started, "on_start", std::move(news));
}

store::TxBody Bodies::on_end(const model::Run& run, News news) {
    const auto workflow = workflows_.find(run.workflow_key);
    if (workflow == workflows_.end()) return {};
    return of_hook(workflow->second->options.on_end, run, end_place(run.attempts), std::move(news));
}

store::TxBody Bodies::of_program(std::function<std::string(Tx&)> function, std::string name) {
    Body body{this, {std::move(name), "transact", options_.organization_id, "", "", {}}};
    body.program = std::move(function);
    return body;
}

store::TxBody Bodies::of_hook(const Hook& hook, const model::Run& run, std::string place,
                              News news) {
    if (!hook) return {};
    Body body{
        this,
        {run.id, std::move(place), run.organization_id, "", run.workflow_key, {run.no, run.epoch}}};
    body.hook = &hook;
    body.info = std::make_shared<const RunInfo>(info_of(run));
    body.news = std::move(news);
    return body;
}

const std::vector<Event>* Bodies::news(const store::TxBody& body) {
    const auto* ours = body.target<Body>();
    return ours == nullptr ? nullptr : ours->news.get();
}

const std::vector<Event>* news_of(const store::TxBody& body) { return Bodies::news(body); }

const std::vector<Event>* news_of(const std::function<store::TxBody(const model::Run&)>& hooks,
                                  model::RunNo run) {
    const auto* ours = hooks.target<HookMaker>();
    return ours == nullptr ? nullptr : ours->news_of(run);
}

store::TxBody HookMaker::operator()(const model::Run& run) {
    auto news = std::make_shared<std::vector<Event>>();
    store::TxBody body =
        which_ == Which::Start ? bodies_->on_start(run, news) : bodies_->on_end(run, news);
    if (body) made_.emplace_back(run.no, std::move(news));
    return body;
}

const std::vector<Event>* HookMaker::news_of(model::RunNo run) const {
    // The last one: a store that redoes its batch asks again.
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
        if (made->first == run) return made->second.get();
    }
    return nullptr;
}

}  // namespace belay::engine
