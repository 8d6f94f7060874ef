// belay.hpp — the whole public API. (belay/seal.hpp adds encryption at rest, belay/async.hpp steps that return asio::awaitable,
// belay/testing.hpp the test kit.)
#pragma once

#include <belay/admission.hpp>
#include <belay/at_most.hpp>
#include <belay/attempt.hpp>
#include <belay/budget.hpp>
#include <belay/cache.hpp>
#include <belay/client.hpp>
#include <belay/codec.hpp>
#include <belay/context.hpp>
#include <belay/control.hpp>
#include <belay/cost.hpp>
#include <belay/engine.hpp>
#include <belay/error.hpp>
#include <belay/fan.hpp>
#include <belay/feed.hpp>
#include <belay/options.hpp>
#include <belay/outside.hpp>
#include <belay/queue.hpp>
#include <belay/runs.hpp>
#include <belay/schedule.hpp>
#include <belay/schema.hpp>
#include <belay/sql.hpp>
#include <belay/status.hpp>
#include <belay/step.hpp>
#include <belay/store_config.hpp>
#include <belay/task.hpp>
#include <belay/time.hpp>
#include <belay/tx.hpp>
#include <belay/workflow.hpp>
