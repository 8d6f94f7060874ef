// pch.hpp — headers that most files need and that take long to read. Precompiled once for all rooms.
//
// A header belongs here when it is slow and used by many; a file still includes what it uses, because
// examples and the header check are compiled without this.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
