// The one way to run in parallel: a team of threads that claim tasks.
//
//     Team team(n_threads);
//     team.share(n_tasks, [&](std::int64_t k) { ... });   // all of 0 ... n_tasks - 1, then go on
//
// Tasks are dealt to the members, so that a member gets the same shard in every phase and finds it
// in its cache. But nobody has to wait for a member that is not running because another process
// holds its core: a member that has done its own tasks claims those of the others, and the caller
// waits only for tasks that were claimed. Who runs a task never changes what it computes.
//
// A task is told its number and nothing of who runs it: there is no member to index by. What tasks
// need room for is indexed by the task, or borrowed for as long as it runs (scratch.hpp). How tasks
// are claimed, and why that is right: thread_pool.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "threads/thread_pool.hpp"

namespace tauboost {

class Team {
 public:
  explicit Team(int n_threads) : pool_(n_threads > 1 ? ThreadPool::borrow(n_threads) : nullptr) {
    get_ready_to_throw();
    if (pool_ != nullptr) size_ = pool_->size(n_threads);
  }
  ~Team() {
    if (pool_ != nullptr) ThreadPool::give_back(pool_);
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // There may be fewer members than were asked for.
  int size() const { return size_; }

  // Runs task(k) for every k of 0 ... n_tasks - 1. What a task throws is thrown here, when those
  // that were claimed have ended; the rest is left undone.
  template <typename Task>
  void share(std::int64_t n_tasks, const Task& task) {
    if (n_tasks > std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("too many tasks");
    const int size = static_cast<int>(std::min<std::int64_t>(size_, n_tasks));
    if (size > 1) return pool_->run({&call<Task>, &task, n_tasks, size});
    for (std::int64_t k = 0; k < n_tasks; ++k) task(k);
  }

  // Runs task(begin, end) on blocks that make up 0 ... n - 1, of at least `smallest` but the last.
  template <typename Task>
  void share_blocks(std::int64_t n, std::int64_t smallest, const Task& task) {
    constexpr std::int64_t blocks_each = 8;  // so that a late member does not keep the others
    const std::int64_t block = std::max(smallest, n / (blocks_each * size_) + 1);
    share((n + block - 1) / block,
          [&](std::int64_t b) { task(b * block, std::min(n, (b + 1) * block)); });
  }

 private:
  template <typename Task>
  static void call(const void* task, std::int64_t k) {
    (*static_cast<const Task*>(task))(k);
  }

  ThreadPool* pool_;
  int size_ = 1;
};

}  // namespace tauboost
