// inbox_worker.hpp — handles what is in the inbox: asks the object store, then passes the one door.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/env/parker.hpp"
#include "ingestion/ingest/inbox.hpp"
#include "ingestion/objects/store.hpp"

namespace belay::ingest {

class InboxWorker {
public:
    // Told of what nobody else hears: a store that cannot be reached, say.
    using Log = std::function<void(std::string_view line)>;

    // `inbox` and `objects` outlive it. `workflow_keys` are those that this program runs.
    InboxWorker(Inbox& inbox, objects::Store& objects, std::vector<std::string> workflow_keys,
                Log log = {});
    ~InboxWorker();
    InboxWorker(const InboxWorker&) = delete;
    InboxWorker& operator=(const InboxWorker&) = delete;

    // Handles all that is due, on the caller's thread; gives how many messages that were.
    int handle_due();

    // If messages wait because the object store was out of order, asks it whether it is back; then they are due.
    // Gives how many.
    std::int64_t look_for_the_store();

    // Handles what is due from now on, on `threads` threads of its own. Once.
    void start(int threads);
    // Returns when the messages under way are handled. What is left is for the next start.
    void stop();

private:
    struct Hand {
        env::Parker parker;
        std::thread thread;
    };

    void work(Hand& hand);
    void handle(const InboxMessage& message);
    void created(const InboxMessage& message);
    void deleted(const InboxMessage& message);
    void tell(std::string_view line) const;

    Inbox& inbox_;
    objects::Store& objects_;
    const std::vector<std::string> workflow_keys_;
    const Log log_;
    std::atomic<bool> stopping_{false};
    std::vector<std::unique_ptr<Hand>> hands_;
};

}  // namespace belay::ingest
