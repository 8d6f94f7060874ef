// commands.hpp — the application's own commands, beside those that serve any engine.
#pragma once

#include "service/cli/command.hpp"

namespace belay::cli {

// All of them, and what a backup has to look for: what `belay` is given beside service/cli.
void add_ingestion(CLI::App& app, Session& session);

void add_ingest(CLI::App& app, Session& session);
void add_cards(CLI::App& app,
               Session& session);  // list, show, match, link, confirm, reject, ignore; export
void add_inbox(CLI::App& app, Session& session);  // list, show, retry, drop
struct Check;
Check check_inbox(Session& session);                // for the doctor
void add_content(CLI::App& app, Session& session);  // extract, and those of the next three
void add_content_fetch(CLI::App& content, Session& session);  // fetch, index
void add_content_map(CLI::App& content, Session& session);
void add_content_look(CLI::App& content, Session& session);  // list, get, search, links, stats
void add_demo(CLI::App& app, Session& session);

// Objects that rows of files name and the folder does not have.
std::vector<std::string> find_missing_objects(const std::filesystem::path& folder,
                                              store::Store& store, const env::Clock& clock);

}  // namespace belay::cli
