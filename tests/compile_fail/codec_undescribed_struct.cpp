// expect-error: belay: this type has no JSON form. Write BOOST_DESCRIBE_STRUCT(YourType, (), (member, ...)) next to it, or specialise belay::Codec<YourType>.
#include <belay/codec.hpp>

struct Invoice {
    int number = 0;
};

std::string there(const Invoice& invoice) { return belay::to_json(invoice); }
