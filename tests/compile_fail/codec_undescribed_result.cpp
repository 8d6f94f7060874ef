// expect-error: belay: this type has no JSON form.
// expect-error: Invoice
#include <belay/codec.hpp>

struct Invoice {
    int number = 0;
};

std::vector<Invoice> back(std::string_view json) {
    return belay::from_json<std::vector<Invoice>>(json);
}
