// Cancellation: kernels report how much they have done, and are told when to stop (Ctrl-C).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

namespace tauboost {

// The thread that made it asks `ask` (which may take the GIL) once every few milliseconds' worth of
// nonzeros; all threads see the answer through stopped().
class Cancellation {
 public:
  explicit Cancellation(std::function<bool()> ask) : ask_(std::move(ask)) {}

  // Any thread may call it, at best not for each nonzero: only that of its maker does anything.
  void check(std::int64_t work) {
    if (std::this_thread::get_id() != owner_) return;
    since_ += work;
    if (since_ < interval || stopped()) return;
    since_ = 0;
    if (ask_()) stopped_.store(true, std::memory_order_relaxed);
  }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t interval = 1 << 22;
  const std::thread::id owner_ = std::this_thread::get_id();
  const std::function<bool()> ask_;
  std::int64_t since_ = 0;  // the owner's
  std::atomic<bool> stopped_{false};
};

}  // namespace tauboost
