// A thread pool for phases of a few microseconds: who its threads are, how they claim tasks, how
// they wait, and how they survive a fork.
//
// A pool is a set of sleeping threads and the words they claim tasks from. A team borrows one for
// as long as a kernel runs; calls from several Python threads at once get a pool each. Pools are
// made when they are needed and never destroyed: a thread may read its words at any time. They
// cost nothing while they sleep. A child of fork() has none of its parent's threads, and starts its
// own.
//
// The protocol. The caller is member 0; each helper has a number for life. A phase has a size, a
// number of its own and tasks, which are dealt to the members 0 ... size - 1.
//
//   word         who writes it, and what it means
//   phase words  (call_, task_, n_tasks_, size_) the caller, between phases: what a task is
//   word         one for each member: the caller, to deal (number of the phase, tasks left), only
//                to members of the phase; then any member of it, to claim: one task less, by
//                compare-and-swap
//   finished_    the caller sets it to 0 between phases; helpers add the tasks they have run
//   asleep, bell of a helper: whether it must be rung for, and the futex it sleeps on
//
// Invariants, checked over all interleavings by fuzz/protocol.pml (`make model`) and over
// millions of phases by fuzz/phases.cpp:
//
//   1. A thread runs a task of phase p only if the word of its own member has said p. A helper
//      enters a phase when its word says so, and claims only from words that say the same number.
//      The caller writes p into the words of members below the size of p, and into no others. So
//      whoever runs a task is a member of the phase; one that is late from an earlier phase finds
//      other numbers, or no tasks, in every word, and goes back to wait.
//   2. The phase words belong to the task that was claimed. They are read before the claim. A claim
//      succeeds only while the word is unchanged: then a task of that phase is unclaimed, so the
//      phase is not over, and the caller does not write them. Memory orders: a claimant has loaded
//      the word with acquire, after the caller stored it behind the phase words, so it sees no
//      older ones. Its claim is a release, and the caller has loaded every word, empty, with
//      acquire before it writes the next: so it sees no newer ones. A stale word makes the
//      exchange fail.
//   3. Every task is run once, and the caller waits for all. A claim takes one task, as the word
//      counts down within its phase. The caller leaves when it finds no task unclaimed, and as
//      many finished as others have claimed.
//   4. Nobody sleeps through the end: helpers are only ever a help. A helper that was not woken, or
//      has no core, leaves its tasks to others. The caller sleeps on finished_, which changes with
//      every helper that has run tasks.
//
// Numbers have 32 bits: a helper would have to be late, from entering a phase to its last read of a
// word, by 2^32 phases exactly.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace tauboost {

// Has the C++ library set up what it keeps of exceptions for the calling thread. It does so when
// the first one is thrown, and ends the process if there is no memory: too late for bad_alloc.
inline void get_ready_to_throw() {
  [[maybe_unused]] const volatile int flying = std::uncaught_exceptions();
}
inline const bool importer_is_ready = (get_ready_to_throw(), true);

class ThreadPool {
 public:
  static constexpr int most_threads = 256;

  // Tasks 0 ... n_tasks - 1, dealt to `size` members: k goes to member k modulo size.
  struct Phase {
    void (*call)(const void* task, std::int64_t k);
    const void* task;
    std::int64_t n_tasks;
    int size;
  };

  // A pool with room for n threads, the caller's among them; null where memory is short.
  static ThreadPool* borrow(int n_threads) {
    IdlePools& list = IdlePools::of_this_process();
    ThreadPool* pool = nullptr;
    {
      const std::lock_guard<std::mutex> lock(list.mutex);
      pool = list.idle;
      if (pool != nullptr) list.idle = pool->next_idle_;
    }
    if (pool == nullptr) pool = new (std::nothrow) ThreadPool(&list);
    if (pool != nullptr) pool->start_helpers(n_threads - 1);
    return pool;
  }

  static void give_back(ThreadPool* pool) {
    IdlePools& list = IdlePools::of_this_process();
    if (pool->list_ != &list) return;  // the process was forked: its threads are not here
    const std::lock_guard<std::mutex> lock(list.mutex);
    pool->next_idle_ = list.idle;
    list.idle = pool;
  }

  // How many threads of those asked for there are.
  int size(int n_threads) const { return n_threads <= n_helpers_ ? n_threads : n_helpers_ + 1; }

  void run(const Phase& phase) {
    call_.store(phase.call, std::memory_order_relaxed);
    task_.store(phase.task, std::memory_order_relaxed);
    n_tasks_.store(phase.n_tasks, std::memory_order_relaxed);
    size_.store(phase.size, std::memory_order_relaxed);
    finished_.store(0, std::memory_order_relaxed);
    number_ += 1;
    // From the last to the first: who enters the phase finds those dealt whom it is to wake.
    for (int member = phase.size - 1; member >= 0; --member) {
      const std::int64_t n = dealt(phase.n_tasks, phase.size, member);
      members_[member].word.store(std::uint64_t{number_} << 32 | static_cast<std::uint64_t>(n));
    }
    wake_next_to(0, number_);
    const std::int64_t own = work(0, number_);
    wait_for(static_cast<std::uint32_t>(phase.n_tasks - own));
    if (!failed_.load(std::memory_order_relaxed)) return;
    failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  // All pools of a process that nobody uses; its address tells a process from its parent.
  struct IdlePools {
    std::mutex mutex;
    ThreadPool* idle = nullptr;

    static IdlePools& of_this_process() {
      IdlePools* list = current().load(std::memory_order_acquire);
      if (list != nullptr) return *list;
      static const int forks = pthread_atfork(nullptr, nullptr, [] { current().store(nullptr); });
      static_cast<void>(forks);
      IdlePools* const fresh = new IdlePools;
      if (current().compare_exchange_strong(list, fresh, std::memory_order_acq_rel)) return *fresh;
      delete fresh;
      return *list;
    }

   private:
    static std::atomic<IdlePools*>& current() {
      static std::atomic<IdlePools*> list{nullptr};
      return list;
    }
  };

  // One member of the pool: the tasks dealt to it, and the bell that wakes it. Processors fetch
  // cache lines in pairs: 128 bytes keep what two threads write apart.
  struct alignas(128) Member {
    std::atomic<std::uint64_t> word{0};  // upper half: number of the phase; lower: tasks left
    std::atomic<std::uint32_t> asleep{0};
    std::atomic<std::uint32_t> bell{0};
    ThreadPool* pool = nullptr;
    void* room = nullptr;  // kept free for what its thread needs before it can throw

    // asleep before the bell: else it could wipe out what the helper writes when it sleeps again.
    void wake() {
      if (asleep.load() == 0) return;
      asleep.store(0, std::memory_order_relaxed);
      bell.fetch_add(1);
      bell.notify_one();
    }
  };

  explicit ThreadPool(IdlePools* list) : list_(list) {
    for (Member& member : members_) member.pool = this;
  }

  // Starts threads until there are enough, or the system refuses: fewer do as well.
  void start_helpers(int n_helpers) {
    n_helpers = n_helpers < most_threads ? n_helpers : most_threads - 1;
    while (n_helpers_ < n_helpers && start(members_[n_helpers_ + 1])) ++n_helpers_;
  }

  static bool start(Member& member) {
    constexpr std::size_t stack = 1 << 20;  // kernels keep little there
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack);
    member.room = mmap(nullptr, room_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigset_t others, before;
    sigfillset(&others);  // signals are for the threads of Python
    // But for those that an instruction raises: blocked, they end the process without a word of
    // faulthandler or of a sanitizer.
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
      sigdelset(&others, fault);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    pthread_t thread;
    const bool started =
        member.room != MAP_FAILED && pthread_create(&thread, &attributes, &serve, &member) == 0;
    if (!started && member.room != MAP_FAILED) munmap(member.room, room_size);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return started;
  }

  static std::int64_t dealt(std::int64_t n_tasks, int size, int member) {
    return (n_tasks - member + size - 1) / size;
  }

  // Wakes the members behind one in a tree of which the caller is the root, if they sleep and have
  // tasks left: so everybody is woken soon, by many, and nobody for nothing.
  void wake_next_to(int self, std::uint32_t phase) {
    const int size = size_.load(std::memory_order_relaxed);
    for (int member = 2 * self + 1; member <= 2 * self + 2 && member < size; ++member)
      if (left_in(members_[member].word.load(std::memory_order_relaxed), phase) > 0)
        members_[member].wake();
  }

  // How many tasks of a phase a word has left: none if it speaks of another one.
  static std::int64_t left_in(std::uint64_t word, std::uint32_t phase) {
    return word >> 32 == phase ? static_cast<std::int64_t>(word & 0xffffffffu) : 0;
  }

  // Claims and runs what is left of a phase that `self` is a member of, its own tasks first;
  // returns how many. The size may be that of a later phase, which `self` is no member of: then
  // this one is over, and there is nothing to claim, whichever words are looked at.
  std::int64_t work(int self, std::uint32_t phase) {
    std::int64_t done = 0;
    const int size = size_.load(std::memory_order_relaxed);
    for (int turn = 0; turn < size; ++turn) {
      const int from = self + turn < size ? self + turn : self + turn - size;
      while (claim_and_run(from, phase)) ++done;
    }
    return done;
  }

  bool claim_and_run(int from, std::uint32_t phase) {
    std::atomic<std::uint64_t>& word = members_[from].word;
    std::uint64_t seen = word.load(std::memory_order_acquire);
    for (;;) {
      const std::int64_t left = left_in(seen, phase);
      if (left == 0) return false;
      // Of this phase if the exchange succeeds, and not used otherwise.
      const auto call = call_.load(std::memory_order_relaxed);
      const void* const task = task_.load(std::memory_order_relaxed);
      const std::int64_t n_tasks = n_tasks_.load(std::memory_order_relaxed);
      const int size = size_.load(std::memory_order_relaxed);
      if (!word.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire))
        continue;
      attempt(call, task, from + (dealt(n_tasks, size, from) - left) * size);
      return true;
    }
  }

  void attempt(void (*call)(const void*, std::int64_t), const void* task, std::int64_t k) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      call(task, k);
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }

  // Waits until the helpers have finished that number of tasks.
  void wait_for(std::uint32_t n_tasks) {
    if (spin_until([&] { return finished_.load(std::memory_order_acquire) == n_tasks; })) return;
    caller_asleep_.store(1);
    for (;;) {
      const std::uint32_t finished = finished_.load();
      if (finished == n_tasks) break;
      if (list_ != &IdlePools::of_this_process())
        throw std::runtime_error("the process was forked while its threads were at work");
      finished_.wait(finished);
    }
    caller_asleep_.store(0, std::memory_order_relaxed);
  }

  // The life of a helper.
  static void* serve(void* self) {
    Member& member = *static_cast<Member*>(self);
    ThreadPool& pool = *member.pool;
    const int number = static_cast<int>(&member - pool.members_);
    munmap(member.room, room_size);
    get_ready_to_throw();
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "tauboost");  // for top, gdb and the tests
#endif
    std::uint32_t phase = 0;
    for (;;) {
      phase = next_phase(member, phase);
      pool.wake_next_to(number, phase);
      const auto done = static_cast<std::uint32_t>(pool.work(number, phase));
      if (done == 0) continue;
      pool.finished_.fetch_add(done);
      if (pool.caller_asleep_.load() != 0) pool.finished_.notify_one();
    }
    return nullptr;
  }

  // Waits for a phase that this member is dealt tasks of: awake for a while, then asleep.
  static std::uint32_t next_phase(Member& member, std::uint32_t last) {
    std::uint32_t now = last;
    const auto is_new = [&](std::uint64_t word) { return (now = word >> 32) != last; };
    if (spin_until([&] { return is_new(member.word.load(std::memory_order_acquire)); })) return now;
    for (;;) {
      const std::uint32_t rung = member.bell.load();
      member.asleep.store(1);
      if (is_new(member.word.load())) {
        member.asleep.store(0, std::memory_order_relaxed);
        return now;
      }
      member.bell.wait(rung);
    }
  }

  // Checks for a while whether something has happened. By the clock: what a pause takes differs by
  // more than ten times between processors.
  template <typename Test>
  static bool spin_until(const Test& has_happened) {
    using Clock = std::chrono::steady_clock;
    constexpr int looks = 32;  // between two reads of the clock, which cost as much as a few
    Clock::time_point end{};
    do {
      for (int look = 0; look < looks; ++look) {
        if (has_happened()) return true;
        pause();
      }
      if (end == Clock::time_point{}) end = Clock::now() + spin_time;
    } while (Clock::now() < end);
    return false;
  }

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");  // its yield does nothing on most cores
#endif
  }

  // A few phases long, and no longer than it takes to wake a thread that sleeps (5 to 50 us).
  static constexpr std::chrono::microseconds spin_time{50};
  static constexpr std::size_t room_size = 1 << 16;  // of what its C library sets up: a few KB

  IdlePools* const list_;
  ThreadPool* next_idle_ = nullptr;
  int n_helpers_ = 0;
  std::uint32_t number_ = 0;  // of the phase
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
  // The phase, written by the caller while no task of it can be claimed.
  alignas(128) std::atomic<void (*)(const void*, std::int64_t)> call_{nullptr};
  std::atomic<const void*> task_{nullptr};
  std::atomic<std::int64_t> n_tasks_{0};
  std::atomic<int> size_{1};
  alignas(128) std::atomic<std::uint32_t> finished_{0};  // tasks, by helpers
  std::atomic<std::uint32_t> caller_asleep_{0};
  Member members_[most_threads];
};

}  // namespace tauboost
