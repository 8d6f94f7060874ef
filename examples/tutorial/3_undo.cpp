// 3_undo.cpp — the tutorial's third chapter: what was done is taken back when a later step cannot. docs/tutorial/3-undo.md
#include <optional>
#include <set>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>
#include <boost/describe.hpp>

using namespace std::chrono_literals;

struct Trip {
    std::string city;
    int nights = 1;
};
BOOST_DESCRIBE_STRUCT(Trip, (), (city, nights))

// The world outside: what is booked, by key. Booking twice under a key is booking once, and so is taking back.
struct World {
    std::set<std::string> booked;
} outside;

std::string book_hotel(const Trip& trip) {
    outside.booked.insert("hotel in " + trip.city);
    return "hotel in " + trip.city;
}
void cancel_hotel(const std::string& booking, const Trip&) { outside.booked.erase(booking); }

// The railway has no receipt for a call that broke off: its undo is told whether there is one, and asks by the key otherwise.
std::string book_train(belay::Attempt&, const Trip& trip) {
    outside.booked.insert("train to " + trip.city);
    return "train to " + trip.city;
}
void cancel_train(std::optional<std::string> booking, const Trip& trip) {
    outside.booked.erase(booking.value_or("train to " + trip.city));
}

std::string book_museum(const Trip& trip) {
    if (trip.city == "Atlantis") throw belay::NonRetryable("there is no museum in Atlantis");
    return "museum";
}

belay::Task<std::string> travel(belay::Context& ctx, Trip trip) {
    co_await ctx.step("hotel", book_hotel, trip).undo(cancel_hotel);
    co_await ctx.step("train", book_train, trip).undo(cancel_train);
    co_await ctx.step("museum", book_museum, trip);
    co_await ctx.sleep(30 * 24h, "until_we_leave");
    co_return "have a good trip to " + trip.city;
}

int main() {
    belay::testing::World world;
    world.engine().define("TRAVEL", travel);
    world.engine().start();
    const auto trip =
        world.engine().submit<std::string>("TRAVEL", Trip{"Atlantis", 2}, {.id = "atlantis"});
    try {
        trip.result();
    } catch (const belay::Error& failed) {
        fmt::print("{}; {} booked\n", failed.what(), outside.booked.size());
    }

    world.engine().submit<std::string>("TRAVEL", Trip{"Uppsala", 2}, {.id = "uppsala"});
    world.advance(24h);
    fmt::print("{} booked\n", outside.booked.size());
    world.engine().cancel("uppsala", "we stay at home");
    world.advance(1h);
    fmt::print("{} booked\n", outside.booked.size());

    // Dying anywhere, also in the middle of the undoing, leaves nothing half booked.
    belay::testing::CrashOptions options;
    options.may_fail = true;
    options.begin = [] { outside = {}; };
    options.effects = [] { return fmt::format("{} booked", outside.booked.size()); };
    const auto report = belay::testing::crash_everywhere(travel, Trip{"Atlantis", 2}, options);
    fmt::print("{}\n", report.passed() ? "whole, wherever it dies" : report.text());
}
