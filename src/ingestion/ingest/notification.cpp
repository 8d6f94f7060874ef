#include "ingestion/ingest/notification.hpp"

#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/base/utf8.hpp"

namespace belay::ingest {

namespace {

namespace json = boost::json;

// Envelopes within envelopes: SNS around S3 in a queue is three.
constexpr int kEnvelopesMax = 5;

const json::value* find(const json::value& in, std::string_view name) {
    const auto* object = in.if_object();
    if (object == nullptr) return nullptr;
    const auto found = object->find(name);
    return found == object->end() ? nullptr : &found->value();
}

std::string text_at(const json::value& in, std::string_view name) {
    const json::value* found = find(in, name);
    if (found == nullptr || !found->is_string()) return {};
    return std::string(found->as_string());
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string without_quotes(std::string etag) {
    if (etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"'))
        return etag.substr(1, etag.size() - 2);
    return etag;
}

struct Meaning {
    std::string_view prefix;
    NoticeKind kind;
};

// By the beginning of the action's name, the first that fits.
constexpr std::array kS3Meanings{
    Meaning{"ObjectCreated:", NoticeKind::Created},
    Meaning{"ObjectSynced:Create", NoticeKind::Created},
    Meaning{"ObjectRemoved:", NoticeKind::Deleted},
    Meaning{"ObjectSynced:Delete", NoticeKind::Deleted},
    Meaning{"LifecycleExpiration:", NoticeKind::Deleted},
    Meaning{"ObjectLifecycle:Expiration:Current", NoticeKind::Deleted},
    Meaning{"ObjectLifecycle:Expiration:DeleteMarker", NoticeKind::Other},
    Meaning{"Object Created", NoticeKind::Created},  // EventBridge
    Meaning{"Object Deleted", NoticeKind::Deleted},
};
constexpr std::array kR2Meanings{
    Meaning{"PutObject", NoticeKind::Created},
    Meaning{"CopyObject", NoticeKind::Created},
    Meaning{"CompleteMultipartUpload", NoticeKind::Created},
    Meaning{"DeleteObject", NoticeKind::Deleted},
    Meaning{"LifecycleDeletion", NoticeKind::Deleted},
};

template <class Table>
NoticeKind meaning_of(const Table& table, std::string_view action) {
    for (const Meaning& row : table) {
        if (action.starts_with(row.prefix)) return row.kind;
    }
    return NoticeKind::Other;
}

class Reader {
public:
    std::vector<Notice> read(std::string_view body) {
        boost::system::error_code error;
        const json::value all = json::parse(body, error);
        if (error) {
            invalid(std::string(body), "the body is not JSON");
        } else {
            take(all, 0);
            if (notices_.empty()) invalid(std::string(body), "the body tells of no object");
        }
        return std::move(notices_);
    }

private:
    void take(const json::value& what, int depth) {
        if (depth > kEnvelopesMax) return invalid(json::serialize(what), "too many envelopes");
        if (const auto* many = what.if_array()) {
            for (const json::value& one : *many) take(one, depth + 1);
            return;
        }
        if (!what.is_object()) return invalid(json::serialize(what), "a message is a JSON object");
        if (const auto* records = find(what, "Records"); records && records->is_array()) {
            for (const json::value& record : records->as_array()) take_record(record, depth);
        } else if (find(what, "detail-type") != nullptr) {
            take_eventbridge(what);
        } else if (find(what, "action") != nullptr && find(what, "object") != nullptr) {
            take_r2(what);
        } else if (!take_envelope(what, depth)) {
            take_unknown(what);
        }
    }

    // Lambda hands SQS and SNS messages over as Records too.
    void take_record(const json::value& record, int depth) {
        if (find(record, "s3") != nullptr) return take_s3(record);
        if (record.is_object() && take_envelope(record, depth)) return;
        if (const auto* sns = find(record, "Sns"); sns && take_envelope(*sns, depth)) return;
        invalid(json::serialize(record), "a record has no `s3`");
    }

    bool take_envelope(const json::value& what, int depth) {
        for (const std::string_view name : {"messages", "Messages", "result"}) {
            if (const auto* inside = find(what, name); inside && !inside->is_string()) {
                take(*inside, depth + 1);
                return true;
            }
        }
        for (const std::string_view name : {"body", "Body", "Message"}) {
            const auto* inside = find(what, name);
            if (inside == nullptr) continue;
            if (!inside->is_string()) {
                take(*inside, depth + 1);
                return true;
            }
            if (text_at(what, "Type") == "SubscriptionConfirmation") return false;
            boost::system::error_code error;
            const json::value unpacked = json::parse(inside->as_string(), error);
            if (error) {
                invalid(json::serialize(what), fmt::format("its `{}` is not JSON", name));
            } else {
                take(unpacked, depth + 1);
            }
            return true;
        }
        return false;
    }

    void take_unknown(const json::value& what) {
        if (text_at(what, "Event") == "s3:TestEvent")
            return other(what, "s3", "s3:TestEvent", "S3 tries whether it can be heard");
        if (text_at(what, "Type") == "SubscriptionConfirmation") {
            return other(what, "sns", "SubscriptionConfirmation",
                         "confirm the subscription by opening its SubscribeURL: " +
                             text_at(what, "SubscribeURL"));
        }
        invalid(json::serialize(what),
                "it is neither S3's (`Records`), EventBridge's (`detail-type`) nor R2's (`action` "
                "and `object`)");
    }

    void take_s3(const json::value& record) {
        Notice notice;
        notice.source = "s3";
        notice.action = text_at(record, "eventName");
        if (notice.action.starts_with("s3:")) notice.action.erase(0, 3);
        notice.kind = meaning_of(kS3Meanings, notice.action);
        const json::value& s3 = *find(record, "s3");
        if (const auto* bucket = find(s3, "bucket")) notice.bucket = text_at(*bucket, "name");
        const std::string key = take_object(notice, find(s3, "object"), "eTag");
        set_keys(notice, key, true);
        finish(std::move(notice), record, text_at(record, "eventTime"), "s3.object.key");
    }

    void take_eventbridge(const json::value& event) {
        Notice notice;
        notice.source = "eventbridge";
        notice.action = text_at(event, "detail-type");
        notice.kind = meaning_of(kS3Meanings, notice.action);
        const json::value empty;
        const auto* found = find(event, "detail");
        const json::value& detail = found ? *found : empty;
        if (const auto* bucket = find(detail, "bucket")) notice.bucket = text_at(*bucket, "name");
        const std::string key = take_object(notice, find(detail, "object"), "etag");
        set_keys(notice, key, false);
        finish(std::move(notice), event, text_at(event, "time"), "detail.object.key");
    }

    void take_r2(const json::value& message) {
        Notice notice;
        notice.source = "r2";
        notice.action = text_at(message, "action");
        notice.kind = meaning_of(kR2Meanings, notice.action);
        notice.bucket = text_at(message, "bucket");
        const std::string key = take_object(notice, find(message, "object"), "eTag");
        set_keys(notice, key, false);
        finish(std::move(notice), message, text_at(message, "eventTime"), "object.key");
    }

    // Gives the key as it was sent.
    static std::string take_object(Notice& notice, const json::value* object,
                                   std::string_view etag_name) {
        if (object == nullptr) return {};
        notice.etag = without_quotes(text_at(*object, etag_name));
        notice.sequencer = text_at(*object, "sequencer");
        return text_at(*object, "key");
    }

    static void set_keys(Notice& notice, const std::string& sent, bool escaped) {
        const std::string read = unescaped(sent).value_or(sent);
        notice.key = escaped ? read : sent;
        const std::string& other = escaped ? sent : read;
        if (other != notice.key) notice.other_key = other;
    }

    void finish(Notice notice, const json::value& whole, const std::string& time,
                std::string_view key_name) {
        notice.body = base::truncate(json::serialize(whole), kNoticeBodyCharsMax);
        if (notice.kind == NoticeKind::Other) {
            notice.reason = notice.action.empty() ? "it does not say what happened"
                                                  : fmt::format("nothing is to be done about `{}`",
                                                                base::truncate(notice.action, 80));
        } else if (notice.key.empty()) {
            notice.kind = NoticeKind::Invalid;
            notice.reason = fmt::format("it has no `{}`", key_name);
        }
        if (!time.empty()) {
            notice.at = base::parse_time(time);
            if (!notice.at && notice.kind != NoticeKind::Other) {
                notice.kind = NoticeKind::Invalid;
                notice.reason =
                    fmt::format("its time `{}` is not RFC 3339", base::truncate(time, 40));
            }
        }
        add(std::move(notice));
    }

    void other(const json::value& whole, std::string source, std::string action,
               std::string reason) {
        Notice notice;
        notice.kind = NoticeKind::Other;
        notice.source = std::move(source);
        notice.action = std::move(action);
        notice.reason = base::truncate(reason, 500);
        notice.body = base::truncate(json::serialize(whole), kNoticeBodyCharsMax);
        add(std::move(notice));
    }

    void invalid(const std::string& body, std::string reason) {
        Notice notice;
        notice.reason = std::move(reason);
        notice.body = base::truncate(base::to_valid_utf8(body.substr(0, kNoticeBodyCharsMax)),
                                     kNoticeBodyCharsMax);
        add(std::move(notice));
    }

    void add(Notice notice) {
        if (notices_.size() == kNoticesMax) {
            throw Error(ErrorCode::PayloadTooLarge,
                        fmt::format("a body tells of at most {} objects", kNoticesMax));
        }
        notices_.push_back(std::move(notice));
    }

    std::vector<Notice> notices_;
};

}  // namespace

std::optional<std::string> unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+') {
            out += ' ';
        } else if (text[i] == '%') {
            if (i + 2 >= text.size()) return std::nullopt;
            const int high = hex_digit(text[i + 1]);
            const int low = hex_digit(text[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            out += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            out += text[i];
        }
    }
    if (!base::is_utf8(out)) return std::nullopt;
    return out;
}

std::string_view to_string(NoticeKind kind) {
    switch (kind) {
        case NoticeKind::Created:
            return "created";
        case NoticeKind::Deleted:
            return "deleted";
        case NoticeKind::Other:
            return "other";
        case NoticeKind::Invalid:
            return "invalid";
    }
    return "invalid";
}

std::vector<Notice> read_notifications(std::string_view body) { return Reader().read(body); }

}  // namespace belay::ingest
