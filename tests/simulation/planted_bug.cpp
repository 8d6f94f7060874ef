#include "simulation/planted_bug.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <belay/codec.hpp>

#include "core/model/undo.hpp"

namespace belay::test {
namespace {

template <class Verb>
concept HasLease = requires(Verb& verb) {
    verb.lease;
};

void use_newest_epochs(store::Store& inner, store::Batch& batch) {
    for (store::Verb& verb : batch.verbs) {
        std::visit(
            [&](auto& any) {
                if constexpr (HasLease<std::remove_cvref_t<decltype(any)>>) {
                    if (const auto run = inner.find_run(any.lease.run))
                        any.lease.epoch = run->epoch;
                }
            },
            verb);
    }
    inner.commit(batch);
}

// Commits the batch without its first verb of that kind, and says that it was applied.
template <class Verb, class Answer>
void leave_out(store::Store& inner, store::Batch& batch, Answer answer) {
    for (auto at = batch.verbs.begin(); at != batch.verbs.end(); ++at) {
        auto* found = std::get_if<Verb>(&*at);
        if (found == nullptr) continue;
        Verb verb = *found;
        const auto position = at - batch.verbs.begin();
        batch.verbs.erase(at);
        inner.commit(batch);
        answer(verb);
        batch.verbs.insert(batch.verbs.begin() + position, std::move(verb));
        return;
    }
    inner.commit(batch);
}

void forget_last_stage(store::Store& inner, store::Batch& batch) {
    inner.commit(batch);
    for (store::Verb& verb : batch.verbs) {
        auto* load = std::get_if<store::Load>(&verb);
        if (load == nullptr) continue;
        for (auto& stages : load->outcome) {
            if (!stages.empty() && stages.back().status == StageStatus::Succeeded)
                stages.pop_back();
        }
    }
}

void run_bodies_twice(store::Store& inner, store::Batch& batch) {
    for (store::Verb& verb : batch.verbs) {
        auto* record = std::get_if<store::Record>(&verb);
        if (record == nullptr || !record->body) continue;
        record->body = [body = record->body](store::SqlTx& tx) {
            body(tx);
            return body(tx);
        };
    }
    inner.commit(batch);
}

void keep_read_messages(store::Store& inner, store::Batch& batch) {
    inner.commit(batch);
    store::Batch again;
    again.now = batch.now;
    for (store::Verb& verb : batch.verbs) {
        const auto* await = std::get_if<store::Await>(&verb);
        if (await == nullptr || !await->came || await->topic.empty() || !await->stage.output)
            continue;
        const std::string& output = *await->stage.output;  // [payload]
        if (output.size() <= 2) continue;
        store::Send send;
        const auto run = inner.find_run(await->lease.run);
        send.message.run_id = run->id;
        send.message.organization_id = run->organization_id;
        send.message.topic = await->topic;
        send.message.payload = output.substr(1, output.size() - 2);
        again.verbs.emplace_back(std::move(send));
    }
    if (!again.verbs.empty()) inner.commit(again);
}

void wait_without_recheck(store::Store& inner, store::Batch& batch) {
    for (store::Verb& verb : batch.verbs) {
        auto* wait = std::get_if<store::Wait>(&verb);
        if (wait == nullptr) continue;
        if (const auto run = inner.find_run(wait->lease.run)) wait->signals = run->signals;
    }
    inner.commit(batch);
}

void widen_queues(store::Store& inner, store::Batch& batch) {
    for (store::Verb& verb : batch.verbs) {
        auto* change = std::get_if<store::ChangeQueue>(&verb);
        if (change != nullptr && change->queue.limits.concurrency)
            ++*change->queue.limits.concurrency;
    }
    inner.commit(batch);
}

// Lists at one sweep and deletes at the next, as two workers do whose reads and writes interleave: what is running
// again by then goes as well.
class PruneByOldList {
public:
    void operator()(store::Store& inner, store::Batch& batch) {
        for (store::Verb& verb : batch.verbs) {
            if (std::holds_alternative<store::Prune>(verb)) sweep(inner, batch.now);
        }
        inner.commit(batch);
        for (store::Verb& verb : batch.verbs) {
            auto* prune = std::get_if<store::Prune>(&verb);
            if (prune == nullptr) continue;
            for (model::Run& run : deleted_) prune->outcome.deleted.push_back(std::move(run));
            deleted_.clear();
        }
    }

private:
    void sweep(store::Store& inner, Time now) {
        for (const std::string& id : listed_) {
            const auto run = inner.find_run(id);
            if (!run) continue;
            store::Batch forced;
            forced.now = now;
            store::End end;
            end.lease = {run->no, run->epoch};
            end.status = RunStatus::Canceled;
            forced.verbs.emplace_back(std::move(end));
            store::Control cancel;
            cancel.run_id = id;
            forced.verbs.emplace_back(std::move(cancel));
            store::Prune prune;
            prune.run_ids.push_back(id);
            forced.verbs.emplace_back(std::move(prune));
            inner.commit(forced);
            for (model::Run& one : std::get<store::Prune>(forced.verbs.back()).outcome.deleted)
                deleted_.push_back(std::move(one));
        }
        listed_.clear();
        store::RunFilter filter;
        filter.limit = 100;
        filter.status = RunStatus::Canceled;
        for (const model::Run& run : inner.list_runs(filter).runs) listed_.push_back(run.id);
    }

    std::vector<std::string> listed_;
    std::vector<model::Run> deleted_;
};

void look_in_vain(store::Store& inner, store::Batch& batch) {
    inner.commit(batch);
    for (store::Verb& verb : batch.verbs) {
        auto* look = std::get_if<store::Look>(&verb);
        if (look == nullptr) continue;
        look->ended.clear();
    }
}

void blame_all(store::Store& inner, store::Batch& batch) {
    for (store::Verb& verb : batch.verbs) {
        auto* death = std::get_if<store::NoteDeath>(&verb);
        if (death == nullptr) continue;
        store::RunFilter filter;
        filter.limit = 1000;
        filter.status = RunStatus::Running;
        for (const model::Run& run : inner.list_runs(filter).runs) {
            if (run.worker == death->worker)
                death->executing.push_back({{run.no, run.epoch}, run.current_stage});
        }
    }
    inner.commit(batch);
}

void keep_first_words(store::Store& inner, store::Batch& batch) {
    for (store::Verb& verb : batch.verbs) {
        auto* say = std::get_if<store::Say>(&verb);
        if (say == nullptr) continue;
        for (const auto& [name, value] : inner.exposed(say->lease.run))
            say->said.exposed.erase(name);
    }
    inner.commit(batch);
}

void plan_by_path(store::Store& inner, store::Batch& batch) {
    for (store::Verb& verb : batch.verbs) {
        auto* undo = std::get_if<store::Undo>(&verb);
        if (undo == nullptr || undo->what != store::UndoVerb::Begin) continue;
        model::UndoPlan plan = model::read_undo_plan(undo->plan);
        std::sort(plan.steps.begin(), plan.steps.end(),
                  [](const auto& a, const auto& b) { return a.path > b.path; });
        undo->plan = model::to_json(plan);
    }
    inner.commit(batch);
}

void undo_without_plan(store::Store& inner, store::Batch& batch) {
    for (store::Verb& verb : batch.verbs) {
        auto* undo = std::get_if<store::Undo>(&verb);
        if (undo != nullptr && undo->what == store::UndoVerb::Begin)
            undo->what = store::UndoVerb::MayHappen;
    }
    inner.commit(batch);
}

// Says that it is kept free, and keeps it free in the commit of the step's record.
class LateReservations {
public:
    void operator()(store::Store& inner, store::Batch& batch) {
        store::Batch with;
        with.now = batch.now;
        std::vector<std::size_t> places;
        for (store::Verb& verb : batch.verbs) {
            if (const auto* asked = std::get_if<store::Reserve>(&verb)) {
                put_off_[{asked->lease.run, asked->path}] = *asked;
                places.push_back(kNone);
                continue;
            }
            const auto* record = std::get_if<store::Record>(&verb);
            if (record != nullptr) {
                const auto late = put_off_.find({record->lease.run, record->stage.path});
                if (late != put_off_.end()) {
                    late->second.lease = record->lease;
                    with.verbs.emplace_back(std::move(late->second));
                    put_off_.erase(late);
                }
            }
            places.push_back(with.verbs.size());
            with.verbs.push_back(verb);
        }
        inner.commit(with);
        batch.woken = std::move(with.woken);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] == kNone) {
                std::get<store::Reserve>(batch.verbs[i]).outcome = store::Applied{};
            } else {
                batch.verbs[i] = std::move(with.verbs[places[i]]);
            }
        }
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::map<std::pair<store::RunNo, std::string>, store::Reserve> put_off_;
};

// Calls the first for most commits, the second for every n-th.
HookedStore::Commit now_and_then(int n, HookedStore::Commit mostly, HookedStore::Commit then) {
    return [n, count = std::make_shared<int>(0), mostly = std::move(mostly),
            then = std::move(then)](store::Store& inner, store::Batch& batch) {
        (++*count % n == 0 ? then : mostly)(inner, batch);
    };
}

void just_commit(store::Store& inner, store::Batch& batch) { inner.commit(batch); }

}  // namespace

std::string_view to_string(PlantedBug bug) { return boost::describe::enum_to_string(bug, "?"); }

HookedStore::Commit commit_with(PlantedBug bug) {
    switch (bug) {
        case PlantedBug::None:
        case PlantedBug::BorrowedFlag:  // no mistake of the store
        case PlantedBug::PushedAgain:
            return just_commit;
        case PlantedBug::NoEpochCheck:
            return use_newest_epochs;
        case PlantedBug::AckWithoutCommit:
            return now_and_then(5, just_commit, [](store::Store& inner, store::Batch& batch) {
                leave_out<store::Record>(
                    inner, batch, [](store::Record& record) { record.outcome = store::Applied{}; });
            });
        case PlantedBug::ForgottenStage:
            return forget_last_stage;
        case PlantedBug::BodyTwice:
            return run_bodies_twice;
        case PlantedBug::MessageTwice:
            return keep_read_messages;
        case PlantedBug::NoRecheckBeforeWait:
            return wait_without_recheck;
        case PlantedBug::LostSignal:
            return [](store::Store& inner, store::Batch& batch) {
                inner.commit(batch);
                batch.woken.clear();
            };
        case PlantedBug::WiderQueue:
            return widen_queues;
        case PlantedBug::LateReservation:
            return [late = std::make_shared<LateReservations>()](
                       store::Store& inner, store::Batch& batch) { (*late)(inner, batch); };
        case PlantedBug::PruneByOldList:
            return [prune = std::make_shared<PruneByOldList>()](
                       store::Store& inner, store::Batch& batch) { (*prune)(inner, batch); };
        case PlantedBug::SilentLook:
            return look_in_vain;
        case PlantedBug::BlameByPresence:
            return blame_all;
        case PlantedBug::ForgottenDeath:
            return [](store::Store& inner, store::Batch& batch) {
                leave_out<store::NoteDeath>(inner, batch, [](store::NoteDeath&) {});
            };
        case PlantedBug::LostWord:
            return now_and_then(3, just_commit, [](store::Store& inner, store::Batch& batch) {
                leave_out<store::Say>(inner, batch,
                                      [](store::Say& say) { say.outcome = store::Applied{}; });
            });
        case PlantedBug::OldWord:
            return keep_first_words;
        case PlantedBug::UndoByPath:
            return plan_by_path;
        case PlantedBug::UndoWithoutPlan:
            return undo_without_plan;
        case PlantedBug::LostRun:
            return now_and_then(3, just_commit, [](store::Store& inner, store::Batch& batch) {
                leave_out<store::Submit>(inner, batch, [](store::Submit& submit) {
                    store::SubmitOutcome created;
                    created.run.id = submit.run.id;
                    created.run.no = model::RunNo{1'000'000};
                    submit.outcome = created;
                });
            });
    }
    return just_commit;
}

}  // namespace belay::test
