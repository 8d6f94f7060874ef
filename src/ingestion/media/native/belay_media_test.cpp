// belay_media_test.cpp — the real helper program with pictures that people and fuzzers send.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ingestion/isolate/call.hpp"
#include "ingestion/isolate/pool.hpp"
#include "ingestion/media/jobs.hpp"
#include "ingestion/media/native/image_bench.hpp"
#include "ingestion/media/native/resize.hpp"
#include "ingestion/media/read_jobs.hpp"

namespace belay::media {
namespace {

isolate::PoolOptions with_belay_media(int jobs_at_once) {
    isolate::PoolOptions options;
    options.program = BELAY_MEDIA_PROGRAM;
    options.jobs_at_once = jobs_at_once;
    options.environment = {{"BELAY_CLASSIFIER_FOLDER", BELAY_CLASSIFIER_FOLDER}};
    // As a server has it: the second reader in a helper of its own.
    options.arguments = {fmt::format("-{}", ReadPageAgain::kName)};
    return options;
}

isolate::PoolOptions with_second_reader(int jobs_at_once, const std::string& folder) {
    auto options = with_belay_media(jobs_at_once);
    options.arguments = {std::string{ReadPageAgain::kName}};
    options.environment = {{"BELAY_READER_FOLDER", folder}};
    return options;
}

std::vector<isolate::Blob> one(std::string_view bytes) {
    std::vector<isolate::Blob> inputs;
    inputs.push_back(isolate::Blob::of(bytes));
    return inputs;
}

// A clock as children draw it, which ImageNet knows well.
Image drawn_clock(int size) {
    Image image(size, size);
    const double middle = size / 2.0, radius = size * 0.42;
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
            const double dx = x - middle, dy = y - middle;
            const double r = std::hypot(dx, dy), angle = std::atan2(dx, -dy);
            const auto near_hand = [&](double at, double length, double width) {
                const double along = dx * std::sin(at) - dy * std::cos(at);
                const double across = dx * std::cos(at) + dy * std::sin(at);
                return along > -0.08 * radius && along < length * radius &&
                       std::abs(across) < width * radius;
            };
            const double hour = angle * 6 / std::numbers::pi;
            const bool tick = r > 0.80 * radius && r < 0.93 * radius &&
                              std::abs(hour - std::round(hour)) * r < 0.07 * radius;
            std::uint8_t shade = 200;
            if (r < radius * 1.08) shade = 60;
            if (r < radius) shade = 250;
            if (tick || near_hand(-1.0, 0.55, 0.035) || near_hand(1.05, 0.75, 0.025)) shade = 15;
            std::fill_n(image.row(y) + 3 * x, 3, shade);
        }
    }
    return image;
}

TEST(BelayMedia, started_for_some_jobs_it_has_no_others) {
    auto options = with_belay_media(1);
    options.arguments = {"inspect_image"};
    isolate::Pool pool{options};

    EXPECT_EQ(pool.start().jobs, std::vector<std::string>{"inspect_image"});
    const auto photo = jpeg_turned(four_quarters(16, 12), 1, true);
    EXPECT_EQ(isolate::call<InspectImage>(pool, {}, one(photo)).value.format, "jpeg");
    EXPECT_THROW(isolate::call<MakeThumbnail>(pool, {.side = 320, .quality = 80}, one(photo)),
                 isolate::JobFailed);
}

TEST(BelayMedia, started_for_all_but_some_jobs_it_has_the_others) {
    auto options = with_belay_media(1);
    options.arguments = {"-read_page_again", "-read_page", "-classify_image"};
    isolate::Pool pool{options};

    const auto jobs = pool.start().jobs;
    EXPECT_EQ(std::count(jobs.begin(), jobs.end(), "read_page_again"), 0);
    EXPECT_EQ(std::count(jobs.begin(), jobs.end(), "inspect_image"), 1);

    options.arguments = {"-inspect_imaeg"};
    isolate::Pool wrong{options};
    EXPECT_THROW(wrong.start(), isolate::JobFailed);
}

TEST(BelayMedia, a_job_that_it_does_not_know_keeps_it_from_starting) {
    auto options = with_belay_media(1);
    options.arguments = {"inspect_imaeg"};
    isolate::Pool pool{options};

    EXPECT_THROW(pool.start(), isolate::JobFailed);
}

TEST(BelayMedia, inspects_and_shrinks_pictures) {
    isolate::Pool pool{with_belay_media(2)};
    const auto photo = jpeg_turned(four_quarters(1600, 1200), 6, true);

    const auto seen = isolate::call<InspectImage>(pool, {}, one(photo));
    EXPECT_EQ(seen.value.format, "jpeg");
    EXPECT_EQ(seen.value.width, 1200);
    EXPECT_EQ(seen.value.height, 1600);

    const auto small = isolate::call<MakeThumbnail>(pool, {.side = 320, .quality = 80}, one(photo));
    EXPECT_EQ(small.value.height, 320);
    ASSERT_EQ(small.blobs.size(), 1u);
    const auto image = decode_image(small.blobs[0]);
    EXPECT_EQ(image.width, 240);
    EXPECT_EQ(quarters_of(image), "brwg");
}

TEST(BelayMedia, hostile_pictures_fail_alone_with_a_typed_error_twenty_at_a_time) {
    isolate::Pool pool{with_belay_media(20)};
    const auto files = hostile_images();
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::set<std::string> codes;
    {
        std::vector<std::jthread> callers;
        for (int t = 0; t < 20; ++t) {
            callers.emplace_back([&] {
                for (auto i = next++; i < files.size(); i = next++) {
                    isolate::Limits limits;
                    limits.wall_time = std::chrono::seconds{10};
                    try {
                        isolate::call<MakeThumbnail>(pool, {}, one(files[i].bytes), limits);
                    } catch (const isolate::JobFailed& failure) {
                        EXPECT_EQ(failure.code(), isolate::FailureCode::Rejected)
                            << files[i].name << ": " << failure.what();
                        const std::lock_guard lock{mutex};
                        codes.insert(failure.reject_code());
                    }
                }
            });
        }
    }
    EXPECT_EQ(codes, (std::set<std::string>{"empty", "not_an_image", "truncated", "corrupt",
                                            "too_many_pixels"}));
    EXPECT_EQ(pool.starts(), 1);
}

TEST(BelayMedia, knows_a_clock_when_it_sees_one) {
    if (!std::filesystem::exists(std::string{BELAY_CLASSIFIER_FOLDER} + "/model.tflite")) {
        GTEST_SKIP() << "no image model here; tools/setup models fetches it";
    }
    isolate::Pool pool{with_belay_media(2)};

    const auto reply =
        isolate::call<ClassifyImage>(pool, {.top = 4}, one(to_png(drawn_clock(600))));

    ASSERT_EQ(reply.value.labels.size(), 4u);
    const auto& best = reply.value.labels[0];
    EXPECT_TRUE(best.index == 409 || best.index == 892) << best.label;  // analog clock, wall clock
    EXPECT_NE(best.label.find("clock"), std::string::npos);
    for (std::size_t i = 1; i < 4; ++i)
        EXPECT_LE(reply.value.labels[i].score, reply.value.labels[i - 1].score);
    EXPECT_EQ(reply.value.model, "inception_v3");
}

TEST(BelayMedia, without_the_second_readers_models_pages_are_read_by_the_first_alone) {
    isolate::Pool pool{with_second_reader(1, "/no/such/folder")};
    const auto photo = to_png(Image(80, 60));

    std::string why;
    for (const auto& [job, reason] : pool.start().unavailable) {
        if (job == ReadPageAgain::kName) why = reason;
    }
    EXPECT_NE(why.find("the second reader is not installed (looked in /no/such/folder)"),
              std::string::npos);
    try {
        isolate::call<ReadPageAgain>(pool, {}, one(photo));
        FAIL();
    } catch (const isolate::JobFailed& failure) {
        EXPECT_EQ(failure.reject_code(), "unavailable");
    }
    isolate::Pool first{with_belay_media(1)};
    EXPECT_TRUE(isolate::call<ReadPage>(first, {}, one(photo)).value.page.words.empty());
}

TEST(BelayMedia, hostile_pictures_and_arguments_do_the_second_reader_no_harm) {
    if (!std::filesystem::exists(std::string{BELAY_READER_FOLDER} + "/detect.onnx"))
        GTEST_SKIP() << "no second reader here; tools/setup models fetches it";
    isolate::Pool pool{with_second_reader(2, BELAY_READER_FOLDER)};
    const isolate::Limits limits{};
    for (const auto& file : hostile_images()) {
        try {
            isolate::call<ReadPageAgain>(pool, {}, one(file.bytes), limits);
        } catch (const isolate::JobFailed& failure) {
            EXPECT_EQ(failure.code(), isolate::FailureCode::Rejected)
                << file.name << ": " << failure.what();
        }
    }
    const auto page = isolate::call<ReadPageAgain>(
        pool, {.page = 1, .language = "xyz", .rotation = -450, .skew = 1e300},
        one(to_png(Image(80, 60))), limits);
    EXPECT_EQ(page.value.page.rotation, 270);
    EXPECT_EQ(pool.starts(), 1);
}

TEST(BelayMedia, the_largest_picture_fits_into_the_memory_of_the_second_readers_job) {
    if (!std::filesystem::exists(std::string{BELAY_READER_FOLDER} + "/detect.onnx"))
        GTEST_SKIP() << "no second reader here; tools/setup models fetches it";
    isolate::Pool pool{with_second_reader(1, BELAY_READER_FOLDER)};
    Image sheet(3870, 5160);  // as many pixels as a picture is read with
    std::fill(sheet.rgb.begin(), sheet.rgb.end(), std::uint8_t{255});

    const auto page = isolate::call<ReadPageAgain>(pool, {}, one(to_png(sheet))).value.page;

    EXPECT_EQ(page.width, 3870);
    EXPECT_TRUE(page.words.empty());
}

TEST(BelayMedia, without_a_model_other_jobs_work_and_the_reason_is_given) {
    auto options = with_belay_media(1);
    options.environment = {{"BELAY_CLASSIFIER_FOLDER", "/no/such/folder"}};
    isolate::Pool pool{options};
    try {
        isolate::call<ClassifyImage>(pool, {}, one(small_gif()));
        FAIL();
    } catch (const isolate::JobFailed& failure) {
        EXPECT_EQ(failure.reject_code(), "unavailable");
        EXPECT_NE(std::string{failure.what()}.find(
                      "no image model is installed (looked in /no/such/folder)"),
                  std::string::npos);
    }
    EXPECT_EQ(isolate::call<InspectImage>(pool, {}, one(small_gif())).value.width, 2);
}

// As large as the standard allows, with curves all over it: drawing and reading it took 754 MiB once.
std::string huge_pdf(int side, int curves) {
    std::minstd_rand random{1};
    const auto near = [&](int at) {
        return std::clamp(at + static_cast<int>(random() % 199) - 99, 0, side);
    };
    std::string drawing = "0 0 m\n";
    for (int i = 0; i < curves; ++i) {
        const int x = static_cast<int>(random() % static_cast<unsigned>(side));
        const int y = static_cast<int>(random() % static_cast<unsigned>(side));
        drawing += fmt::format("{} {} {} {} {} {} c\n", near(x), near(y), near(x), near(y), near(x),
                               near(y));
    }
    drawing += "S\n";
    return fmt::format(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 {0} {0}]/Contents 4 0 R>>endobj\n"
        "4 0 obj<</Length {1}>>stream\n{2}\nendstream endobj\ntrailer<</Root 1 0 R>>\n",
        side, drawing.size(), drawing);
}

// The job's own end does not matter here: an answer, or a refusal with a reason.
template <class Spec>
void run_to_its_end(isolate::Pool& pool, const typename Spec::Arguments& arguments,
                    std::string_view file) {
    isolate::Limits limits;
    limits.wall_time = std::chrono::minutes{10};
    try {
        isolate::call<Spec>(pool, arguments, one(file), limits);
    } catch (const isolate::JobFailed& failure) {
        EXPECT_NE(failure.code(), isolate::FailureCode::Crashed) << Spec::kName << failure.what();
    }
}

TEST(BelayMedia, no_job_has_more_memory_than_the_one_number_says) {
    isolate::Pool pool{with_belay_media(1)};
    const std::string curves = huge_pdf(14'400, 300'000);
    const std::string empty = huge_pdf(14'400, 1);

    for (const std::string& pdf : {curves, empty}) {
        run_to_its_end<ReadPdf>(pool, {}, pdf);
        run_to_its_end<ReadPage>(pool, {}, pdf);
        run_to_its_end<RenderPage>(pool, {.page = 1, .side = 4096}, pdf);
    }

    EXPECT_GT(pool.peak_bytes(), 50u << 20) << "nothing was measured";
    EXPECT_LE(pool.peak_bytes(), isolate::kJobMemoryBytes + curves.size());
    RecordProperty("peak_mib", static_cast<int>(pool.peak_bytes() >> 20));
    fmt::print("the most that a job had: {} MiB\n", pool.peak_bytes() >> 20);
}

TEST(BelayMedia, the_documents_say_the_number_that_is_held) {
    const std::string number = fmt::format("{} MiB", isolate::kJobMemoryBytes >> 20);
    for (const char* name : {"docs/internals/isolation.md", "docs/reliability.md"}) {
        std::ifstream file{std::filesystem::path{BELAY_SOURCE_FOLDER} / name};
        const std::string text{std::istreambuf_iterator<char>{file}, {}};
        EXPECT_NE(text.find(number), std::string::npos) << name << " does not say " << number;
    }
}

}  // namespace
}  // namespace belay::media
