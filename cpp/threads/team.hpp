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
// A claim is one compare-and-swap on a word that holds the number of the phase and the number of
// tasks left. A thread that comes late finds the phase over, or the word changed, and claims
// nothing. An unclaimed task keeps its phase open, so what a claim was made on is still there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "threads/crew.hpp"

namespace tauboost {

class Team {
 public:
  explicit Team(int n_threads) : crew_(n_threads > 1 ? Crew::borrow(n_threads) : nullptr) {
    get_ready_to_throw();
    if (crew_ != nullptr) size_ = crew_->size(n_threads);
  }
  ~Team() {
    if (crew_ != nullptr) Crew::give_back(crew_);
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // The caller is member 0. There may be fewer members than were asked for.
  int size() const { return size_; }

  // Runs task(k), or task(k, member), for every k of 0 ... n_tasks - 1. What a task throws is
  // thrown here, when those that were claimed have ended; the rest is left undone.
  template <typename Task>
  void share(std::int64_t n_tasks, const Task& task) {
    const int size = static_cast<int>(std::min<std::int64_t>(size_, n_tasks));
    if (size > 1) return crew_->run({&call<Task>, &task, n_tasks, size});
    for (std::int64_t k = 0; k < n_tasks; ++k) call<Task>(&task, k, 0);
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
  static void call(const void* task, std::int64_t k, int member) {
    const Task& work = *static_cast<const Task*>(task);
    if constexpr (std::is_invocable_v<const Task&, std::int64_t, int>)
      work(k, member);
    else
      work(k);
  }

  Crew* crew_;
  int size_ = 1;
};

}  // namespace tauboost
