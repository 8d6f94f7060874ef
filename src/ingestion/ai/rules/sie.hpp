// sie.hpp — bookkeeping entries as a SIE 4 file, the format that Swedish accounting programs import.
#pragma once

#include <string>
#include <vector>

#include "ingestion/ai/rules/date.hpp"
#include "ingestion/ai/rules/decimal.hpp"

namespace belay::ai::rules {

struct SieEntry {
    std::string account{};  // BAS: four digits
    Decimal debit{}, credit{};
    std::string text{};
};

struct SieVerification {
    Date date{};
    std::string text{};
    std::vector<SieEntry> entries{};
};

struct SieFile {
    std::string program = "Belay";
    std::string program_version = "1";
    Date generated{};
    std::string comment{};  // for who reads the file; programs pass over it
    std::string company{};
    std::string orgnr{};
    struct Account {
        std::string number{}, name{};
    };
    std::vector<Account> accounts{};
    std::vector<SieVerification> verifications{};
};

// The file's bytes: code page 437 as the format demands ("#FORMAT PC8"), lines ending in CR LF, characters
// that it lacks as '?'. Debits are positive, credits negative; verifications are numbered A 0001, 0002, …
// Throws Error{InvalidArgument} naming the verification whose debits and credits differ, or an account
// that is no number.
std::string sie_file(const SieFile& file);

}  // namespace belay::ai::rules
