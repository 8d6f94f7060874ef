// expect-error: belay: this type has no JSON form.
// expect-error: &Invoice::logo
#include <belay/codec.hpp>

struct Logo {
    std::string url;
};

struct Invoice {
    int number = 0;
    std::vector<Logo> logo;
};
BOOST_DESCRIBE_STRUCT(Invoice, (), (number, logo))

std::string there(const Invoice& invoice) { return belay::to_json(invoice); }
