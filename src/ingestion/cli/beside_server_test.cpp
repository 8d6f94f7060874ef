// beside_server_test.cpp — whole command lines while a server runs: on its data directory, and asked with --server.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "ingestion/cli/belay_bench.hpp"
#include "ingestion/ingest/tables.hpp"
#include "service/api/tables.hpp"
#include "service/cli/run.hpp"
#include "service/cli/tokens.hpp"

namespace belay::cli {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

class BesideServer : public ::testing::Test {
protected:
    BesideServer() {
        std::string name = testing::TempDir() + "belay-beside-XXXXXX";
        folder = ::mkdtemp(name.data());
        place = {folder / "belay.db", folder, " --data " + folder.string(), {}, {}};
    }
    ~BesideServer() override { std::filesystem::remove_all(folder); }

    template <class F>
    void serve_during(F during, const std::string& listen = "127.0.0.1:0") {
        const auto none = [](const std::string&) { return std::nullopt; };
        const auto options =
            serve_options(gather_settings({{"listen", listen}, {"workers", "2"}}, none, ""));
        std::ostringstream quiet;
        serve(place, options, {quiet, quiet, [&](const std::string& at) {
                                   url = at;
                                   during();
                               }});
    }

    ExitCode belay(std::vector<std::string> words) {
        out.str("");
        errors.str("");
        World world{Screen{out}, errors, [](const std::string&) { return std::nullopt; }, clock,
                    [](Duration) { ::usleep(1000); }};
        return run_belay(words, world);
    }
    ExitCode on_folder(std::vector<std::string> words) {
        words.insert(words.end(), {"--data", folder.string()});
        return belay(std::move(words));
    }
    ExitCode on_server(std::vector<std::string> words) {
        words.insert(words.end(), {"--server", url});
        return belay(std::move(words));
    }
    json::value told() const { return json::parse(out.str()); }

    // Of a workflow that the server does not have: it stays as it is. `ago` is how old it is.
    void make_run(const std::string& id, Duration ago, Time not_before = {},
                  const std::string& organization = "default") {
        const auto store = open_to_execute(place);
        store::Submit submit;
        submit.run.id = id;
        submit.run.workflow_key = "INVOICE";
        submit.run.organization_id = organization;
        submit.run.input = "null";
        submit.run.available_at = not_before;
        store::Batch batch;
        batch.now = clock.now() - ago;
        batch.verbs.emplace_back(std::move(submit));
        store->commit(batch);
    }
    void make_statement() {
        const auto store = open_to_execute(place);
        store->migrate({std::string(ingest::kOwner), ingest::migrations()});
        api::StoreTables{*store, clock}.transact([](Tx& tx) {
            tx.exec(
                "INSERT INTO creditcard_invoices_main (organization_id, invoice_number, "
                "source_file_id, card_total, created_at, updated_at) "
                "VALUES ('default', 'S-1', 'file_1', '120.00', ?, ?)",
                tx.now(), tx.now());
            tx.exec(
                "INSERT INTO invoice_documents (id, organization_id, invoice_type, source_file_id, "
                "creditcard_main_id, uploaded_at, updated_at) "
                "VALUES ('doc_1', 'default', 'credit_card_invoice', 'file_1', 1, ?, ?)",
                tx.now(), tx.now());
            for (const int number : {1, 2, 3}) {
                tx.exec(
                    "INSERT INTO invoice_lines (invoice_id, line_no, description, amount, "
                    "created_at) "
                    "VALUES ('doc_1', ?, 'Fika', '40.00', ?)",
                    number, tx.now());
            }
        });
    }
    std::vector<std::string> ids() const {
        std::vector<std::string> found;
        const json::value answer = told();
        for (const json::value& run : answer.at("runs").as_array())
            found.emplace_back(run.at("id").as_string());
        return found;
    }

    std::filesystem::path folder;
    Place place;
    std::string url;
    env::SystemClock clock;
    std::ostringstream out;
    std::ostringstream errors;
};

using Ids = std::vector<std::string>;

TEST_F(BesideServer, a_file_that_the_server_refuses_is_told_with_its_reason) {
    const std::filesystem::path file = folder / "fake.pdf";
    std::ofstream(file) << "no document";
    serve_during([&] {
        EXPECT_EQ(on_server({"ingest", file.string()}), ExitCode::Failed);
        EXPECT_NE(
            out.str().find("this is text/plain; PDF, XML, PNG, JPEG, WebP and GIF files are taken"),
            std::string::npos)
            << out.str() << errors.str();
    });
}

TEST_F(BesideServer, a_file_goes_to_the_organization_that_is_named_whoever_executes) {
    const std::filesystem::path file = folder / "reef.png";
    std::ofstream(file) << "\x89PNG\r\n\x1a\n no picture";
    serve_during([&] {
        EXPECT_EQ(on_folder({"ingest", file.string(), "--type", "image", "--organization", "acme"}),
                  ExitCode::Ok)
            << errors.str();
        EXPECT_EQ(on_folder({"runs", "list", "--organization", "acme", "--json"}), ExitCode::Ok);
        EXPECT_EQ(ids().size(), 1u) << out.str();
        EXPECT_EQ(on_folder({"ingest", file.string(), "--organization", "acme/x"}),
                  ExitCode::Failed);
    });
}

TEST_F(BesideServer, statements_and_exports_are_read_whoever_executes) {
    make_statement();
    serve_during([&] {
        EXPECT_EQ(on_folder({"cards", "list"}), ExitCode::Ok) << errors.str();
        const std::string listed = out.str();
        EXPECT_NE(listed.find("S-1"), std::string::npos) << listed;
        EXPECT_EQ(on_server({"cards", "list"}), ExitCode::Ok) << errors.str();
        EXPECT_EQ(out.str(), listed);

        EXPECT_EQ(on_folder({"cards", "show", "doc_1", "--json"}), ExitCode::Ok) << errors.str();
        const std::string shown = out.str();
        EXPECT_EQ(told().at("rows").at(0).at("description"), "Fika");
        EXPECT_EQ(on_server({"cards", "show", "doc_1", "--json"}), ExitCode::Ok) << errors.str();
        EXPECT_EQ(out.str(), shown);
        EXPECT_EQ(on_folder({"cards", "show", "9"}), ExitCode::Failed);
        EXPECT_EQ(on_server({"cards", "show", "9"}), ExitCode::Failed);

        for (const std::string format : {"csv", "sie"}) {
            EXPECT_EQ(on_folder({"export", format}), ExitCode::Ok) << errors.str();
            const std::string exported = out.str();
            EXPECT_FALSE(exported.empty());
            EXPECT_EQ(on_server({"export", format}), ExitCode::Ok) << errors.str();
            EXPECT_EQ(out.str(), exported);
        }
    });
    const auto somebody = open_to_execute(place);
    EXPECT_EQ(on_folder({"cards", "list"}), ExitCode::Ok) << errors.str();
}

TEST_F(BesideServer, the_lines_of_a_statement_are_changed_by_who_executes) {
    make_statement();
    EXPECT_EQ(on_folder({"cards", "ignore", "1"}), ExitCode::Ok) << errors.str();
    EXPECT_EQ(out.str(), "line 1 is ignored\n");
    serve_during([&] {
        EXPECT_EQ(on_folder({"cards", "ignore", "2"}), ExitCode::Ok) << errors.str();
        EXPECT_EQ(out.str(), "line 2 is ignored\n");
        EXPECT_EQ(on_server({"cards", "ignore", "3"}), ExitCode::Ok) << errors.str();
        EXPECT_EQ(out.str(), "line 3 is ignored\n");
        EXPECT_EQ(on_folder({"cards", "confirm", "1"}), ExitCode::Failed);
        EXPECT_NE(errors.str().find("the line is `ignored`"), std::string::npos) << errors.str();
        EXPECT_EQ(on_server({"cards", "confirm", "1"}), ExitCode::Failed);
        EXPECT_EQ(on_server({"cards", "confirm", "77"}), ExitCode::Failed);
        EXPECT_EQ(on_folder({"cards", "match", "doc_1", "--json"}), ExitCode::Ok) << errors.str();
        const std::string matched = out.str();
        EXPECT_EQ(on_server({"cards", "match", "doc_1", "--json"}), ExitCode::Ok) << errors.str();
        EXPECT_EQ(told().at("document_id"), json::parse(matched).at("document_id"));
    });
}

TEST_F(BesideServer, pages_are_fetched_and_indexed_by_the_server_of_the_directory) {
    serve_during([&] {
        EXPECT_EQ(on_folder({"content", "fetch", "http://127.0.0.1:1/"}), ExitCode::Failed);
        EXPECT_NE(out.str().find("failed"), std::string::npos) << out.str();
        EXPECT_NE(errors.str().find(url), std::string::npos) << errors.str();
        EXPECT_EQ(
            on_server({"content", "fetch", "--include", "http://127*", "--dry-run", "--json"}),
            ExitCode::Ok)
            << errors.str();
        EXPECT_EQ(told().at("documents"), 1);
        EXPECT_EQ(on_folder({"content", "index", "--all"}), ExitCode::Ok) << errors.str();
        EXPECT_EQ(out.str(), "Nothing to index: every text is.\n");
        EXPECT_EQ(on_server({"content", "index", "--all", "--force"}), ExitCode::Usage);
        EXPECT_EQ(on_folder({"content", "get", "http://127.0.0.1:1/"}), ExitCode::Failed);
        const std::string said = out.str();
        EXPECT_EQ(on_server({"content", "get", "http://127.0.0.1:1/"}), ExitCode::Failed);
        EXPECT_EQ(out.str(), said);
    });
}

TEST_F(BesideServer, the_pages_of_a_site_are_kept_while_a_server_runs) {
    serve_during([&] {
        EXPECT_EQ(on_folder({"content", "map", url, "--allow", "127.0.0.1", "--json"}),
                  ExitCode::Ok)
            << errors.str();
        EXPECT_GE(told().at("new").as_int64(), 1);
        EXPECT_EQ(on_server({"content", "list", "--json"}), ExitCode::Ok) << errors.str();
        EXPECT_EQ(told().at("documents").at(0).at("status"), "NOT_FETCHED");
        EXPECT_EQ(on_server({"content", "map", url}), ExitCode::Usage);
        EXPECT_NE(errors.str().find("--data DIR"), std::string::npos) << errors.str();
    });
}

TEST_F(BesideServer, a_program_that_is_no_server_is_named_and_what_to_do) {
    const auto somebody = open_to_execute(place);
    EXPECT_EQ(on_folder({"content", "fetch", "http://127.0.0.1:1/"}), ExitCode::NoStore);
    EXPECT_NE(errors.str().find("--server URL"), std::string::npos) << errors.str();
    EXPECT_NE(errors.str().find(fmt::format("process {}", ::getpid())), std::string::npos)
        << errors.str();
}

TEST_F(BesideServer, its_runs_are_listed_by_the_same_filters) {
    make_run("july-1", 5h);
    make_run("july-2", 4h);
    make_run("august-1", 3h, clock.now() + 24h);
    make_run("july-3", 2h);
    make_run("july-4", 1h);
    serve_during([&] {
        ASSERT_EQ(on_server({"runs", "list", "--json"}), ExitCode::Ok) << errors.str();
        EXPECT_EQ(ids(), (Ids{"july-4", "july-3", "august-1", "july-2", "july-1"}));
        ASSERT_EQ(on_server({"runs", "list", "--since", "210m", "--json"}), ExitCode::Ok)
            << errors.str();
        EXPECT_EQ(ids(), (Ids{"july-4", "july-3", "august-1"}));
        ASSERT_EQ(on_server({"runs", "list", "--until", "90m", "--since", "270m", "--text", "july",
                             "--json"}),
                  ExitCode::Ok);
        EXPECT_EQ(ids(), (Ids{"july-3", "july-2"}));
        ASSERT_EQ(on_server({"runs", "list", "--ended-since", "1d", "--json"}), ExitCode::Ok);
        EXPECT_EQ(ids(), Ids{});

        ASSERT_EQ(on_server({"runs", "list", "--stalled", "--json"}), ExitCode::Ok);
        const json::value stalled = told();
        for (const json::value& run : stalled.at("runs").as_array()) {
            EXPECT_NE(run.at("id"), "august-1");
            EXPECT_FALSE(run.at("stalled").is_null());
        }
    });
}

TEST_F(BesideServer, runs_of_another_organization_are_named_before_the_command_or_after_it) {
    make_run("july-1", 2h);
    make_run("july-2", 1h, {}, "acme");
    serve_during([&] {
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"runs", "list", "--organization", "acme", "--json"},
              std::vector<std::string>{"--organization", "acme", "runs", "list", "--json"}}) {
            ASSERT_EQ(on_server(words), ExitCode::Ok) << errors.str();
            EXPECT_EQ(ids(), Ids{"july-2"});
        }
        ASSERT_EQ(on_server({"runs", "cancel", "--organization", "acme"}), ExitCode::Ok)
            << errors.str();
        ASSERT_EQ(on_server({"runs", "list", "--status", "canceled", "--json"}), ExitCode::Ok);
        EXPECT_EQ(ids(), Ids{});
        ASSERT_EQ(
            on_server({"runs", "list", "--organization", "acme", "--status", "canceled", "--json"}),
            ExitCode::Ok);
        EXPECT_EQ(ids(), Ids{"july-2"});
    });
}

TEST_F(BesideServer, a_page_of_its_runs_says_where_the_next_begins) {
    for (const std::string id : {"july-1", "july-2", "july-3", "july-4", "july-5"})
        make_run(id, 1h);
    serve_during([&] {
        for (const Ids& since : {Ids{}, Ids{"--since", "2h"}}) {
            Ids first{"runs", "list", "--limit", "2", "--json"};
            first.insert(first.end(), since.begin(), since.end());
            ASSERT_EQ(on_server(first), ExitCode::Ok) << errors.str();
            EXPECT_EQ(ids(), (Ids{"july-5", "july-4"}));
            first.insert(first.end(),
                         {"--before", std::string(told().at("next_cursor").as_string())});
            ASSERT_EQ(on_server(first), ExitCode::Ok) << errors.str();
            EXPECT_EQ(ids(), (Ids{"july-3", "july-2"}));
        }
        ASSERT_EQ(on_server({"runs", "list", "--limit", "4"}), ExitCode::Ok);
        EXPECT_NE(out.str().find("There are more: belay runs list --server " + url +
                                 " --limit 4 --before "),
                  std::string::npos)
            << out.str();
    });
}

TEST_F(BesideServer, the_beginning_of_an_id_is_enough) {
    make_run("july-1", 1h);
    make_run("july-2", 1h);
    make_run("august-1", 1h);
    serve_during([&] {
        EXPECT_EQ(on_server({"runs", "why", "augu"}), ExitCode::Ok) << errors.str();
        for (const std::string command : {"show", "export", "cancel"}) {
            EXPECT_EQ(on_server({"runs", command, "augu"}), ExitCode::Ok)
                << command << errors.str();
            EXPECT_NE(out.str().find("august-1"), std::string::npos) << command << out.str();
        }
        EXPECT_EQ(on_server({"runs", "tail", "augu"}), ExitCode::Failed);
        EXPECT_NE(out.str().find("canceled"), std::string::npos) << out.str();
        EXPECT_EQ(on_server({"runs", "show", "july"}), ExitCode::Failed);
        EXPECT_NE(errors.str().find("several runs begin with `july`"), std::string::npos)
            << errors.str();
        EXPECT_EQ(on_server({"runs", "show", "aug"}), ExitCode::Failed);
        EXPECT_NE(errors.str().find("too short"), std::string::npos) << errors.str();
        EXPECT_EQ(on_server({"runs", "show", "september"}), ExitCode::Failed);
        EXPECT_NE(errors.str().find("there is no run `september`"), std::string::npos)
            << errors.str();
    });
}

TEST_F(BesideServer, an_approval_is_answered_by_the_beginning_of_its_id) {
    serve_during([&] {
        for (const auto& where : {Ids{"--data", folder.string()}, Ids{"--server", url}}) {
            const auto with = [&](Ids words) {
                words.insert(words.end(), where.begin(), where.end());
                return belay(words);
            };
            ASSERT_EQ(with({"approvals", "request", "Pay?", "--json"}), ExitCode::Ok)
                << errors.str();
            const std::string id{told().at("id").as_string()};
            EXPECT_EQ(with({"approvals", "approve", id.substr(0, id.size() - 2)}), ExitCode::Ok)
                << errors.str();
            EXPECT_EQ(out.str(), id + " is approved.\n");
        }
    });
}

TEST_F(BesideServer, many_of_its_runs_are_asked_at_once) {
    for (const std::string id : {"july-1", "july-2", "august-1"}) make_run(id, 1h);
    serve_during([&] {
        EXPECT_EQ(on_server({"runs", "cancel", "--text", "july", "--dry-run", "--json"}),
                  ExitCode::Ok);
        EXPECT_EQ(told().at("matched"), 2);
        EXPECT_EQ(on_server({"runs", "cancel", "--text", "july", "--since", "1d"}), ExitCode::Ok)
            << errors.str();
        EXPECT_EQ(out.str(), "cancel: 2 done, 0 refused.\n");
        EXPECT_EQ(on_server({"runs", "list", "--status", "canceled", "--json"}), ExitCode::Ok);
        EXPECT_EQ(ids(), (Ids{"july-2", "july-1"}));
        EXPECT_EQ(on_server({"runs", "delete", "july-1"}), ExitCode::Usage);
        EXPECT_NE(errors.str().find("over HTTP"), std::string::npos) << errors.str();
    });
}

TEST_F(BesideServer, its_queues_are_shown_and_changed) {
    serve_during([&] {
        EXPECT_EQ(on_folder({"queues"}), ExitCode::Ok);
        const std::string listed = out.str();
        EXPECT_EQ(on_server({"queues"}), ExitCode::Ok) << errors.str();
        EXPECT_EQ(out.str(), listed);
        EXPECT_EQ(
            on_server({"queues", "set", "web_documents", "--concurrency", "3", "--rate", "5/1m"}),
            ExitCode::Ok)
            << errors.str();
        EXPECT_EQ(on_server({"queues", "pause", "web_documents", "--reason", "tired"}),
                  ExitCode::Ok)
            << errors.str();
        EXPECT_EQ(on_folder({"queues", "show", "web_documents", "--json"}), ExitCode::Ok);
        const std::string shown = out.str();
        EXPECT_EQ(told().at("concurrency"), 3);
        EXPECT_EQ(told().at("pause_reason"), "tired");
        EXPECT_EQ(on_server({"queues", "show", "web_documents", "--json"}), ExitCode::Ok);
        EXPECT_EQ(out.str(), shown);
        EXPECT_EQ(on_server({"queues", "resume", "web_documents"}), ExitCode::Ok);
        EXPECT_EQ(out.str(), "Queue web_documents goes on.\n");
        EXPECT_EQ(on_server({"queues", "remove", "web_documents"}), ExitCode::Usage);
        for (const std::string verb : {"pause", "resume", "show"}) {
            EXPECT_EQ(on_server({"queues", verb, "nope"}), ExitCode::Failed) << verb;
            EXPECT_EQ(on_folder({"queues", verb, "nope"}), ExitCode::Failed) << verb;
        }
        EXPECT_EQ(on_folder({"queues", "remove", "nope"}), ExitCode::Failed);
    });
}

TEST_F(BesideServer, its_schedules_are_shown_and_paused) {
    serve_during([&] {
        for (const Ids& words : {Ids{"schedules"},
                                 {"schedules", "show", "sweep_content", "--json"},
                                 {"schedules", "next", "sweep_content", "--json"}}) {
            EXPECT_EQ(on_folder(words), ExitCode::Ok) << errors.str();
            const std::string listed = out.str();
            EXPECT_EQ(on_server(words), ExitCode::Ok) << errors.str();
            EXPECT_EQ(out.str(), listed);
        }
        EXPECT_EQ(on_server({"schedules", "pause", "sweep_content"}), ExitCode::Ok) << errors.str();
        EXPECT_NE(out.str().find("sweep_content is paused"), std::string::npos) << out.str();
        EXPECT_EQ(on_server({"schedules", "resume", "sweep_content", "--json"}), ExitCode::Ok);
        EXPECT_EQ(told().at("paused"), false);
        EXPECT_EQ(on_server({"schedules", "remove", "sweep_content"}), ExitCode::Usage);
        for (const std::string verb : {"pause", "resume", "remove"})
            EXPECT_EQ(on_folder({"schedules", verb, "nope"}), ExitCode::Failed) << verb;
        EXPECT_EQ(on_server({"schedules", "pause", "nope"}), ExitCode::Failed);
    });
}

TEST_F(BesideServer, what_it_refuses_is_not_a_line_that_cannot_be_understood) {
    const auto token = api::make_token("default", "first");
    change_tokens_here(*open_to_execute(place), clock, token.request);
    serve_during([&] {
        EXPECT_EQ(on_server({"runs", "list"}), ExitCode::Failed);
        EXPECT_NE(errors.str().find("--token"), std::string::npos) << errors.str();
        EXPECT_EQ(on_server({"runs", "list", "--token", token.secret}), ExitCode::Ok)
            << errors.str();
    });
}

TEST_F(BesideServer, a_type_that_is_none_and_a_file_without_a_size_are_refused_by_name) {
    EXPECT_EQ(on_folder({"ingest", "x.jpg", "--type", "pic"}), ExitCode::Usage);
    EXPECT_NE(errors.str().find("creditcard_invoice"), std::string::npos) << errors.str();
    serve_during([&] {
        EXPECT_EQ(on_folder({"ingest", "/dev/null", "--json"}), ExitCode::Failed);
        EXPECT_NE(out.str().find("no plain file"), std::string::npos) << out.str();
    });
}

}  // namespace
}  // namespace belay::cli
