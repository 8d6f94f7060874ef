// expect-ok
#include <belay/codec.hpp>

struct Logo {
    std::string url;
};
BOOST_DESCRIBE_STRUCT(Logo, (), (url))

struct Invoice {
    int number = 0;
    Logo logo;
};
BOOST_DESCRIBE_STRUCT(Invoice, (), (number, logo))

std::string there(const Invoice& invoice) { return belay::to_json(invoice); }
Invoice back(std::string_view json) { return belay::from_json<Invoice>(json); }
