// expect-error: belay: reading a described type starts from its default
#include <belay/codec.hpp>

struct Invoice {
    explicit Invoice(int n) : number(n) {}
    int number;
};
BOOST_DESCRIBE_STRUCT(Invoice, (), (number))

Invoice back(std::string_view json) { return belay::from_json<Invoice>(json); }
