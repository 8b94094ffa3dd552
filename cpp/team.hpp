// Threads that meet often: a team inside one OpenMP region with a barrier of its own.
//
// A bundle of coordinates takes microseconds, and OpenMP's barrier makes a system call even for a
// team of one. This one costs a team of one nothing, and otherwise an atomic counter: threads that
// wait spin for some microseconds and then sleep, so that a busy machine is not starved.
#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>

namespace tauboost {

class Team {
 public:
  // Runs task(rank) on every member at once.
  template <typename Task>
  static void run(int n_threads, Task task) {
    if (n_threads == 1) {
      Team alone(1);
      task(alone, 0);
      return;
    }
    Team team(n_threads);
#pragma omp parallel num_threads(n_threads)
    {
      // OpenMP may give fewer threads than asked for.
      if (omp_get_thread_num() == 0) team.size_.store(omp_get_num_threads());
#pragma omp barrier
      task(team, omp_get_thread_num());
    }
  }

  int size() const { return size_.load(std::memory_order_relaxed); }

  // Nobody goes on before everybody has come; what was written before is seen by all after.
  void meet() {
    const std::uint32_t size = static_cast<std::uint32_t>(this->size());
    if (size == 1) return;
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int spin = 0; spin < spins; ++spin) {
      if (round_.load(std::memory_order_acquire) != round) return;
      pause();
    }
    round_.wait(round, std::memory_order_acquire);
  }

  // The first member works, the others wait for it.
  template <typename Task>
  void leader(int rank, Task task) {
    if (rank == 0) task();
    meet();
  }

  // Task k of n_tasks goes to member k modulo the size; all wait for the last.
  template <typename Task>
  void share(int rank, std::int64_t n_tasks, Task task) {
    for (std::int64_t k = rank; k < n_tasks; k += size()) task(k);
    meet();
  }

 private:
  explicit Team(int size) : size_(size) {}

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  static constexpr int spins = 2000;
  std::atomic<int> size_;
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
};

}  // namespace tauboost
