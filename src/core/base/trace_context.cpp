#include "core/base/trace_context.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include <fmt/format.h>

#include <belay/trace.hpp>

#include "core/base/hash.hpp"
#include "core/base/limits.hpp"

namespace belay::base {

namespace {

constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kSpanDigits = 16;
constexpr std::size_t kLength = 55;  // of version 00

// W3C: lower case only, or it is none.
bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
    return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

std::string digits_of(std::string_view name, std::size_t count) {
    std::string digits = sha256_hex(name).substr(0, count);
    // An id of zeros is none; that a hash begins so is as good as impossible, and must be harmless all the same.
    if (!is_id(digits)) digits.back() = '1';
    return digits;
}

thread_local const TraceSource* current = nullptr;

// Whoever takes calls, by when they began to.
class Takers {
public:
    std::shared_ptr<void> add(TakeCall take) {
        auto taker = std::make_shared<TakeCall>(std::move(take));
        const std::lock_guard lock(mutex_);
        takers_.push_back(taker);
        ++count_;
        // Removed when its owner lets go: after that it is not called any more.
        return std::shared_ptr<void>(taker.get(), [this, taker](void*) {
            const std::lock_guard ending(mutex_);
            std::erase(takers_, taker);
            --count_;
        });
    }
    bool any() const { return count_.load() > 0; }
    void tell(const TracedCall& call) {
        const std::lock_guard lock(mutex_);
        for (const auto& taker : takers_) (*taker)(call);
    }

private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<TakeCall>> takers_;
    std::atomic<int> count_{0};
};

// Never destroyed: steps that were left behind may outlive the statics.
Takers& takers() {
    static auto* const takers = new Takers;
    return *takers;
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view text) {
    if (text.size() < kLength) return std::nullopt;
    const std::string_view version = text.substr(0, 2);
    if (!is_hex(version) || version == "ff") return std::nullopt;
    // Version 00 has nothing more; a later one may, behind a dash.
    if (text.size() > kLength && (version == "00" || text[kLength] != '-')) return std::nullopt;
    if (text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
    const std::string_view trace = text.substr(3, kTraceDigits);
    const std::string_view span = text.substr(36, kSpanDigits);
    const std::string_view flags = text.substr(53, 2);
    if (!is_id(trace) || !is_id(span) || !is_hex(flags)) return std::nullopt;
    const char low = flags[1];
    const int bits = low <= '9' ? low - '0' : low - 'a' + 10;
    return TraceContext{std::string(trace), std::string(span), (bits & 1) != 0};
}

std::string to_string(const TraceContext& context) {
    return fmt::format("00-{}-{}-{}", context.trace_id, context.span_id,
                       context.sampled ? "01" : "00");
}

std::string fit_tracestate(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    const auto end = text.substr(0, most + 1).rfind(',');
    return std::string(text.substr(0, end == std::string_view::npos ? 0 : end));
}

std::string trace_id_of(std::string_view name) { return digits_of(name, kTraceDigits); }
std::string span_id_of(std::string_view name) { return digits_of(name, kSpanDigits); }

TraceScope::TraceScope(const TraceSource& source) : outer_(std::exchange(current, &source)) {}
TraceScope::~TraceScope() { current = outer_; }

TraceHeaders current_trace() {
    if (current == nullptr) return {};
    return current->headers();
}

std::shared_ptr<void> take_traces(TakeCall take) { return takers().add(std::move(take)); }
bool are_traces_taken() { return takers().any(); }
void tell_call(const TracedCall& call) { takers().tell(call); }

std::optional<TracedCall> begin_call(Time now) {
    if (!are_traces_taken()) return std::nullopt;
    TracedCall call;
    call.parent = current_trace().traceparent;
    const auto within = parse_traceparent(call.parent);
    if (!within || !within->sampled) return std::nullopt;
    // Each call is a span of its own, also one that an attempt makes again after a crash: it was made twice.
    static std::atomic<std::uint64_t> number{0};
    call.span_id =
        span_id_of(fmt::format("{}/{}/{}", call.parent, now.time_since_epoch().count(), ++number));
    call.started_at = now;
    return call;
}

}  // namespace belay::base

namespace belay {

Labels traced_by(std::string_view traceparent, std::string_view tracestate) {
    const auto context = base::parse_traceparent(traceparent);
    if (!context) return {};
    Labels labels{{kTraceparentLabel, base::to_string(*context)}};
    std::string state = base::fit_tracestate(tracestate, base::kLabelValueCharsMax);
    const bool is_plain =
        std::all_of(state.begin(), state.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!state.empty() && is_plain) labels.emplace(kTracestateLabel, std::move(state));
    return labels;
}

std::string traceparent() { return base::current_trace().traceparent; }
std::string tracestate() { return base::current_trace().tracestate; }

}  // namespace belay
