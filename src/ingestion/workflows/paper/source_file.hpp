// source_file.hpp — the file that a run is about, and the guards that keep it out of the wrong workflow and the wrong
// organization.
//
// What a step reads from a record may have been written by anybody (belay/control.hpp, forks). So every step that is
// told of a file asks own_source() for it, and believes nothing but the id: the rest is the row's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/describe.hpp>

#include <belay/attempt.hpp>
#include <belay/error.hpp>
#include <belay/tx.hpp>

#include "ingestion/workflows/paper/services.hpp"

namespace belay::workflows {

// The whole input of every run that is about a file.
struct FileInput {
    std::string file_id{};
};
BOOST_DESCRIBE_STRUCT(FileInput, (), (file_id))

struct SourceFile {
    std::string file_id{};
    std::string organization_id{};
    std::string name{};
    std::string key{};
    std::uint64_t size = 0;
    std::string content_type{};
    std::string content_hash{};
};
BOOST_DESCRIBE_STRUCT(SourceFile, (),
                      (file_id, organization_id, name, key, size, content_type, content_hash))

// Which files a workflow may touch.
struct Guard {
    std::string_view workflow_prefix{};  // "WF1_"
    std::string_view workflow_type{};    // if not empty, the file's must be this
};
inline constexpr Guard kReceiptGuard{"WF1_", ""};
inline constexpr Guard kInvoiceGuard{"WF2_", ""};
inline constexpr Guard kStatementGuard{"WF3_", "creditcard_invoice"};

// Thrown for a file of another workflow; its text begins with kMismatch.
class WorkflowMismatch : public NonRetryable {
public:
    using NonRetryable::NonRetryable;
};
inline constexpr std::string_view kMismatch = "Workflow/task mismatch";

// The run's file, or another one with the same content if it was deleted meanwhile: they share this run. Throws
// NonRetryable if there is none, WorkflowMismatch if the guard says no.
SourceFile find_source(const Attempt& attempt, const PaperServices& services,
                       const FileInput& input, const Guard& guard);

// A file by its id, if it is of the run's organization. Throws NonRetryable if there is none, and in the same words if
// it is another's.
SourceFile own_source(const Attempt& attempt, const PaperServices& services,
                      const std::string& file_id);
SourceFile own_source(Tx& tx, const std::string& file_id);
bool is_own_source(Tx& tx, const std::string& file_id);

// For WorkflowOptions::admit: that the organization has the file. Throws NonRetryable in the words above.
void admit_file(Engine& engine, std::string_view organization, const FileInput& input);

// Its bytes, whole and the ones that were uploaded. Throws NonRetryable if they are not.
std::string read_checked(const PaperServices& services, const SourceFile& file);
// The same without looking at every byte: for the pages of a file that was checked.
std::string read_bytes(const PaperServices& services, const SourceFile& file);

// Whether this run is the one that the file belongs to: a fork of it must not write the file's rows.
bool is_current_run(Tx& tx, const std::string& file_id);

}  // namespace belay::workflows
