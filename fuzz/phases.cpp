// Phases of all sizes on teams of threads, which must do what one thread does. Several callers at
// once, each with teams of its own, on few cores and beside threads that take them away: so that
// helpers are late by whole phases. `make fuzz-threads` builds and runs it, plain and watched by
// ThreadSanitizer.
//
//     phases 100000 7     phases, and the seed of what they are (1)
//
// Every task must be run once, while its phase is open, and by a member: no more tasks run at once
// than the phase has members. What a task throws must arrive, and leave later phases sound.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "threads/scratch.hpp"
#include "threads/team.hpp"

using tauboost::Scratch;
using tauboost::Team;

namespace {

constexpr int n_callers = 4, n_disturbers = 2;
constexpr int most_members = 64, most_tasks = 300;

using Random = std::mt19937;

// Not thrown: what is left of the team is not to be relied on.
[[noreturn]] void fail(std::uint64_t phase, const char* what) {
  std::fprintf(stderr, "caller %d, phase %d: %s\n", static_cast<int>(phase >> 32),
               static_cast<int>(phase), what);
  std::_Exit(1);
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

void spin(unsigned turns) {
  for (unsigned turn = 0; turn < turns; ++turn) asm volatile("");
}

struct Counts {
  std::atomic<std::int64_t> phases{0}, tasks{0}, by_helpers{0}, thrown{0}, blocks{0}, nested{0};
};
Counts counts;

void count(std::atomic<std::int64_t>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

struct Thrown {
  std::uint64_t phase;
  std::int64_t k;
};

// What tasks borrow.
struct Piece {
  std::uint64_t sum = 0;
  bool is_lent = false;
};

// A phase and what its tasks leave behind, in memory of its own, which a late task would be seen to
// touch.
struct Phase {
  std::uint64_t number;
  int size;
  bool sleeps, nests, throws;
  std::vector<std::uint64_t> results;
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> n_running{0};
  bool is_open = true;

  Phase(std::uint64_t phase, int team_size, Random& random) : number(phase) {
    const auto some = static_cast<unsigned>(2 * team_size + 1);
    results.resize(random() % 16 == 0 ? random() % (most_tasks + 1) : random() % some);
    size = static_cast<int>(std::min<std::size_t>(team_size, results.size()));
    sleeps = random() % 64 == 0;
    nests = random() % 64 == 0;
    throws = random() % 8 == 0;
  }

  std::uint64_t value(std::int64_t k) const { return mixed(number << 10 | (k + 1)); }
  bool must_throw(std::int64_t k) const { return throws && value(k) % 16 == 0; }

  void run(std::int64_t k, Piece& piece) {
    if (!is_open) fail(number, "a task was run when its phase was over");
    if (k < 0 || k >= static_cast<std::int64_t>(results.size())) fail(number, "no such task");
    if (n_running.fetch_add(1, std::memory_order_relaxed) >= size)
      fail(number, "more tasks at once than the phase has members");
    if (piece.is_lent) fail(number, "two tasks have borrowed the same piece");
    piece.is_lent = true;
    take_time(k);
    results[k] += value(k);
    piece.sum += value(k);
    piece.is_lent = false;
    count(counts.tasks);
    if (std::this_thread::get_id() != caller) count(counts.by_helpers);
    n_running.fetch_sub(1, std::memory_order_relaxed);
    if (must_throw(k)) throw Thrown{number, k};
  }

  void take_time(std::int64_t k) const {
    const std::uint64_t chance = value(k) >> 32;
    if (nests && k < 2) run_team_within(2 + static_cast<int>(chance % 3), chance % 20);
    if (sleeps || chance % 4096 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (chance % 256 == 1) std::this_thread::yield();
    spin(chance % 16 == 2 ? 1000 : chance % 64);
  }

  void run_team_within(int n_members, std::int64_t n_tasks) const {
    Team team(n_members);
    std::vector<int> times(n_tasks);
    for (int turn = 0; turn < 3; ++turn)
      team.share(n_tasks, [&](std::int64_t k) { times[k] += 1; });
    for (const int n : times)
      if (n != 3) fail(number, "a task of a team within a task was not run once");
    count(counts.nested);
  }

  // What the pieces must have got.
  std::uint64_t close(const Thrown* thrown) {
    is_open = false;
    bool throws_any = false;
    std::uint64_t sum = 0;
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(results.size()); ++k) {
      throws_any |= must_throw(k);
      sum += results[k];
      if (results[k] != value(k) && (results[k] != 0 || thrown == nullptr))
        fail(number, results[k] == 0 ? "a task was not run" : "a task was run twice");
    }
    if (throws_any != (thrown != nullptr)) fail(number, "what a task has thrown was lost");
    if (thrown != nullptr && (thrown->phase != number || !must_throw(thrown->k)))
      fail(number, "what was thrown is of another phase");
    return sum;
  }
};

std::uint64_t run_phase(Team& team, Scratch<Piece>& pieces, Phase& phase) {
  try {
    team.share(phase.results.size(), [&](std::int64_t k) { phase.run(k, *pieces.borrow()); });
  } catch (const Thrown& thrown) {
    count(counts.thrown);
    return phase.close(&thrown);
  }
  return phase.close(nullptr);
}

void run_blocks(Team& team, std::uint64_t phase, std::int64_t n, std::int64_t smallest) {
  std::vector<std::uint64_t> numbers(n);
  team.share_blocks(n, smallest, [&](std::int64_t begin, std::int64_t end) {
    if (end > n || (end - begin < smallest && end != n)) fail(phase, "a block is too small");
    for (std::int64_t i = begin; i < end; ++i) numbers[i] += mixed(i + 1);
    count(counts.blocks);
  });
  for (std::int64_t i = 0; i < n; ++i)
    if (numbers[i] != mixed(i + 1)) fail(phase, "blocks are not the whole, once");
}

// Runs phases of a few teams after each other; the next team gets the threads of the one before.
void call(std::uint64_t caller, std::int64_t n_phases, unsigned seed) {
  Random random(seed * n_callers + static_cast<unsigned>(caller));
  std::uint64_t number = caller << 32;
  while (n_phases > 0) {
    const unsigned most = random() % 4 == 0 ? most_members : 8;
    Team team(1 + static_cast<int>(random() % most));
    Scratch<Piece> pieces([] { return Piece{}; });
    std::uint64_t sum = 0;
    for (auto left = 1 + random() % 8; left > 0 && n_phases > 0; --left, --n_phases) {
      ++number;
      count(counts.phases);
      if (random() % 16 == 0) {
        run_blocks(team, number, random() % 1000, 1 + random() % 50);
        continue;
      }
      const auto phase = std::make_unique<Phase>(number, team.size(), random);
      sum += run_phase(team, pieces, *phase);
    }
    if (pieces.size() > static_cast<std::size_t>(team.size()))
      fail(number, "more pieces were borrowed than the team has members");
    pieces.each([&](Piece& piece) { sum -= piece.sum; });
    if (sum != 0) fail(number, "pieces have other sums than the tasks");
  }
}

// Takes cores away, for a moment each time.
void disturb(const std::atomic<int>& n_calling, unsigned seed) {
  Random random(seed);
  while (n_calling.load(std::memory_order_relaxed) > 0) {
    spin(static_cast<unsigned>(random() % 20000));
    if (random() % 2 == 0) std::this_thread::yield();
    if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
  }
}

// Returns when all phases are over. They take milliseconds: callers that stand still have lost a
// wake-up.
void watch(const std::atomic<int>& n_calling) {
  constexpr int patience = 6000;
  std::int64_t before = 0;
  for (int looks = 0; n_calling > 0; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::int64_t now = counts.phases;
    if (now != before) looks = 0;
    before = now;
    if (looks < patience) continue;
    std::fprintf(stderr, "no phase has ended in a minute: somebody sleeps\n");
    std::_Exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n_phases = argc > 1 ? std::atoll(argv[1]) : 100000;
  const auto seed = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
  std::atomic<int> n_calling{n_callers};
  std::vector<std::thread> threads;
  for (int k = 0; k < n_callers; ++k)
    threads.emplace_back([&n_calling, n_phases, seed, k] {
      call(k, (n_phases + n_callers - 1 - k) / n_callers, seed);
      --n_calling;
    });
  for (int k = 0; k < n_disturbers; ++k)
    threads.emplace_back([&n_calling, seed, k] { disturb(n_calling, seed + k); });
  watch(n_calling);
  for (std::thread& thread : threads) thread.join();
  std::printf(
      "%lld phases, as by one thread: %lld tasks, %lld of them by helpers, %lld blocks, "
      "%lld teams within tasks, %lld times something was thrown\n",
      static_cast<long long>(counts.phases), static_cast<long long>(counts.tasks),
      static_cast<long long>(counts.by_helpers), static_cast<long long>(counts.blocks),
      static_cast<long long>(counts.nested), static_cast<long long>(counts.thrown));
  return 0;
}
