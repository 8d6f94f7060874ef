#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include "simulation/simulate.hpp"

namespace belay::test {
namespace {

template <class F>
void for_each_count(F f) {
    using Members = boost::describe::describe_members<Reached, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Members>([&](auto member) { f(member.name, member.pointer); });
}

}  // namespace

Reached& Reached::operator+=(const Reached& other) {
    for_each_count([&](const char*, auto member) { this->*member += other.*member; });
    return *this;
}

std::vector<std::string> Reached::missing() const {
    std::vector<std::string> names;
    for_each_count([&](const char* name, auto member) {
        if (this->*member == 0) names.emplace_back(name);
    });
    return names;
}

}  // namespace belay::test
