#include "ingestion/cli/commands.hpp"

#include "ingestion/cli/reader_checks.hpp"
#include "service/cli/doctor.hpp"

namespace belay::cli {

void add_ingestion(CLI::App& app, Session& session) {
    session.find_missing = find_missing_objects;
    session.more_checks = [&session] {
        std::vector<Check> checks = check_readers(session.world.environment);
        try {
            checks.push_back(check_inbox(session));
        } catch (const std::exception& error) {
            checks.push_back({"inbox", Health::NotChecked, error.what(), {}});
        }
        for (Check& check : check_models(session.world.environment))
            checks.push_back(std::move(check));
        for (Check& check : check_watch(session.world.environment))
            checks.push_back(std::move(check));
        return checks;
    };
    add_ingest(app, session);
    add_cards(app, session);
    add_inbox(app, session);
    add_content(app, session);
    add_demo(app, session);
}

}  // namespace belay::cli
