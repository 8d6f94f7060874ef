// expect-error: belay: this enum has no JSON form. Write BOOST_DESCRIBE_ENUM(YourEnum, Name, ...) next to it
#include <belay/codec.hpp>

enum class Status { Open, Paid };

std::string there(Status status) { return belay::to_json(status); }
