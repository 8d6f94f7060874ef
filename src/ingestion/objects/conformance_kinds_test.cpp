// conformance_kinds_test.cpp — how each store of the conformance suite is set up.
#include <unistd.h>

#include <cstdlib>

#include <gtest/gtest.h>

#include "core/env/clock.hpp"
#include "core/env/memory_files.hpp"
#include "ingestion/objects/conformance_bench.hpp"
#include "ingestion/objects/fake_s3_bench.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "ingestion/objects/s3_store.hpp"
#include "service/http/curl_client.hpp"

namespace belay::objects {
namespace {

class InMemoryFolder final : public StoreUnderTest {
public:
    Store& store() override { return store_; }

private:
    env::MemoryFiles files_;
    env::ManualClock clock_;
    FilesystemStore store_{"/objects", files_, clock_};
};

class RealFolder final : public StoreUnderTest {
public:
    ~RealFolder() override { std::filesystem::remove_all(folder_); }
    Store& store() override { return store_; }

private:
    static std::string make_folder() {
        std::string name = testing::TempDir() + "belay-objects-XXXXXX";
        return ::mkdtemp(name.data());
    }

    std::filesystem::path folder_ = make_folder();
    env::SystemFiles files_;
    env::ManualClock clock_;
    FilesystemStore store_{folder_, files_, clock_};
};

// Over HTTP to a small S3 of our own, or with BELAY_TEST_S3=http://host:port (and the keys beside it) to a
// real one: tests/s3/radosgw.
class OverHttp final : public StoreUnderTest {
public:
    Store& store() override { return store_; }

private:
    static std::string setting(const char* name, const std::string& otherwise) {
        const char* const value = std::getenv(name);
        return value == nullptr ? otherwise : value;
    }

    bool is_real() const { return fake_ == nullptr; }

    S3Options options() const {
        return {.endpoint = is_real() ? setting("BELAY_TEST_S3", "") : fake_->endpoint(),
                .bucket = is_real() ? bucket() : FakeS3::kBucket,
                .credentials = {setting("BELAY_TEST_S3_ACCESS_KEY", FakeS3::kAccessKey),
                                setting("BELAY_TEST_S3_SECRET_KEY", FakeS3::kSecretKey)}};
    }

    static std::string bucket() {
        static int count = 0;
        return "belay-test-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
    }

    std::unique_ptr<FakeS3> fake_ =
        std::getenv("BELAY_TEST_S3") ? nullptr : std::make_unique<FakeS3>();
    http::CurlClient http_{{.addresses = http::AddressPolicy::any()}};
    env::MemoryFiles files_;
    env::SystemClock clock_;
    env::SystemRandom random_;
    env::SystemPause pause_;
    S3Store store_{options(), http_, files_, "/", clock_, random_, pause_};

public:
    OverHttp() { store_.make_bucket(); }
    ~OverHttp() override {
        if (is_real())
            for (const auto& listed : store_.list("").objects) store_.remove(listed.key);
    }
};

}  // namespace

std::vector<StoreKind> store_kinds() {
    return {{"MemoryFolder", [] { return std::make_unique<InMemoryFolder>(); }},
            {"Folder", [] { return std::make_unique<RealFolder>(); }},
            {"S3", [] { return std::make_unique<OverHttp>(); }}};
}

}  // namespace belay::objects
