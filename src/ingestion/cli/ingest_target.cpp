#include "ingestion/cli/ingest_target.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/engine.hpp>
#include <belay/error.hpp>

#include "ingestion/cli/ingesting.hpp"
#include "ingestion/cli/own_organization.hpp"
#include "ingestion/ingest/content_type.hpp"
#include "service/cli/data_folder.hpp"
#include "service/cli/version.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kFileBytesMax = 2ull << 30;
constexpr Duration kLookEvery{100};

std::ifstream opened(const std::string& file) {
    std::ifstream in{file, std::ios::binary};
    std::error_code error;
    if (!in || fs::is_directory(file, error))
        throw Error(ErrorCode::NotFound, "there is no such file, or it cannot be read");
    return in;
}

// A server is told the size before the bytes.
std::uint64_t size_of(const std::string& file) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(file, error);
    if (error)
        throw Error(ErrorCode::InvalidArgument,
                    "it is no plain file: save what it gives as one, and send that");
    return size;
}

class LocalTarget final : public IngestTarget {
public:
    LocalTarget(const Place& place, World& world)
        : organization_(own_organization(world)), engine_(open(place)) {
        ingesting_ = std::make_unique<Ingesting>(place.data_folder, world.clock,
                                                 ingesting_options(place, world.environment));
        ingesting_->define(*engine_);
        engine_->start();
    }
    ~LocalTarget() override { engine_->stop(); }

    Taken put(const std::string& file, const std::string& type) override {
        std::ifstream in = opened(file);
        const auto writer = ingesting_->object_store().begin(kFileBytesMax);
        std::string first;
        std::string piece(1u << 18, '\0');
        while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
               in.gcount() > 0) {
            const std::string_view got{piece.data(), static_cast<std::size_t>(in.gcount())};
            if (first.empty()) first = got.substr(0, ingest::kSniffBytes);
            writer->write(got);
        }
        const std::string name = fs::path(file).filename().string();
        const auto taken = ingesting_->uploads().finish(
            *writer, {organization_, name, ingest::content_type_of(first, "", name), type, false});
        return {taken.workflow_run_id, taken.workflow_key, taken.status, taken.duplicate};
    }

    Ended await(const std::string& id) override {
        const auto run = engine_->find<json::value>(id);
        Ended ended;
        try {
            ended.result = run.result();
        } catch (const Error& error) {
            ended.error = error.what();
        }
        ended.status = to_string(run.status());
        return ended;
    }

private:
    static std::unique_ptr<Engine> open(const Place& place) {
        make_data_folder(place);
        EngineOptions options;
        options.code_version = std::string(version());
        return std::make_unique<Engine>(config_of(place), options);
    }

    const std::string organization_;
    // Destroyed after the engine, whose steps use it; made after it, because only who holds the store's lock may
    // tidy up among the objects.
    std::unique_ptr<Ingesting> ingesting_;
    std::unique_ptr<Engine> engine_;
};

class ServerTarget final : public IngestTarget {
public:
    ServerTarget(std::unique_ptr<ServerClient> remote, World& world)
        : remote_(std::move(remote)), world_(world) {}

    Taken put(const std::string& file, const std::string& type) override {
        std::ifstream in = opened(file);
        ServerFile sent;
        sent.name = fs::path(file).filename().string();
        sent.workflow_type = type;
        sent.size = size_of(file);
        sent.read = [&](std::span<std::byte> space) {
            in.read(reinterpret_cast<char*>(space.data()),
                    static_cast<std::streamsize>(space.size()));
            return static_cast<std::size_t>(in.gcount());
        };
        const json::value answer = remote_->upload(sent);
        if (const auto& errors = answer.at("errors").as_array(); !errors.empty())
            throw Error(ErrorCode::InvalidArgument,
                        std::string(errors.front().at("error").as_string()));
        const json::value& one = answer.at("uploads").at(0);
        return {std::string(one.at("workflow_run_id").as_string()),
                std::string(one.at("workflow_key").as_string()),
                std::string(one.at("status").as_string()), one.at("duplicate").as_bool()};
    }

    Ended await(const std::string& id) override {
        for (;;) {
            const json::value run = remote_->get("/api/runs/" + in_url(id));
            Ended ended;
            ended.status = run.at("status").as_string();
            const auto status = run_status(ended.status);
            if (status && (is_finished(*status) || *status == RunStatus::Paused)) {
                ended.result = run.at("result");
                if (*status != RunStatus::Succeeded) {
                    const json::value& error = run.at("error");
                    ended.error = error.is_object() ? std::string(error.at("message").as_string())
                                                    : fmt::format("the run is {}", ended.status);
                }
                return ended;
            }
            world_.nap(kLookEvery);
        }
    }

private:
    const std::unique_ptr<ServerClient> remote_;
    World& world_;
};

}  // namespace

std::unique_ptr<IngestTarget> local_target(const Place& place, World& world) {
    if (place.data_folder.empty())
        throw Error(ErrorCode::InvalidArgument, "files need a data directory: say --data DIR");
    return std::make_unique<LocalTarget>(place, world);
}

std::unique_ptr<IngestTarget> remote_target(std::unique_ptr<ServerClient> remote, World& world) {
    return std::make_unique<ServerTarget>(std::move(remote), world);
}

}  // namespace belay::cli
