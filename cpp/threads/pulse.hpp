// Ctrl-C for kernels: they report how much they have done, and are told when to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace tauboost {

// The calling thread asks `ask` (which may take the GIL) once every few milliseconds' worth of
// nonzeros; all threads see the answer through stopped().
class Pulse {
 public:
  explicit Pulse(std::function<bool()> ask) : ask_(std::move(ask)) {}

  // To be called by the calling thread only.
  void beat(std::int64_t work) {
    since_ += work;
    if (since_ < interval || stopped()) return;
    since_ = 0;
    if (ask_()) stopped_.store(true, std::memory_order_relaxed);
  }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t interval = 1 << 22;
  std::function<bool()> ask_;
  std::int64_t since_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace tauboost
