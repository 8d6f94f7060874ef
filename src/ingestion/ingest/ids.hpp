// ids.hpp — the names of an object's event, its file and its run: derived, never drawn.
//
// The same object delivered twice, or again after a crash between any two lines, asks for the same rows and the
// same run.
#pragma once

#include <string>
#include <string_view>

#include "ingestion/ingest/workflow_type.hpp"

namespace belay::ingest {

// sha256("{key}:{etag}") in hex; from generation 2 on (the object was deleted and created again, or a new run was
// forced) with "_g2" behind it. Quotes around the etag do not count.
std::string upload_event_id(std::string_view key, std::string_view etag, int generation = 1);

// "imgcls_" + upload_event_id, and so on for the other types.
std::string run_id(const WorkflowType& type, std::string_view event_id);

// One file row for each event and type.
std::string file_id(const WorkflowType& type, std::string_view event_id);

}  // namespace belay::ingest
