// client_store.cpp — a Client on a store: reads its tables, and asks the executor by rows of control_requests.
//
// A request is durable when it is written, and its answer commits with what it asks for. One that is read twice does its
// thing once: a submission has the id that was made here, a message its key.
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/engine/questions.hpp"
#include "core/engine/requests.hpp"
#include "core/engine/run_list.hpp"
#include "core/engine/watchers.hpp"
#include "core/env/clock.hpp"
#include "core/library/client_port.hpp"
#include "core/library/host.hpp"

namespace belay::detail {

namespace {

class StorePort final : public ClientPort {
public:
    StorePort(const StoreConfig& store, ClientOptions options)
        : options_(std::move(options)), store_(library::open_store(store, false)) {}
    ~StorePort() override { close(); }

    std::vector<std::string> submit(std::vector<Submission> submissions) override {
        std::vector<std::int64_t> asked;
        for (Submission& one : submissions) {
            check_size(one.input, "the input");
            SubmitOptions& options = one.options;
            if (options.id.empty()) options.id = made_up_id();
            if (options.organization_id.empty()) options.organization_id = options_.organization_id;
            if (options.source_channel.empty()) options.source_channel = "client";
            asked.push_back(
                put("submit", options.id, engine::Requests::submit_payload(one, clock_.now())));
        }
        std::vector<std::string> ids;
        for (const std::int64_t request : asked) ids.push_back(answer_of(request));
        return ids;
    }

    RunStatus status(const std::string& id) override { return run_of(id).status; }

    void cancel(const std::string& id, const CancelOptions& options) override {
        control(options.undo ? "cancel" : "leave", id, options.reason);
    }
    void pause(const std::string& id, std::string_view reason) override {
        control("pause", id, reason);
    }
    void resume(const std::string& id) override { control("resume", id, ""); }
    void retry(const std::string& id) override { control("retry", id, ""); }

    void send(const std::string& id, std::string_view topic, std::string payload,
              const SendOptions& options) override {
        check_size(payload, "the message");
        if (options.expires_after) {
            throw Error(ErrorCode::InvalidArgument,
                        "a message of a Client has no expiry of its own: leave "
                        "SendOptions::expires_after out");
        }
        const std::string key =
            options.dedupe_key.empty() ? "client:" + made_up_id() : options.dedupe_key;
        const std::string& organization =
            options.organization_id.empty() ? options_.organization_id : options.organization_id;
        answer_of(
            put("send", id,
                boost::json::serialize(boost::json::object{{"topic", topic},
                                                           {"payload", payload},
                                                           {"dedupe_key", key},
                                                           {"organization_id", organization}})));
    }

    RunList list(const RunQuery& query, const ListOptions& options) override {
        return engine::list_of(*store_, query, options);
    }
    Labels labels(const std::string& id) override {
        return engine::labels_of(*store_, run_of(id).no);
    }
    std::map<std::string, std::string> exposed(const std::string& id) override {
        return store_->exposed(run_of(id).no);
    }

    std::string ask(const std::string& id, std::string_view name, std::string question,
                    Duration at_most) override {
        run_of(id);
        check_size(question, "the question");
        store::ControlRequest request;
        request.kind = "ask";
        request.run_id = id;
        request.created_at = clock_.now();
        request.payload =
            engine::Question{std::string(name), std::move(question), request.created_at + at_most}
                .as_request();
        const auto answer = wait_for(store_->ask(request), at_most);
        if (!answer) {
            throw Error(ErrorCode::NoAnswer,
                        fmt::format("nobody answered `{}` within {}: does anybody execute on {}?",
                                    name, base::format_duration(at_most), store_->name()));
        }
        if (!answer->ok) throw Error(ErrorCode::NoAnswer, answer->text);
        return answer->text;
    }

protected:
    RunEnd end_now(const std::string& id) override { return engine::end_of(run_of(id)); }

private:
    model::Run run_of(const std::string& id) {
        auto run = store_->find_run(id);
        if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
        return *std::move(run);
    }

    void control(std::string_view kind, const std::string& id, std::string_view reason) {
        answer_of(put(kind, id, std::string(reason)));
    }

    std::int64_t put(std::string_view kind, const std::string& id, std::string payload) {
        store::ControlRequest request;
        request.kind = std::string(engine::kCoded) + std::string(kind);
        request.run_id = id;
        request.payload = std::move(payload);
        request.created_at = clock_.now();
        return store_->ask(request);
    }

    std::optional<store::Store::Answer> wait_for(std::int64_t request, Duration at_most) {
        const Time until = clock_.now() + at_most;
        for (Duration pause{1};; pause = std::min(pause * 2, Duration{20})) {
            if (auto answer = store_->answer(request)) return answer;
            if (clock_.now() >= until) return std::nullopt;
            nap(pause);
        }
    }

    std::string answer_of(std::int64_t request) {
        auto answer = wait_for(request, options_.answer_within);
        if (!answer) {
            throw Error(
                ErrorCode::StoreUnavailable,
                fmt::format("nobody who executes on {} has answered within {}. What was "
                            "asked is recorded, and is done when somebody comes to it; asked "
                            "again with the same id or key it is done once.",
                            store_->name(), base::format_duration(options_.answer_within)));
        }
        if (!answer->ok) throw engine::refusal_of(answer->text);
        return std::move(answer->text);
    }

    const ClientOptions options_;
    const env::SystemClock clock_;
    std::unique_ptr<store::Store> store_;
};

}  // namespace

std::shared_ptr<ClientPort> client_of_store(const StoreConfig& store,
                                            const ClientOptions& options) {
    return std::make_shared<StorePort>(store, options);
}

}  // namespace belay::detail
