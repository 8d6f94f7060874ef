// writer_control.cpp — what people and other processes ask of a run, and reading inside the batch.
#include <utility>

#include "store/sql_control.hpp"
#include "store/sqlite/writer.hpp"

namespace belay::store::sqlite {

void Writer::apply(Control& verb) {
    SqlControl::apply(*this, verb);
}

void Writer::retry_run(RunNo run, const std::vector<std::string>& reset_paths,
                       const std::vector<std::string>& forget_paths) {
    SqlControl::retry_run(*this, run, reset_paths, forget_paths);
}

void Writer::stop(model::Run& run, RunStatus status, model::Failure failure) {
    SqlControl::stop(*this, run, status, std::move(failure));
}

std::optional<model::Run> Writer::find_run(std::string_view id) {
    Rows row{statements_.run_by_id, id};
    return row.next() ? std::optional(read_run(*row)) : std::nullopt;
}

std::optional<model::Run> Writer::find_run(RunNo no) {
    Rows row{statements_.run_by_no, no.value};
    return row.next() ? std::optional(read_run(*row)) : std::nullopt;
}

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

void Writer::apply(AnswerRequest& verb) {
    statements_.answer_request.run(verb.id, now_, std::int64_t{verb.ok ? 1 : 0}, verb.answer);
}

void Writer::apply(Transact& verb) {
    SqlControl::transact(*this, verb);
}

}  // namespace belay::store::sqlite
