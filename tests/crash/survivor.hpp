// survivor.hpp — one database, the program that is killed on it, and the checks after each of its lives.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/store/store.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace belay::test {

// A step's function ran: which life of the program it was, whose step, which attempt.
struct WitnessLine {
    int life = 0;
    std::string key;  // idempotency key: run, path and name
    int attempt = 0;
};

class Survivor {
public:
    explicit Survivor(int runs, int bombs = 0) : runs_(runs), bombs_(bombs) {}

    // Starts the next life of the program.
    std::unique_ptr<Process> start(const Process::Environment& environment = {});

    // After a life has ended: reads what it left, and fails the test for every step that ran in it although
    // it was recorded before (P1), or ran twice in it for one attempt, and for every accepted run that is not
    // there (P2).
    void check_life();

    // When all are through: every run has its result, was accepted and is there (P2), every transaction was
    // applied once (P4), and every failed attempt is recorded (P7).
    void check_end();

    // The database as any other process may read it.
    store::Store& reader();
    const std::vector<WitnessLine>& witness() const { return witness_; }
    int life() const { return life_; }
    // Steps that are recorded, as seen after the last life.
    std::size_t recorded() const { return recorded_.size(); }

private:
    void read_witness();
    std::set<std::string> recorded_steps();
    std::set<std::string> run_ids();
    std::set<std::string> accepted() const;
    std::int64_t number(const std::string& sql);

    TempDir dir_;
    int runs_;
    int bombs_;
    int life_ = 0;
    std::int64_t witness_read_ = 0;  // bytes of the file
    std::vector<WitnessLine> witness_;
    std::size_t witness_checked_ = 0;  // lines
    std::set<std::string> recorded_;   // keys of steps, as seen after the last life
    std::unique_ptr<store::Store> reader_;
};

}  // namespace belay::test
