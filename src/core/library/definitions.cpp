#include "core/library/definitions.hpp"

#include <algorithm>

#include <belay/codec.hpp>
#include <belay/error.hpp>

namespace belay::library {

namespace {

constexpr std::string_view kOwner = "belay.definitions";

const std::vector<std::string>& scripts() {
    static const std::vector<std::string> kScripts{R"(
CREATE TABLE workflow_definitions (
    workflow_key TEXT NOT NULL,
    code_version TEXT NOT NULL,
    summary TEXT NOT NULL,
    input_schema TEXT NOT NULL,
    output_schema TEXT NOT NULL,
    exposed INTEGER NOT NULL,
    editable TEXT NOT NULL,  -- names of steps, as a JSON array
    described_at INTEGER NOT NULL,
    PRIMARY KEY (workflow_key, code_version)
);
)"};
    return kScripts;
}

model::Definition read(const SqlRow& row) {
    return {row.get<std::string>(0),
            row.get<std::string>(1),
            row.get<std::string>(2),
            row.get<std::string>(3),
            row.get<std::string>(4),
            row.get<bool>(5),
            from_json<std::vector<std::string>>(row.get<std::string>(6)),
            row.get<Time>(7)};
}

void put(Tx& tx, const model::Definition& one) {
    tx.exec(
        "INSERT INTO workflow_definitions (workflow_key, code_version, summary, input_schema, "
        "output_schema, exposed, editable, described_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (workflow_key, code_version) DO UPDATE SET summary = excluded.summary, "
        "input_schema = excluded.input_schema, output_schema = excluded.output_schema, "
        "exposed = excluded.exposed, editable = excluded.editable, "
        "described_at = excluded.described_at",
        one.workflow_key, one.code_version, one.summary, one.input_schema, one.output_schema,
        one.exposed ? 1 : 0, to_json(one.editable), tx.now());
}

// Whether the newest row of that workflow says the same.
bool is_told(const std::vector<model::Definition>& rows, model::Definition one) {
    const auto newest = std::find_if(rows.begin(), rows.end(), [&](const model::Definition& row) {
        return row.workflow_key == one.workflow_key;
    });
    if (newest == rows.end()) return false;
    one.described_at = newest->described_at;
    return *newest == one;
}

}  // namespace

std::vector<model::Definition> definitions_of(const engine::Core& core) {
    std::vector<model::Definition> all;
    for (const auto& [key, workflow] : core.workflows()) {
        all.push_back({key,
                       core.options().code_version,
                       workflow->options.summary,
                       workflow->input_schema(),
                       workflow->output_schema(),
                       workflow->options.exposed,
                       workflow->options.editable,
                       {}});
    }
    return all;
}

void write_definitions(engine::Core& core, bool only_executor) {
    core.migrate(kOwner, scripts());
    const std::vector<model::Definition> rows = read_definitions(core.store());
    const std::vector<model::Definition> defined = definitions_of(core);
    std::vector<model::Definition> news;
    for (const model::Definition& one : defined)
        if (!is_told(rows, one)) news.push_back(one);
    std::vector<std::string> gone;
    for (const model::Definition& row : rows) {
        const bool is_defined = std::any_of(
            defined.begin(), defined.end(),
            [&](const model::Definition& one) { return one.workflow_key == row.workflow_key; });
        if (only_executor && !is_defined) gone.push_back(row.workflow_key);
    }
    if (news.empty() && gone.empty()) return;
    core.transact([&](Tx& tx) {
        for (const std::string& key : gone)
            tx.exec("DELETE FROM workflow_definitions WHERE workflow_key = ?", key);
        for (const model::Definition& one : news) put(tx, one);
        return std::string{};
    });
}

std::vector<model::Definition> read_definitions(store::Store& store) {
    std::vector<model::Definition> all;
    try {
        const SqlRows rows{store.query(
            "SELECT workflow_key, code_version, summary, input_schema, output_schema, exposed, "
            "editable, described_at FROM workflow_definitions "
            "ORDER BY workflow_key, described_at DESC, code_version",
            {})};
        for (const SqlRow row : rows) all.push_back(read(row));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) throw;  // the table is not there
    }
    return all;
}

}  // namespace belay::library
