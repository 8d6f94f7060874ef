#include "ingestion/documents/document.hpp"

#include <limits>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "ingestion/documents/address.hpp"

namespace belay::documents {

namespace {

constexpr std::size_t kIdChars = 32;
constexpr std::size_t kPrefixCharsMin = 8;

constexpr std::string_view kColumns =
    "d.seq, d.id, d.organization_id, d.source_url, d.final_url, d.cms_platform, d.cms_instance, "
    "d.cms_document_id, d.ingestion_status, d.error, d.content_hash, d.content_path, "
    "d.content_length, d.content_kind, d.title, d.author, d.published_date, d.site, d.description, "
    "d.language, d.excerpt, d.etag, d.last_modified, d.indexed_with_hash, d.content_type, "
    "d.has_code_examples, d.has_step_by_step_procedures, d.has_narrative_structure, d.topics, "
    "d.active_run_id, d.workflow_run_id, d.fetched_at, d.indexed_at, d.created_at, d.updated_at";

Document document_in(const SqlRow& row) {
    using Text = std::string;
    using MaybeText = std::optional<std::string>;
    Document d;
    d.seq = row.get<std::int64_t>(0);
    d.id = row.get<Text>(1);
    d.organization_id = row.get<Text>(2);
    d.source_url = row.get<Text>(3);
    d.final_url = row.get<Text>(4);
    d.cms_platform = row.get<Text>(5);
    d.cms_instance = row.get<Text>(6);
    d.cms_document_id = row.get<Text>(7);
    d.ingestion_status = row.get<Text>(8);
    d.error = row.get<MaybeText>(9);
    d.content_hash = row.get<MaybeText>(10);
    d.content_path = row.get<MaybeText>(11);
    d.content_length = row.get<std::optional<std::int64_t>>(12);
    d.content_kind = row.get<Text>(13);
    d.title = row.get<Text>(14);
    d.author = row.get<Text>(15);
    d.published_date = row.get<Text>(16);
    d.site = row.get<Text>(17);
    d.description = row.get<Text>(18);
    d.language = row.get<Text>(19);
    d.excerpt = row.get<Text>(20);
    d.etag = row.get<Text>(21);
    d.last_modified = row.get<Text>(22);
    d.indexed_with_hash = row.get<MaybeText>(23);
    d.content_type = row.get<MaybeText>(24);
    d.has_code_examples = row.get<std::optional<bool>>(25);
    d.has_step_by_step_procedures = row.get<std::optional<bool>>(26);
    d.has_narrative_structure = row.get<std::optional<bool>>(27);
    d.topics = row.get<MaybeText>(28);
    d.active_run_id = row.get<MaybeText>(29);
    d.workflow_run_id = row.get<Text>(30);
    d.fetched_at = row.get<std::optional<Time>>(31);
    d.indexed_at = row.get<std::optional<Time>>(32);
    d.created_at = row.get<Time>(33);
    d.updated_at = row.get<Time>(34);
    return d;
}

std::optional<Document> first_of(const SqlRows& rows) {
    if (rows.empty()) return std::nullopt;
    return document_in(rows[0]);
}

// A glob as a LIKE pattern with the escape `\`.
std::string like_pattern(std::string_view glob) {
    std::string pattern;
    for (const char c : glob) {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c == '*' ? '%' : c == '?' ? '_' : c;
    }
    return pattern;
}

constexpr std::int64_t kCountedMax = 1'000'000;

// %text% with the signs that LIKE reads taken as they stand.
std::string containing(std::string_view text) {
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

bool is_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Document by_prefix(const Read& read, const std::string& organization_id,
                   const std::string& prefix) {
    // Between the prefix and the first text that does not begin with it: an index serves that, LIKE it may not.
    const SqlRows rows =
        read(fmt::format("SELECT {} FROM documents d WHERE d.organization_id = ? AND d.id >= ? AND "
                         "d.id < ? ORDER BY d.id LIMIT 3",
                         kColumns),
             organization_id, prefix, prefix + "g");
    if (rows.empty())
        throw Error(ErrorCode::NotFound, fmt::format("there is no document `{}`", prefix));
    if (rows.size() > 1) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` may be {} or {}: write more of it", prefix,
                                document_in(rows[0]).id, document_in(rows[1]).id));
    }
    return document_in(rows[0]);
}

// Engine::query takes its values one by one.
template <std::size_t... I>
SqlRows query_each(Engine& engine, std::string_view sql,
                   [[maybe_unused]] std::span<const SqlValue> values, std::index_sequence<I...>) {
    return engine.query(sql, values[I]...);
}

template <std::size_t N = 0>
SqlRows query_all(Engine& engine, std::string_view sql, std::span<const SqlValue> values) {
    constexpr std::size_t kValuesMax = 12;
    if constexpr (N > kValuesMax) {
        throw Error(ErrorCode::InvalidArgument, "a query has too many values");
    } else {
        if (values.size() == N)
            return query_each(engine, sql, values, std::make_index_sequence<N>{});
        return query_all<N + 1>(engine, sql, values);
    }
}

}  // namespace

Read::Read(Engine& engine)
    : query_([&engine](std::string_view sql, std::span<const SqlValue> values) {
          return query_all(engine, sql, values);
      }) {}

std::string document_id(std::string_view organization_id, std::string_view url) {
    return base::sha256_hex(fmt::format("{}\n{}", organization_id, url)).substr(0, kIdChars);
}

std::string document_id_of_address(std::string_view organization_id, std::string_view url) {
    const auto address = read_address(url);
    return address ? document_id(organization_id, address->url) : std::string{};
}

std::optional<Document> find_document(const Read& read, const std::string& organization_id,
                                      const std::string& id) {
    return first_of(
        read(fmt::format("SELECT {} FROM documents d WHERE d.id = ? AND d.organization_id = ?",
                         kColumns),
             id, organization_id));
}

std::optional<Document> find_by_url(const Read& read, const std::string& organization_id,
                                    const std::string& url) {
    const auto address = read_address(url);
    return first_of(read(
        fmt::format("SELECT {} FROM documents d WHERE d.organization_id = ? AND d.source_url = ?",
                    kColumns),
        organization_id, address ? address->url : url));
}

Document identify(const Read& read, const std::string& organization_id,
                  const std::string& identifier) {
    if (identifier.find("://") != std::string::npos) {
        if (auto found = find_by_url(read, organization_id, identifier)) return *std::move(found);
        throw Error(ErrorCode::NotFound,
                    fmt::format("{} was never fetched: `belay content fetch` does", identifier));
    }
    if (identifier.size() < kPrefixCharsMin || identifier.size() > kIdChars ||
        !is_hex(identifier)) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` is no document: give an address, an id, or at least the "
                                "first {} digits of one",
                                identifier, kPrefixCharsMin));
    }
    return by_prefix(read, organization_id, identifier);
}

DocumentPage list_documents(const Read& read, const std::string& organization_id,
                            const DocumentFilter& filter) {
    std::string where = "d.organization_id = ? AND d.seq < ?";
    std::vector<SqlValue> values{organization_id, filter.before > 0
                                                      ? filter.before
                                                      : std::numeric_limits<std::int64_t>::max()};
    const auto narrow = [&](std::string_view condition, const std::string& value) {
        if (value.empty()) return;
        where += " AND ";
        where += condition;
        values.emplace_back(value);
    };
    narrow("d.ingestion_status = ?", filter.status);
    narrow("d.content_type = ?", filter.content_type);
    if (!filter.include.empty())
        narrow("d.source_url LIKE ? ESCAPE '\\'", like_pattern(filter.include));
    narrow(
        "EXISTS (SELECT 1 FROM document_entities de JOIN entities e ON e.id = de.entity_id "
        "WHERE de.document_id = d.id AND lower(e.name) = lower(?))",
        filter.entity);
    narrow("d.language = ?", filter.language);
    narrow("EXISTS (SELECT 1 FROM document_tags t WHERE t.document_id = d.id AND t.tag = ?)",
           filter.tag);
    if (!filter.text.empty())
        narrow("lower(d.title || ' ' || d.source_url) LIKE lower(?) ESCAPE '\\'",
               containing(filter.text));
    values.emplace_back(static_cast<std::int64_t>(filter.limit) + 1);
    const SqlRows rows =
        read.with(fmt::format("SELECT {} FROM documents d WHERE {} ORDER BY d.seq DESC LIMIT ?",
                              kColumns, where),
                  values);
    DocumentPage page;
    if (filter.before <= 0) {
        page.total = static_cast<std::int64_t>(rows.size());
        if (*page.total > filter.limit) {
            values.back() = kCountedMax;
            page.total =
                read.with(fmt::format("SELECT count(*) FROM (SELECT d.seq FROM documents d "
                                      "WHERE {} LIMIT ?) n",
                                      where),
                          values)[0]
                    .get<std::int64_t>(0);
        }
    }
    for (const SqlRow row : rows) {
        if (page.documents.size() == static_cast<std::size_t>(filter.limit)) {
            page.next = page.documents.back().seq;
            break;
        }
        page.documents.push_back(document_in(row));
    }
    return page;
}

DocumentStats document_stats(const Read& read, const std::string& organization_id,
                             const std::string& model) {
    DocumentStats stats;
    const SqlRows rows = read(
        "SELECT count(*), coalesce(sum(CASE ingestion_status WHEN 'FETCHED' THEN 1 ELSE 0 END), "
        "0), "
        "coalesce(sum(CASE ingestion_status WHEN 'NOT_FETCHED' THEN 1 ELSE 0 END), 0), "
        "coalesce(sum(CASE ingestion_status WHEN 'ERROR' THEN 1 ELSE 0 END), 0), "
        "coalesce(sum(CASE WHEN indexed_with_hash = content_hash THEN 1 ELSE 0 END), 0), "
        "coalesce(sum(content_length), 0) FROM documents WHERE organization_id = ?",
        organization_id);
    stats.documents = rows[0].get<std::int64_t>(0);
    stats.fetched = rows[0].get<std::int64_t>(1);
    stats.not_fetched = rows[0].get<std::int64_t>(2);
    stats.failed = rows[0].get<std::int64_t>(3);
    stats.indexed = rows[0].get<std::int64_t>(4);
    stats.content_bytes = rows[0].get<std::int64_t>(5);
    const auto count = [&](std::string_view sql, const auto&... args) {
        return read(sql, args...)[0].template get<std::int64_t>(0);
    };
    stats.embedded = count(
        "SELECT count(*) FROM embeddings e JOIN documents d ON d.seq = e.document_seq "
        "WHERE d.organization_id = ? AND e.model = ? AND e.content_hash = d.content_hash",
        organization_id, model);
    stats.links =
        count("SELECT count(*) FROM document_links WHERE organization_id = ?", organization_id);
    stats.entities =
        count("SELECT count(*) FROM entities WHERE organization_id = ?", organization_id);
    return stats;
}

}  // namespace belay::documents
