#include "crash/survivor.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <belay/engine.hpp>
#include <belay/sql.hpp>

#include "core/library/host.hpp"
#include "crash/workload.hpp"

namespace belay::test {

std::unique_ptr<Process> Survivor::start(const Process::Environment& environment) {
    ++life_;
    // The reader would see each life's files; but a process that is gone needs no one looking at it.
    reader_.reset();
    std::vector<std::string> arguments{
        "--db",       dir_.file("runs.db"),  "--witness", dir_.file("witness"),
        "--accepted", dir_.file("accepted"), "--runs",    std::to_string(runs_),
        "--life",     std::to_string(life_)};
    if (bombs_ > 0) arguments.insert(arguments.end(), {"--bombs", std::to_string(bombs_)});
    return std::make_unique<Process>(BELAY_CRASH_DRIVER, std::move(arguments), environment);
}

store::Store& Survivor::reader() {
    if (!reader_) reader_ = library::open_store(belay::sqlite(dir_.file("runs.db")), false);
    return *reader_;
}

void Survivor::read_witness() {
    std::ifstream in(dir_.file("witness"));
    in.seekg(witness_read_);
    std::string line;
    while (std::getline(in, line)) {
        witness_read_ += static_cast<std::int64_t>(line.size()) + 1;
        WitnessLine seen;
        std::istringstream(line) >> seen.life >> seen.key >> seen.attempt;
        witness_.push_back(std::move(seen));
    }
}

std::set<std::string> Survivor::recorded_steps() {
    const SqlRows rows{
        reader().query("SELECT run.public_id || '/' || stage.path || ':' || stage.stage_key"
                       " FROM workflow_stage_runs AS stage JOIN workflow_runs AS run ON run.id = "
                       "stage.workflow_run_id"
                       " WHERE stage.kind = 'step' AND stage.status IN ('succeeded', 'failed')",
                       {})};
    std::set<std::string> keys;
    for (const SqlRow row : rows) keys.insert(row.get<std::string>(0));
    return keys;
}

std::set<std::string> Survivor::run_ids() {
    const SqlRows rows{reader().query("SELECT public_id FROM workflow_runs", {})};
    std::set<std::string> ids;
    for (const SqlRow row : rows) ids.insert(row.get<std::string>(0));
    return ids;
}

std::set<std::string> Survivor::accepted() const {
    std::set<std::string> ids;
    std::ifstream in(dir_.file("accepted"));
    for (std::string id; std::getline(in, id);) ids.insert(id);
    return ids;
}

void Survivor::check_life() {
    read_witness();
    std::set<std::pair<std::string, int>> in_this_life;
    for (; witness_checked_ < witness_.size(); ++witness_checked_) {
        const WitnessLine& line = witness_[witness_checked_];
        EXPECT_FALSE(recorded_.contains(line.key)) << line.key << " ran in life " << line.life
                                                   << ", though its record had been seen before";
        EXPECT_TRUE(in_this_life.emplace(line.key, line.attempt).second)
            << line.key << " ran attempt " << line.attempt << " twice in life " << line.life;
    }
    const auto accepted_ids = accepted();
    try {
        recorded_ = recorded_steps();
        const auto there = run_ids();
        for (const std::string& id : accepted_ids) {
            EXPECT_TRUE(there.contains(id))
                << id << " was accepted and is gone after life " << life_;
        }
    } catch (const Error& error) {
        // Killed before there was a database.
        EXPECT_TRUE(recorded_.empty() && accepted_ids.empty()) << error.what();
    }
}

std::int64_t Survivor::number(const std::string& sql) {
    const SqlRows rows{reader().query(sql, {})};
    return rows[0].get<std::int64_t>(0);
}

void Survivor::check_end() {
    const auto accepted_ids = accepted();
    for (int n = 0; n < runs_; ++n) {
        EXPECT_TRUE(accepted_ids.contains(run_id(n))) << run_id(n);
        const auto run = reader().find_run(run_id(n));
        ASSERT_TRUE(run.has_value()) << run_id(n) << " was accepted and is gone";
        EXPECT_EQ(to_string(run->status), "succeeded")
            << run_id(n) << (run->failure ? run->failure->message : "");
        EXPECT_EQ(run->result.value_or(""), std::to_string(result_of(n))) << run_id(n);
    }
    EXPECT_EQ(number("SELECT n FROM counter"), runs_);
    EXPECT_EQ(number("SELECT count(*) FROM applied"), runs_);
    EXPECT_EQ(number("SELECT count(DISTINCT run) FROM applied"), runs_);
    EXPECT_EQ(number("SELECT count(*) FROM parsed"), runs_);
    EXPECT_EQ(number("SELECT count(DISTINCT run) FROM parsed"), runs_);
    // `flaky` fails at its first attempt, and one that died was an attempt, too. What is recorded is not made again.
    EXPECT_EQ(number("SELECT count(*) FROM workflow_stage_runs WHERE stage_key = 'flaky' AND "
                     "attempt > 1"),
              runs_);
    EXPECT_EQ(number("SELECT count(*) FROM workflow_stage_attempts"),
              number("SELECT count(*) FROM (SELECT DISTINCT workflow_run_id, path, attempt FROM "
                     "workflow_stage_attempts) AS a"));
}

}  // namespace belay::test
