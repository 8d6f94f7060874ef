#include "ingestion/ai/spending.hpp"

namespace belay::ai {

namespace {
thread_local Cost spent;
}

void Spending::add(const Cost& cost) { spent += cost; }
Cost Spending::take() { return std::exchange(spent, {}); }

}  // namespace belay::ai
