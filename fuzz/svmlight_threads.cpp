// Several threads in the svmlight reader, watched by ThreadSanitizer: texts of every kind in tiny
// chunks, which must give what one thread gives. `make fuzz-threads` builds and runs it.
//
// The reader is compiled as it is, but runs on an OpenMP of our own. GCC's takes locks that the
// sanitizer cannot see, and so gives false alarms; and on a busy machine one thread may do all.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "outcome.hpp"

using namespace tauboost::svmlight;

// What GCC makes of "parallel for schedule(dynamic, 1)", with neighbouring turns always on
// different threads. The reader needs no more of OpenMP; what it came to need would not link.

namespace {

thread_local long rank, team_size, turn, end_of_turns;

}  // namespace

extern "C" {

void GOMP_parallel(void (*body)(void*), void* data, unsigned n_threads, unsigned) {
  std::vector<std::jthread> team;  // is joined in the end
  for (unsigned k = 0; k < n_threads; ++k)
    team.emplace_back([=] {
      rank = k;
      team_size = n_threads;
      body(data);
    });
}

bool GOMP_loop_nonmonotonic_dynamic_next(long* first, long* last) {
  *first = turn;
  *last = turn + 1;
  turn += team_size;
  return *first < end_of_turns;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long, long, long* first,
                                          long* last) {
  turn = start + rank;
  end_of_turns = end;
  return GOMP_loop_nonmonotonic_dynamic_next(first, last);
}

void GOMP_loop_end_nowait() {}

}  // extern "C"

namespace {

constexpr int n_threads = 4;
constexpr std::size_t chunk_size = 512, longest_part = 64 * 1024;

using Random = std::minstd_rand;

// What makes the reader start again in a longer form, and what makes it stop, comes late or never.
std::string text(Random& random) {
  const unsigned n_lines = 500 + random() % 3000;
  const unsigned valued_from = random() % (2 * n_lines), wide_from = random() % (2 * n_lines);
  const unsigned wrong = random() % (4 * n_lines);
  std::string text;
  for (unsigned line = 0; line < n_lines; ++line) {
    if (random() % 16 == 0) text += "# nothing but a comment\n\n";
    text += random() % 2 ? "+1" : "-1";
    unsigned long index = 0;
    for (unsigned k = random() % 12; k > 0; --k) {
      index += 1 + random() % 50;
      text += ' ' + std::to_string(index) + (line < valued_from ? ":1" : ":-0.25e1");
    }
    if (line >= wide_from) text += " 3000000000:1";
    if (line == wrong) text += " 7";
    text += '\n';
  }
  return text;
}

Outcome parsed(std::string_view text, Random random, int n_threads) {
  Reader reader({1, 1}, chunk_size);
  while (!text.empty()) {
    const std::string_view part = text.substr(0, 1 + random() % longest_part);
    reader.feed(part, n_threads);
    text.remove_prefix(part.size());
  }
  return outcome(reader);
}

}  // namespace

int main(int argc, char** argv) {
  const int n_texts = argc > 1 ? std::atoi(argv[1]) : 200;
  Random random(1);
  int n_faults = 0;
  for (int k = 0; k < n_texts; ++k) {
    const std::string lines = text(random);
    const Outcome one = parsed(lines, random, 1);
    if (!(parsed(lines, random, n_threads) == one)) {
      std::fprintf(stderr, "text %d: %d threads differ from one\n", k, n_threads);
      return 1;
    }
    n_faults += one.fault != Fault::none;
  }
  std::printf("%d texts, %d of them faulty: %d threads agree with one\n", n_texts, n_faults,
              n_threads);
  return 0;
}
