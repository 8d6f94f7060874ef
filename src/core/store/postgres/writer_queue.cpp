// writer_queue.cpp — who is next in the line of a queue. How many may leave it, store/sql/queues.hpp says.
#include <algorithm>
#include <limits>

#include "core/base/limits.hpp"
#include "core/store/postgres/versions.hpp"
#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

Writer::Candidates Writer::list_line(const Claim& verb, const std::string& queue, bool begun,
                                     std::size_t most, int suspects_left) {
    Candidates found;
    if (most == 0) return found;
    constexpr std::int64_t kSuspect = base::kSuspectCharges;
    const auto list = [&](const std::string& key, std::int64_t from, std::int64_t to,
                          std::size_t count) {
        if (count == 0) return;
        Parameters parameters;
        parameters.add(queue);
        parameters.add(key);
        parameters.add(std::int64_t{begun ? 0 : 1});
        add_versions(parameters, verb.versions);
        parameters.add(from);
        parameters.add(to);
        parameters.add(static_cast<std::int64_t>(count));
        statements_.list_line.send(parameters);
        Rows rows{connection_.finish().back()};
        while (rows.next()) {
            found.push_back({RunNo{rows.integer(0)}, rows.time(1), rows.integer(2), rows.integer(3),
                             rows.integer(4)});
        }
    };
    for (const std::string& key : verb.workflow_keys) {
        list(key, 0, kSuspect, most);
        list(key, kSuspect, std::numeric_limits<std::int64_t>::max(),
             std::min(most, static_cast<std::size_t>(std::max(suspects_left, 0))));
    }
    std::sort(found.begin(), found.end(), is_ahead_in_line);
    if (found.size() > most) found.resize(most);
    return found;
}

bool Writer::has_line(const Claim& verb, const std::string& queue, bool begun) {
    return std::any_of(verb.workflow_keys.begin(), verb.workflow_keys.end(),
                       [&](const std::string& key) {
                           Parameters parameters;
                           parameters.add(queue);
                           parameters.add(key);
                           parameters.add(std::int64_t{begun ? 0 : 1});
                           add_versions(parameters, verb.versions);
                           statements_.any_line.send(parameters);
                           return connection_.finish().back().integer(0, 0) != 0;
                       });
}

}  // namespace belay::store::postgres
