// 3_undo.cpp — the tutorial's third chapter: what was done is taken back when a later step cannot. docs/tutorial/3-undo.md
#include <set>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>
#include <boost/describe.hpp>

struct Trip {
    std::string city;
    int nights = 1;
};
BOOST_DESCRIBE_STRUCT(Trip, (), (city, nights))

// The world outside: what is booked, by key. Booking twice under a key is booking once, and so is taking back.
struct World {
    std::set<std::string> booked;
} outside;

std::string book_hotel(belay::Attempt& attempt, const Trip& trip) {
    outside.booked.insert("hotel");
    return fmt::format("hotel in {} {}", trip.city, attempt.idempotency_key().substr(0, 4));
}
void cancel_hotel(const std::string&) { outside.booked.erase("hotel"); }

std::string book_train(const Trip& trip) {
    outside.booked.insert("train");
    return "train to " + trip.city;
}
void cancel_train(const std::string&) { outside.booked.erase("train"); }

std::string book_museum(const Trip& trip) {
    if (trip.city == "Atlantis") throw belay::NonRetryable("there is no museum in Atlantis");
    outside.booked.insert("museum");
    return "museum";
}

// The undoing is code like any other: steps, each recorded, in the order that is right. It is a scope, so that it can be awaited
// where an exception was caught, which C++ does not allow inside the catch itself.
belay::Task<bool> undo(belay::Context& ctx, std::string hotel, std::string train) {
    if (!train.empty()) co_await ctx.step("cancel_train", cancel_train, train);
    if (!hotel.empty()) co_await ctx.step("cancel_hotel", cancel_hotel, hotel);
    co_return true;
}

belay::Task<std::string> travel(belay::Context& ctx, Trip trip) {
    std::string hotel, train, why;
    try {
        hotel = co_await ctx.step("hotel", book_hotel, trip);
        train = co_await ctx.step("train", book_train, trip);
        co_await ctx.step("museum", book_museum, trip);
    } catch (const belay::StepFailed& failed) {
        why = failed.what();
    }
    if (why.empty()) co_return "booked: " + trip.city;
    co_await ctx.scope("undo", undo, hotel, train);
    co_return "taken back: " + why;
}

int main() {
    belay::testing::World world;
    world.engine().define("TRAVEL", travel);
    world.engine().start();
    for (const char* city : {"Uppsala", "Atlantis"}) {
        outside = {};
        const std::string said = world.engine().submit<std::string>("TRAVEL", Trip{city, 2}).result();
        fmt::print("{}; {} booked\n", said, outside.booked.size());
    }
    // Dying anywhere, also in the middle of the undoing, leaves nothing half booked.
    belay::testing::CrashOptions options;
    options.begin = [] { outside = {}; };
    options.effects = [] { return fmt::format("{} booked", outside.booked.size()); };
    const auto report = belay::testing::crash_everywhere(travel, Trip{"Atlantis", 2}, options);
    fmt::print("{}\n", report.passed() ? "whole, wherever it dies" : report.text());
}
