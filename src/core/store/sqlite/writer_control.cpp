// writer_control.cpp — what is read inside the batch: runs, their stages, and what others ask.
#include "core/store/sqlite/writer.hpp"

namespace belay::store::sqlite {

std::vector<model::Stage> Writer::stages_of(RunNo run) {
    std::vector<model::Stage> stages;
    Rows rows{statements_.load_stages, run.value};
    while (rows.next()) stages.push_back(read_stage(*rows));
    return stages;
}

void Writer::apply(Load& verb) {
    verb.outcome.clear();
    for (const RunNo run : verb.runs) verb.outcome.push_back(stages_of(run));
}

void Writer::apply(TakeRequests& verb) {
    verb.outcome.clear();
    Rows rows{statements_.take_requests, std::int64_t{verb.limit}};
    while (rows.next()) verb.outcome.push_back(read_request(*rows));
}

}  // namespace belay::store::sqlite
