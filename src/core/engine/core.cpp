#include "core/engine/core.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/engine/hooked_workflow.hpp"
#include "core/engine/inside.hpp"

namespace belay::engine {

namespace {

// How often an executor looks for what other processes have written.
constexpr Duration kLookOutside{100};

// How many of these go by until it also looks for black boxes of the dead: often within one lease.
constexpr int kLooksForDeaths = 20;

// Workflow code that holds the scheduler for longer than this is named in the log.
constexpr Duration kBlockedLoop{250};

std::string worker_name(Environment& world) {
    char host[256] = "localhost";
    ::gethostname(host, sizeof(host) - 1);
    return fmt::format("{}/{}/{}", host, ::getpid(),
                       base::to_hex(world.random.next()).substr(0, 8));
}

Parts checked(Parts parts) {
    const EngineOptions& options = parts.options;
    const auto need = [](bool holds, const char* option) {
        if (holds) return;
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("EngineOptions::{} must be at least 1", option));
    };
    need(options.runs_in_memory_max > 0, "runs_in_memory_max");
    need(options.pool_threads_max > 0, "pool_threads_max");
    need(options.io_threads > 0, "io_threads");
    need(options.history_records_max > 0, "history_records_max");
    return parts;
}

}  // namespace

Core::Core(Parts parts)
    : parts_(checked(std::move(parts))), worker_(worker_name(parts_.world)),
      log_(parts_.log, parts_.world.clock, worker_), store_(std::move(parts_.store)),
      writer_(store_, parts_.world, counters_, log_),
      bodies_(parts_.world.clock, parts_.options, workflows_, expected_),
      feed_(parts_.world), services_{parts_.world, store_,
                                     writer_,      bodies_,
                                     expected_,    parts_.options,
                                     worker_,      counters_,
                                     log_,         parts_.on_attempt ? &parts_.on_attempt : nullptr,
                                     &feed_},
      deaths_(services_, std::move(parts_.boxes)), watchers_(parts_.world),
      scheduler_(services_, workflows_, watchers_), submissions_(services_, workflows_, scheduler_),
      requests_(services_, workflows_, scheduler_, submissions_), questions_(services_, scheduler_),
      schedules_(services_, workflows_, scheduler_.timers()), watchdog_(services_),
      newsroom_(feed_, [this](model::RunNo run) { return name_of(run); }) {
    if (parts_.options.crash_loop_deaths_max > 0) services_.box = deaths_.open();
    bodies_.keep_in(services_.box);
    watchers_.set_observer([this](const std::string& id) { schedules_.run_ended(id); });
    handle_queue_requests();
    handle_questions();
    writer_.set_listener({[this](Writer::FailedBatch failed) {
                              if (failed.unknown) feed_.gap();
                              scheduler_.batch_failed(std::move(failed));
                          },
                          [this] {
                              scheduler_.store_repaired();
                              // What was asked meanwhile: a reopened store has nothing to compare with.
                              requests_.take();
                              schedules_.read();
                          },
                          [this](const store::Woken& woken) { scheduler_.woken(woken); },
                          [this](const store::Batch& batch) {
                              if (feed_.wanted()) newsroom_.committed(batch);
                          },
                          [this] { scheduler_.after_batch(); }});
}

Core::~Core() {
    // Nothing may run any more when the parts go.
    parts_.world.executor.stop();
}

// Runs it where bodies run, and waits: nobody reads meanwhile what it changes.
void Core::on_commit_lane(std::function<void()> what) {
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    parts_.world.executor.post(env::Lane::Commit,
                               [what = std::move(what), promise = Promise(answer)]() mutable {
                                   try {
                                       what();
                                   } catch (...) {
                                       return promise.keep(std::current_exception());
                                   }
                                   promise.keep();
                               });
    answer->wait();
}

void Core::define(std::unique_ptr<belay::detail::Workflow> workflow) {
    Inside::refuse(&bodies_, "Engine::define");
    const std::string key = workflow->key;
    if (key.empty() || key.size() > base::kWorkflowNameCharsMax) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("a workflow's key has 1 to {} characters", base::kWorkflowNameCharsMax));
    }
    if (on_run_end_ || workflow->options.on_start || workflow->options.on_end)
        workflow = std::make_unique<HookedWorkflow>(std::move(workflow), on_run_end_, log_);
    // A cancel before the start already looks for the hooks of a workflow, on that lane.
    on_commit_lane([this, &workflow, &key] {
        const std::lock_guard lock(mutex_);
        if (started_) {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format("workflow `{}` is defined after start(); define every workflow before",
                            key));
        }
        const bool redact = workflow->options.redact;
        if (!workflows_.emplace(key, std::move(workflow)).second) {
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("workflow `{}` is defined twice", key));
        }
        if (redact) feed_.set_redacted(key);
    });
}

void Core::migrate(std::string_view owner, std::vector<std::string> scripts) {
    Inside::refuse(&bodies_, "Engine::migrate");
    const store::Migrations migrations{std::string(owner), std::move(scripts)};
    // A submission before the start commits on that lane, and a store has one writer.
    on_commit_lane([this, &migrations] {
        {
            const std::lock_guard lock(mutex_);
            if (started_) {
                throw Error(
                    ErrorCode::InvalidArgument,
                    fmt::format("migrations of `{}` are given after start(); give them before",
                                migrations.owner));
            }
        }
        store_.migrate(migrations);
    });
}

void Core::start() {
    if (parts_.instead_of_start) return parts_.instead_of_start(*this);
    if (started_) return;
    // It tells others what there is; that it cannot is no reason not to go on with the runs.
    if (parts_.before_start) {
        try {
            parts_.before_start(*this);
        } catch (const Error& error) {
            log_(LogLevel::Warning, "definitions_not_written", error.what());
        }
    }
    {
        const std::lock_guard lock(mutex_);
        if (started_) return;
        started_ = true;
    }
    // What was asked while nobody executed comes before the first claim.
    requests_.take([this] {
        // And so does what is known of the dead: what they left is charged before it is claimed.
        deaths_.look([this] {
            scheduler_.start();
            schedules_.start();
        });
    });
    if (!parts_.world.executor.threaded()) return;
    store_.on_news([this] {
        if (news_posted_.exchange(true)) return;
        parts_.world.executor.post(env::Lane::Commit, [this] { take_news(); });
    });
    look_outside();
    watch();
}

void Core::stop() {
    Inside::refuse(&bodies_, "Engine::stop");
    const std::lock_guard one_at_a_time(stop_mutex_);
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
    }
    if (parts_.before_stop) parts_.before_stop(*this);
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    if (started_ && parts_.world.executor.threaded()) store_.on_news(nullptr);
    const bool steps_are_left = started_ && stop_scheduler();
    watchers_.stop();
    feed_.stop();
    writer_.close();
    if (steps_are_left && parts_.world.executor.pool().busy > 0) {
        // A thread cannot be killed, but others need not wait for it.
        log_(LogLevel::Warning, "stop_waits",
             "Steps that do not end keep their threads. The store and its lock are given back now; "
             "stop() "
             "returns when those steps have ended.");
        store_.release();
    }
    parts_.world.executor.stop();
    deaths_.close();
}

bool Core::stop_scheduler() {
    // Shared, as is the promise, with the Loop's job and the scheduler's callback.
    const auto steps_are_left = std::make_shared<bool>(false);
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    parts_.world.executor.post(
        env::Lane::Loop, [this, steps_are_left, promise = std::make_shared<Promise>(answer)] {
            schedules_.stop();
            scheduler_.stop(stop_grace_, [promise, steps_are_left](bool are_left) {
                *steps_are_left = are_left;
                promise->keep();
            });
        });
    try {
        answer->wait();
    } catch (const Error& error) {
        // Only in a simulation, whose processes can be killed from outside.
        log_(LogLevel::Warning, "stop_failed", error.what());
    }
    return *steps_are_left;
}

void Core::release() {
    stop();
    store_.release();
}

std::optional<RunName> Core::name_of(model::RunNo no) {
    if (const Resident* here = scheduler_.find(no)) {
        return RunName{here->id(), here->workflow_key(), here->shared()->organization_id};
    }
    try {
        if (const auto run = store_.find_run(no))
            return RunName{run->id, run->workflow_key, run->organization_id};
    } catch (const Error& error) {
        log_(LogLevel::Warning, "store_unreadable", error.what());
    }
    // Whoever listens hears of a gap instead of nothing.
    feed_.gap();
    return std::nullopt;
}

void Core::on_request(std::string kind, RequestBody body) {
    const std::lock_guard lock(mutex_);
    BELAY_ASSERT(!started_, "requests `{}` are handled from after start()", kind);
    requests_.on(std::move(kind), std::move(body));
}

void Core::on_request_later(std::string kind, Requests::Handler handler) {
    const std::lock_guard lock(mutex_);
    BELAY_ASSERT(!started_, "requests `{}` are handled from after start()", kind);
    requests_.handle_with(std::move(kind), std::move(handler));
}

// ---- looking around, now and then

void Core::look_outside() {
    parts_.world.executor.post_at(parts_.world.clock.now() + kLookOutside, env::Lane::Commit,
                                  [this] {
                                      {
                                          const std::lock_guard lock(mutex_);
                                          if (stopping_) return;
                                      }
                                      take_news();
                                      notice_blocked_loop();
                                      deaths_.beat();
                                      if (++looks_ % kLooksForDeaths == 0) deaths_.look();
                                      look_outside();
                                  });
}

// On the Commit lane: what other processes did, for the Loop to act on.
void Core::take_news() {
    news_posted_ = false;
    try {
        if (writer_.broken()) return;
        store::News news = store_.news();
        if (news.requests) {
            requests_.take();
            hear_questions();
            parts_.world.executor.post(env::Lane::Loop, [this] { schedules_.read(); });
        }
        const bool some_ended = news.any_ended || !news.ended.empty();
        if (!news.due && !some_ended && news.runs.empty()) return;
        // Read here: the Loop lane waits for no reader.
        Watchers::Ends ended;
        if (some_ended) ended = watchers_.look(store_, news.any_ended ? nullptr : &news.ended);
        parts_.world.executor.post(env::Lane::Loop,
                                   [this, news = std::move(news), ended = std::move(ended)] {
                                       scheduler_.heard_outside(news, ended);
                                   });
    } catch (const Error& error) {
        log_(LogLevel::Warning, "look_outside_failed", error.what());
    }
}

void Core::notice_blocked_loop() {
    const auto turn = scheduler_.turn_watch().under_way();
    if (!turn || turn->since == warned_turn_) return;
    if (parts_.world.clock.now() - turn->since < kBlockedLoop) return;
    warned_turn_ = turn->since;
    ++counters_.loop_blocked;
    log_(LogLevel::Warning, "loop_blocked",
         fmt::format(
             "workflow {} (run `{}`) has been holding up all other runs for more than {}: its code "
             "blocks between steps. Put what blocks into a step.",
             turn->workflow_key, turn->run_id, base::format_duration(kBlockedLoop)),
         About{turn->run_id, turn->workflow_key, {}, {}, 0});
}

}  // namespace belay::engine
