#include "core/store/sealed_store.hpp"

#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/utf8.hpp"
#include "core/store/failure_of.hpp"
#include "core/store/sealed_text.hpp"

namespace belay::store {

// What of each noun is sealed, and how hooks and bodies see none of it.
class SealedStore::Sealer {
public:
    explicit Sealer(const Seal& seal) : seal_(seal) {}

    // ---- values

    void json(std::string& value) const {
        if (!value.empty()) value = sealed_json(seal_, value);
    }
    void json(std::optional<std::string>& value) const {
        if (value) json(*value);
    }
    void text(std::string& value) const {
        if (!value.empty()) value = sealed_text(seal_, value);
    }
    void open(std::string& value) const { value = opened(seal_, std::move(value)); }
    void open(std::optional<std::string>& value) const {
        if (value) open(*value);
    }

    // ---- nouns on their way in

    void close(model::NewRun& run) const { json(run.input); }
    void close(model::NewMessage& message) const { json(message.payload); }
    void close(std::optional<model::Progress>& progress) const {
        if (progress) text(progress->text);
    }
    void close(std::optional<model::Failure>& failure) const {
        if (failure) text(failure->message);
    }
    void close(model::Stage& stage) const {
        text(stage.message);
        // Until it is over, the record of a child says which run it is, and that the store has to read.
        const bool is_id =
            stage.kind == model::StageKind::Child && stage.status != StageStatus::Succeeded;
        if (!is_id) json(stage.output);
    }
    template <class Each>
    void close(std::vector<Each>& all) const {
        for (Each& each : all) close(each);
    }
    void close(model::Attempt& attempt) const { text(attempt.message); }
    // What the code declared is only compared with what it declared before.
    void close(model::Schedule& schedule, std::string& declared) const {
        json(schedule.input);
        if (!declared.empty()) declared = known_by(sealed_text(seal_, declared));
    }

    // ---- and out

    void open(model::Run& run) const {
        open(run.input);
        open(run.result);
        open(run.continued_input);
        open(run.request_reason);
        open(run.undo_plan);
        if (run.failure) open(run.failure->message);
        if (run.progress) open(run.progress->text);
    }
    void open(std::optional<model::Run>& run) const {
        if (run) open(*run);
    }
    void open(model::Stage& stage) const {
        open(stage.message);
        open(stage.output);
    }
    void open(model::Attempt& attempt) const { open(attempt.message); }
    void open(model::Message& message) const {
        open(message.payload);
        open(message.misfit);
    }
    void open(model::StoredSchedule& stored) const { open(stored.schedule.input); }
    template <class Each>
    void open(std::vector<Each>& all) const {
        for (Each& each : all) open(each);
    }
    // A run that was submitted before its store was sealed has a plain input, which no fingerprint is like.
    void open(SubmitOutcome& outcome, const model::NewRun& asked) const {
        open(outcome.run);
        if (outcome.kind == SubmitKind::Mismatch && outcome.run.no != RunNo{} &&
            outcome.run.workflow_key == asked.workflow_key && outcome.run.input == asked.input)
            outcome.kind = SubmitKind::Joined;
    }

    // ---- what the store calls

    TxBody body(TxBody inner, bool returns_value) const {
        if (!inner) return {};
        return [this, inner = std::move(inner), returns_value](SqlTx& tx) {
            Inside inside{*this, tx};
            std::string value = inner(inside);
            if (returns_value) json(value);
            return value;
        };
    }
    // The store itself records what a hook at a run's start throws.
    std::function<TxBody(const model::Run&)> hook(
        std::function<TxBody(const model::Run&)> inner) const {
        if (!inner) return {};
        return [this, inner = std::move(inner)](const model::Run& stored) {
            model::Run run = stored;
            open(run);
            TxBody made = inner(run);
            if (!made) return TxBody{};
            return TxBody{[this, made = std::move(made)](SqlTx& tx) {
                Inside inside{*this, tx};
                try {
                    return made(inside);
                } catch (const Error& error) {
                    if (error.code() == ErrorCode::StoreUnavailable) throw;
                    throw Error(error.code(), in_a_message(error.what()));
                } catch (const std::exception& error) {
                    throw std::runtime_error(in_a_message(error.what()));
                }
            }};
        };
    }
    Rider rider(const Rider& given, bool answers_sealed) const {
        if (!given.body) return given;
        Rider made = given;
        made.body = [this, inner = given.body, answers_sealed](SqlTx& tx, const Ridden& ridden) {
            Inside inside{*this, tx};
            Ridden told = ridden;
            std::optional<model::Run> run;
            std::optional<model::StoredSchedule> schedule;
            if (ridden.run != nullptr) {
                run = *ridden.run;
                open(*run);
                told.run = &*run;
            }
            if (ridden.schedule != nullptr) {
                schedule = *ridden.schedule;
                open(*schedule);
                told.schedule = &*schedule;
            }
            std::string text = inner(inside, told);
            if (answers_sealed) json(text);
            return text;
        };
        return made;
    }

    // ---- requests of other processes: who sealed what it asked can read an answer that is sealed

    void took(ControlRequest& request) {
        if (request.payload.find(kSealedMark) == std::string::npos) return;
        open(request.payload);
        const std::lock_guard lock{mutex_};
        sealed_requests_.insert(request.id);
    }
    bool is_sealed(std::int64_t request) const {
        const std::lock_guard lock{mutex_};
        return sealed_requests_.contains(request);
    }
    void answered(std::int64_t request) {
        const std::lock_guard lock{mutex_};
        sealed_requests_.erase(request);
    }

private:
    // A body's transaction: what it submits and sends is sealed, its own SQL is not.
    class Inside final : public SqlTx {
    public:
        Inside(const Sealer& sealer, SqlTx& tx) : sealer_(sealer), tx_(tx) {}

        SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override {
            return tx_.run(sql, parameters);
        }
        SubmitOutcome submit(const model::NewRun& asked, bool retry_failed) override {
            model::NewRun run = asked;
            sealer_.close(run);
            SubmitOutcome outcome = tx_.submit(run, retry_failed);
            sealer_.open(outcome, asked);
            return outcome;
        }
        SendResult send(const model::NewMessage& asked, std::string& why) override {
            model::NewMessage message = asked;
            sealer_.close(message);
            return tx_.send(message, why);
        }

    private:
        const Sealer& sealer_;
        SqlTx& tx_;
    };

    // Sealed it is a third longer, and nobody may cut it afterwards.
    std::string in_a_message(std::string_view text) const {
        return sealed_text(seal_,
                           base::truncate(base::to_valid_utf8(text), base::kMessageCharsMax / 2));
    }

    const Seal& seal_;
    mutable std::mutex mutex_;
    std::set<std::int64_t> sealed_requests_;
};

namespace {

// Of each verb: what is sealed of the copy that is committed, and what of that the asker is told.
template <class Sealer>
struct Verbs {
    Sealer& sealer;

    // ---- before

    void close(Submit& verb) {
        sealer.close(verb.run);
        sealer.close(verb.stages);
        sealer.close(verb.attempts);
        verb.on_start = sealer.body(std::move(verb.on_start), false);
        close_rider(verb.rider);
    }
    void close(Record& verb) {
        sealer.close(verb.stage);
        sealer.close(verb.attempts);
        sealer.close(verb.progress);
        sealer.close(verb.skipped);
        verb.body = sealer.body(std::move(verb.body), true);
    }
    void close(End& verb) {
        sealer.json(verb.result);
        sealer.close(verb.failure);
        sealer.close(verb.progress);
        verb.on_end = sealer.body(std::move(verb.on_end), false);
    }
    void close(Wait& verb) { sealer.close(verb.progress); }
    void close(Release& verb) { sealer.json(verb.anew_with); }
    void close(Await& verb) {
        sealer.close(verb.stage);
        if (verb.start) sealer.close(*verb.start);
        if (!verb.misfit) return;
        verb.misfit = [&sealer = sealer, inner = std::move(verb.misfit)](std::string_view record) {
            std::string plain{record};
            sealer.open(plain);
            std::string why = inner(plain);
            sealer.text(why);
            return why;
        };
    }
    void close(Look&) {}
    void close(Send& verb) {
        sealer.close(verb.message);
        close_rider(verb.rider);
    }
    void close(Claim& verb) {
        verb.on_start = sealer.hook(std::move(verb.on_start));
        verb.on_end = sealer.hook(std::move(verb.on_end));
    }
    void close(Reclaim&) {}
    void close(Load&) {}
    void close(Control& verb) {
        sealer.text(verb.reason);
        verb.on_end = sealer.hook(std::move(verb.on_end));
        close_rider(verb.rider);
    }
    void close(TakeRequests&) {}
    void close(AnswerRequest& verb) {
        if (sealer.is_sealed(verb.id)) sealer.json(verb.answer);
    }
    void close(MarkStalled&) {}
    void close(Transact& verb) {
        verb.body = sealer.body(std::move(verb.body), false);
        close_rider(verb.rider);
    }
    void close(NoteSaved&) {}
    void close(Prune&) {}
    void close(ChangeQueue& verb) { close_rider(verb.rider); }
    void close(ChangeSchedule& verb) {
        sealer.close(verb.schedule, verb.declared);
        close_rider(verb.rider);
    }
    void close(ReadSchedules&) {}
    void close(Tick&) {}
    void close(NoteDeath&) {}
    void close(Say& verb) {
        for (auto& [name, value] : verb.said.exposed) sealer.json(value);
    }
    void close(Wake&) {}
    void close(Undo& verb) { sealer.json(verb.plan); }
    // Names and amounts are plain, as labels are.
    void close(Reserve&) {}
    void close(ChangeBudget& verb) { close_rider(verb.rider); }

    // ---- after: `asked` is the asker's own, `done` the copy that was committed

    void tell(Submit& asked, Submit& done) {
        asked.outcome = std::move(done.outcome);
        if (auto* outcome = std::get_if<SubmitOutcome>(&asked.outcome))
            sealer.open(*outcome, asked.run);
        tell_rider(asked.rider, done.rider);
    }
    void tell(Record& asked, Record& done) {
        asked.outcome = std::move(done.outcome);
        if (!asked.body) return;
        asked.stage.output = std::move(done.stage.output);
        sealer.open(asked.stage.output);
    }
    void tell(End& asked, End& done) { asked.outcome = std::move(done.outcome); }
    void tell(Wait& asked, Wait& done) {
        asked.outcome = std::move(done.outcome);
        asked.signals = done.signals;
    }
    void tell(Release& asked, Release& done) { asked.outcome = std::move(done.outcome); }
    void tell(Await& asked, Await& done) {
        asked.outcome = std::move(done.outcome);
        asked.stage = std::move(done.stage);
        sealer.open(asked.stage);
        asked.came = done.came;
        asked.started = done.started;
        asked.signals = done.signals;
    }
    void tell(Look& asked, Look& done) { asked = std::move(done); }
    void tell(Send& asked, Send& done) {
        asked.outcome = done.outcome;
        asked.why = std::move(done.why);
        asked.lost = std::move(done.lost);
        tell_rider(asked.rider, done.rider);
    }
    void tell(Claim& asked, Claim& done) {
        asked.outcome = std::move(done.outcome);
        sealer.open(asked.outcome.claimed);
        sealer.open(asked.outcome.ended);
    }
    void tell(Reclaim& asked, Reclaim& done) {
        asked.outcome = std::move(done.outcome);
        sealer.open(asked.outcome);
    }
    void tell(Load& asked, Load& done) {
        asked.outcome = std::move(done.outcome);
        for (auto& stages : asked.outcome) sealer.open(stages);
    }
    void tell(Control& asked, Control& done) {
        asked.outcome = done.outcome;
        asked.run = std::move(done.run);
        sealer.open(asked.run);
        asked.why = std::move(done.why);
        sealer.open(asked.why);
        asked.lost = std::move(done.lost);
        tell_rider(asked.rider, done.rider);
    }
    void tell(TakeRequests& asked, TakeRequests& done) {
        asked.outcome = std::move(done.outcome);
        for (ControlRequest& request : asked.outcome) sealer.took(request);
    }
    void tell(AnswerRequest& asked, AnswerRequest&) { sealer.answered(asked.id); }
    void tell(MarkStalled& asked, MarkStalled& done) { asked.lost = std::move(done.lost); }
    void tell(Transact& asked, Transact& done) {
        asked.outcome = std::move(done.outcome);
        tell_rider(asked.rider, done.rider);
    }
    void tell(NoteSaved& asked, NoteSaved& done) { asked.outcome = std::move(done.outcome); }
    void tell(Prune& asked, Prune& done) {
        asked.outcome = std::move(done.outcome);
        asked.lost = std::move(done.lost);
    }
    void tell(ChangeQueue& asked, ChangeQueue& done) {
        asked.outcome = done.outcome;
        asked.why = std::move(done.why);
        asked.lost = std::move(done.lost);
        tell_rider(asked.rider, done.rider);
    }
    void tell(ChangeSchedule& asked, ChangeSchedule& done) {
        asked.outcome = done.outcome;
        asked.why = std::move(done.why);
        asked.lost = std::move(done.lost);
        asked.stands = std::move(done.stands);
        if (asked.stands) sealer.open(*asked.stands);
        tell_rider(asked.rider, done.rider);
    }
    void tell(ReadSchedules& asked, ReadSchedules& done) {
        asked.outcome = std::move(done.outcome);
        sealer.open(asked.outcome);
    }
    void tell(Tick& asked, Tick& done) {
        asked.done = done.done;
        asked.started = std::move(done.started);
        for (SubmitOutcome& started : asked.started) sealer.open(started.run);
        asked.stands = std::move(done.stands);
        sealer.open(asked.stands);
    }
    void tell(NoteDeath& asked, NoteDeath& done) { asked.charged = std::move(done.charged); }
    void tell(Say& asked, Say& done) { asked.outcome = std::move(done.outcome); }
    void tell(Wake&, Wake&) {}
    void tell(Undo& asked, Undo& done) {
        asked.outcome = std::move(done.outcome);
        asked.open = std::move(done.open);
    }
    void tell(Reserve& asked, Reserve& done) {
        asked.outcome = std::move(done.outcome);
        asked.reached = std::move(done.reached);
    }
    void tell(ChangeBudget& asked, ChangeBudget& done) {
        asked.outcome = done.outcome;
        asked.why = std::move(done.why);
        asked.lost = std::move(done.lost);
        tell_rider(asked.rider, done.rider);
    }

private:
    void close_rider(Rider& rider) {
        const bool sealed = rider.request != 0 && sealer.is_sealed(rider.request);
        rider = sealer.rider(rider, sealed);
    }
    void tell_rider(Rider& asked, Rider& done) { asked.failed = std::move(done.failed); }
};

}  // namespace

SealedStore::SealedStore(std::unique_ptr<Store> inner, std::shared_ptr<const Seal> seal)
    : inner_(std::move(inner)), seal_(std::move(seal)), sealer_(std::make_unique<Sealer>(*seal_)) {}

SealedStore::~SealedStore() = default;

void SealedStore::commit(Batch& batch) {
    Verbs<Sealer> verbs{*sealer_};
    Batch sealed{batch.now, batch.verbs, {}};
    for (Verb& verb : sealed.verbs) std::visit([&](auto& each) { verbs.close(each); }, verb);
    inner_->commit(sealed);
    for (std::size_t i = 0; i < batch.verbs.size(); ++i) {
        std::visit(
            [&](auto& asked) {
                using V = std::remove_reference_t<decltype(asked)>;
                verbs.tell(asked, std::get<V>(sealed.verbs[i]));
            },
            batch.verbs[i]);
    }
    batch.woken = std::move(sealed.woken);
}

std::optional<model::Run> SealedStore::find_run(std::string_view id) {
    auto run = inner_->find_run(id);
    sealer_->open(run);
    return run;
}

std::optional<model::Run> SealedStore::find_run(RunNo no) {
    auto run = inner_->find_run(no);
    sealer_->open(run);
    return run;
}

std::vector<model::Run> SealedStore::ended_of(const std::vector<std::string>& ids) {
    auto runs = inner_->ended_of(ids);
    sealer_->open(runs);
    return runs;
}

RunPage SealedStore::list_runs(const RunFilter& filter) {
    RunPage page = inner_->list_runs(filter);
    sealer_->open(page.runs);
    return page;
}

std::vector<model::Stage> SealedStore::stages(RunNo run) {
    auto stages = inner_->stages(run);
    sealer_->open(stages);
    return stages;
}

std::vector<model::Attempt> SealedStore::attempts(RunNo run) {
    auto attempts = inner_->attempts(run);
    sealer_->open(attempts);
    return attempts;
}

std::vector<model::StoredSchedule> SealedStore::schedules() {
    auto schedules = inner_->schedules();
    sealer_->open(schedules);
    return schedules;
}

std::vector<model::Message> SealedStore::messages(std::string_view run_id, int limit) {
    auto messages = inner_->messages(run_id, limit);
    sealer_->open(messages);
    return messages;
}

std::optional<Store::Cached> SealedStore::find_cached(std::string_view key, Time now) {
    auto cached = inner_->find_cached(key, now);
    if (cached) sealer_->open(cached->output);
    return cached;
}

std::map<std::string, std::string> SealedStore::exposed(RunNo run) {
    auto exposed = inner_->exposed(run);
    for (auto& [name, value] : exposed) sealer_->open(value);
    return exposed;
}

std::vector<ControlRequest> SealedStore::questions(Time since) {
    auto questions = inner_->questions(since);
    for (ControlRequest& question : questions) sealer_->took(question);
    return questions;
}

std::int64_t SealedStore::ask(const ControlRequest& request) {
    ControlRequest sealed = request;
    sealer_->json(sealed.payload);
    return inner_->ask(sealed);
}

std::optional<Store::Answer> SealedStore::answer(std::int64_t request_id) {
    auto answer = inner_->answer(request_id);
    if (answer) sealer_->open(answer->text);
    return answer;
}

}  // namespace belay::store
