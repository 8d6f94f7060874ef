// runs_export.cpp — `belay runs export ID`: everything recorded of a run, as one file.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/env/files.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/runs_export.hpp"
#include "service/cli/runs_over_http.hpp"

namespace belay::cli {

model::History history_of(store::Store& store, const std::string& id) {
    // Stages are read after their run, and it may have gone on in between: then read again, so that the
    // document is of one moment.
    for (int tries = 0; tries < 5; ++tries) {
        const model::Run before = find_run(store, id);
        model::History history{before, store.stages(before.no), store.attempts(before.no)};
        const auto after = store.find_run(before.no);
        const auto stages_after = store.stages(before.no);
        if (after && after->status == before.status && after->updated_at == before.updated_at &&
            stages_after == history.stages)
            return history;
    }
    throw Error(ErrorCode::Overloaded,
                fmt::format("the run {} changes faster than it can be read; pause it, or export it "
                            "when it waits or has ended",
                            id));
}

void write_whole(env::Files& files, const std::filesystem::path& path, std::string_view text) {
    const auto parent =
        path.parent_path().empty() ? std::filesystem::path{"."} : path.parent_path();
    const auto temp = files.create_temp(parent);
    try {
        temp->write(std::as_bytes(std::span{text}));
        temp->sync();
        files.rename(temp->path(), path);
    } catch (const Error&) {
        files.remove(temp->path());
        throw;
    }
    files.sync_folder(parent);
}

void add_runs_export(CLI::App& runs, Session& session) {
    struct Options {
        std::string id;
        std::string output;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        add_command(runs, "export", "Everything recorded of a run, as one JSON document",
                    "belay runs export july --output july.json");
    command->add_option("ID", options->id, kRunIdHelp)->required();
    command->add_option("--output", options->output, "write this file instead of the screen");
    choose(*command, session, [options, &session] {
        if (const auto remote = session.remote())
            return export_remote_run(*remote, options->id, options->output, session.world.screen);
        const auto store = open_to_read(session.place());
        const model::History history = history_of(*store, options->id);
        const std::string text = model::history_json(history);
        if (options->output.empty() || options->output == "-") {
            session.world.screen.out << text;
            return ExitCode::Ok;
        }
        env::SystemFiles files;
        write_whole(files, options->output, text);
        session.world.screen.out << fmt::format(
            "{}: {} stage{}, {} failed attempt{} written to {}.\n", plain(history.run.id),
            history.stages.size(), history.stages.size() == 1 ? "" : "s", history.attempts.size(),
            history.attempts.size() == 1 ? "" : "s", plain(options->output));
        return ExitCode::Ok;
    });
}

}  // namespace belay::cli
