// body_news.hpp — what a body told the live feed, kept until its commit is durable.
//
// A body may be called twice, or be taken back alone, so it tells nobody itself: its news lie in the body,
// begun anew with every call, and are taken out when the store says that its verb was applied.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <belay/feed.hpp>

#include "core/model/run.hpp"
#include "core/store/sql_tx.hpp"

namespace belay::engine {

class Bodies;

// Made when the first is told. Shared by the body and by whoever takes them out, because a store may keep
// a copy of the body.
using News = std::shared_ptr<std::vector<Event>>;

// The hook of a run that a store picks: made when the store asks for it.
class HookMaker {
public:
    enum class Which { Start, End };
    HookMaker(Bodies& bodies, Which which) : bodies_(&bodies), which_(which) {}

    store::TxBody operator()(const model::Run& run);

    const std::vector<Event>* news_of(model::RunNo run) const;

private:
    Bodies* bodies_;
    Which which_;
    std::vector<std::pair<model::RunNo, News>> made_;
};

// What was told, if the body is one of the engine's and told something; null otherwise.
const std::vector<Event>* news_of(const store::TxBody& body);
const std::vector<Event>* news_of(const std::function<store::TxBody(const model::Run&)>& hooks,
                                  model::RunNo run);

}  // namespace belay::engine
