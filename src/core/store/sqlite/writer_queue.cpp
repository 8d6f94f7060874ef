// writer_queue.cpp — who is next in the line of a queue. How many may leave it, store/sql/queues.hpp says.
#include <algorithm>

#include "core/base/limits.hpp"
#include "core/store/sqlite/writer.hpp"

namespace belay::store::sqlite {

Writer::Candidates Writer::list_line(const Claim& verb, const std::string& queue, bool begun,
                                     std::size_t most, int suspects_left) {
    Candidates found;
    if (most == 0) return found;
    for (const std::string& key : verb.workflow_keys) {
        std::size_t taken = 0;
        int suspects = 0;
        Rows rows{statements_.list_line, queue, key, std::int64_t{begun ? 0 : 1}};
        while (taken < most && rows.next()) {
            if (!verb.versions.take(rows->text(5))) continue;
            const Candidate next{RunNo{rows->integer(0)}, rows->time(1), rows->integer(2),
                                 rows->integer(3), rows->integer(4)};
            if (next.charges >= base::kSuspectCharges && suspects++ >= suspects_left)
                continue;
            found.push_back(next);
            ++taken;
        }
    }
    if (verb.workflow_keys.size() > 1) {
        std::sort(found.begin(), found.end(), is_ahead_in_line);
    }
    if (found.size() > most) found.resize(most);
    return found;
}

bool Writer::has_line(const Claim& verb, const std::string& queue, bool begun) {
    return std::any_of(
        verb.workflow_keys.begin(), verb.workflow_keys.end(), [&](const std::string& key) {
            Rows rows{statements_.list_line, queue, key, std::int64_t{begun ? 0 : 1}};
            while (rows.next()) {
                if (verb.versions.take(rows->text(5))) return true;
            }
            return false;
        });
}

}  // namespace belay::store::sqlite
