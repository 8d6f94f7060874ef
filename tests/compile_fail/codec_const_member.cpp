// expect-error: belay: a const member cannot be read back.
#include <belay/codec.hpp>

struct Invoice {
    const int number = 0;
};
BOOST_DESCRIBE_STRUCT(Invoice, (), (number))

Invoice back(std::string_view json) { return belay::from_json<Invoice>(json); }
