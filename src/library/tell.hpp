// tell.hpp — an event of the program's own for those who watch, if and only if its transaction commits.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

namespace belay::library {

// `tx` is a belay::Tx. An empty organization is the run's own.
template <class T>
void tell(T& tx, std::string_view type, const boost::json::object& data,
          const std::string& organization_id = {}) {
    // A Tx without a live feed has nobody who could listen.
    if constexpr (requires { tx.publish_json(type, std::string{}, {}); })
        tx.publish_json(type, boost::json::serialize(data), {organization_id});
}

}  // namespace belay::library
