// tell.hpp — an event of the program's own for those who watch, if and only if its transaction commits.
#pragma once

#include <string>
#include <string_view>

#include <boost/json.hpp>

#include <belay/tx.hpp>

namespace belay::library {

// An empty organization is the run's own.
inline void tell(Tx& tx, std::string_view type, const boost::json::object& data,
                 const std::string& organization_id = {}) {
    PublishOptions options;
    options.organization_id = organization_id;
    tx.publish_json(type, boost::json::serialize(data), options);
}

}  // namespace belay::library
