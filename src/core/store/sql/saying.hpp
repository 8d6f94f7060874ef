// saying.hpp — what runs say of themselves, labels and exposed values, for every store that speaks SQL.
#pragma once

#include <map>
#include <string>

#include "core/store/sql/writer.hpp"
#include "core/store/store.hpp"

namespace belay::store {

template <class Db>
void SqlWriter<Db>::put_labels(RunNo run, const Labels& labels) {
    for (const auto& [name, value] : labels)
        self().statements_.put_label.run(run.value, name, value);
}

template <class Db>
void SqlWriter<Db>::apply(Say& verb) {
    self().flush();
    if (self().held(verb.lease) == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    const RunNo run = verb.lease.run;
    put_labels(run, verb.said.labels);
    for (const auto& [name, value] : verb.said.exposed)
        self().statements_.put_exposed.run(run.value, name, value, self().now_);
    verb.outcome = Applied{};
}

// ---- reading; of list_labels.sql and list_exposed.sql

template <class Rows>
void labels_in(Rows& rows, LabelsOfRuns& labels) {
    while (rows.next()) labels[RunNo{rows->integer(0)}].emplace(rows->text(1), rows->text(2));
}

template <class Rows>
std::map<std::string, std::string> exposed_in(Rows& rows) {
    std::map<std::string, std::string> exposed;
    while (rows.next()) exposed.emplace(rows->text(0), rows->text(1));
    return exposed;
}

}  // namespace belay::store
