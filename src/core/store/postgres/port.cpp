// port.cpp — what a program that links belay::postgres has, and others have not.
#include <utility>

#include "core/store/postgres/database_clock.hpp"
#include "core/store/postgres/open.hpp"
#include "core/store/postgres_port.hpp"

namespace belay::store {

extern "C" [[gnu::used]] const PostgresPort* belay_postgres_port() {
    static constexpr PostgresPort kPort{
        [](const std::string& address, bool execute, const std::string& application,
           ClockOffset offset) {
            postgres::OpenOptions options;
            options.execute = execute;
            options.application = application;
            options.clock_offset = std::move(offset);
            return postgres::open(address, options);
        },
        [](ClockOffset offset) -> std::shared_ptr<env::Clock> {
            return std::make_shared<postgres::DatabaseClock>(std::move(offset));
        }};
    return &kPort;
}

}  // namespace belay::store
