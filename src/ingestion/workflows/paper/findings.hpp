// findings.hpp — what runs on paper found, read back for people: receipts and invoices, one or a list.
//
// The objects are those of `ingest --wait --json`, with the file's and the run's ids, its status and how sure the
// reading is; one alone also has every field's confidence and box under `detail`, its pages and its history. Files
// of another organization are not found (P9).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include <belay/engine.hpp>

#include "ingestion/workflows/paper/table_reader.hpp"

namespace belay::workflows {

// A receipt has one merchant in every view: whom it names, or the company that its number belongs to. Of a file `f`, with
// kMerchantFrom behind it; null if nobody is known.
inline constexpr std::string_view kMerchant =
    "coalesce(/*sqlite*/ json_extract(d.result, '$.merchant') /*end*//*postgres "
    "d.result::jsonb ->> 'merchant'*/, c.name)";
inline constexpr std::string_view kMerchantFrom =
    "LEFT JOIN companies c ON c.id = f.company_id LEFT JOIN document_findings d ON "
    "d.workflow_run_id = f.workflow_run_id";

struct FindingsPage {
    std::vector<boost::json::object> rows{};
    std::optional<std::int64_t> next{};   // give it as `after` for the rest
    std::optional<std::int64_t> total{};  // of all pages; told with the first
};

enum class FindingsOrder { Newest, Date, Total, Who };

// What is empty asks for nothing.
struct FindingsFilter {
    std::string workflow_key{};             // whose files; empty: receipts and invoices
    std::string status{};                   // ai_status, or `canceled`: its run was
    std::string text{};                     // in its name, who, number or total, or its text
    std::string from{}, to{};               // the first and the last day on the paper: 2024-03-12
    std::optional<double> least{}, most{};  // the total
    std::optional<bool> matched{};          // whether a line of a statement has it
    FindingsOrder order = FindingsOrder::Newest;
    bool upwards = false;                 // of the other orders: the least first
    std::optional<std::int64_t> after{};  // where the last page ended
    int limit = 50;
};

// Newest first, unless it asks for another order.
FindingsPage list_findings(Engine& engine, const std::string& organization_id,
                           const FindingsFilter& filter);

// One file of that workflow; nothing if there is none.
std::optional<boost::json::object> find_finding(const TableReader& reading,
                                                const std::string& organization_id,
                                                const std::string& workflow_key,
                                                const std::string& file_id);

// The `detail` alone, as the rules' own struct wrote it.
std::optional<std::string> finding_detail(Engine& engine, const std::string& organization_id,
                                          const std::string& workflow_key,
                                          const std::string& file_id);

// The pages of a file that have been read: {number, file_id, width, height, rotation, source, language, confidence,
// text}, and with `words` their words with boxes.
std::optional<std::vector<boost::json::object>> list_pages(const TableReader& reading,
                                                           const std::string& organization_id,
                                                           const std::string& file_id, bool words);

}  // namespace belay::workflows
