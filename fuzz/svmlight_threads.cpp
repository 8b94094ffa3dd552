// Several threads in the svmlight reader, watched by a sanitizer: texts of every kind in tiny
// chunks, which must give what one thread gives, on any number of threads and where that number
// changes from part to part. `make fuzz-threads` builds and runs it.
//
//     svmlight_threads 200     texts to parse
//     svmlight_threads race    a race, or
//     svmlight_threads overflow  a read past the end, which the sanitizer must report
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "outcome.hpp"
#include "threads/team.hpp"

using namespace tauboost::svmlight;

namespace {

constexpr int most_threads = 8;
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

// Each part is read on another number of threads, if several are given.
Outcome parsed(std::string_view text, Random random, const std::vector<int>& n_threads) {
  Reader reader({1, 1}, chunk_size);
  for (std::size_t k = 0; !text.empty(); ++k) {
    const std::string_view part = text.substr(0, 1 + random() % longest_part);
    reader.feed(part, n_threads[k % n_threads.size()]);
    text.remove_prefix(part.size());
  }
  return outcome(reader);
}

// What tasks of one phase must not do: write to the same place, read what is not theirs.
int fault(std::string_view kind) {
  std::vector<long> numbers(100, 1);
  long sum = 0;
  tauboost::Team team(most_threads);
  for (int phase = 0; phase < 1000; ++phase)
    team.share(2 + phase % (most_threads - 1), [&](std::int64_t k) {
      // On a busy machine one thread would do all, were it not asleep.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (kind == "race") const_cast<volatile long&>(sum) = sum + 1;
      if (kind == "overflow") numbers[0] += numbers.data()[100 + k];
    });
  return static_cast<int>((sum + numbers[0]) % 2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::atoi(argv[1]) == 0) return fault(argv[1]);
  const int n_texts = argc > 1 ? std::atoi(argv[1]) : 200;
  const std::vector<std::vector<int>> counts = {{2}, {3}, {most_threads}, {most_threads, 2, 3, 1}};
  Random random(1);
  int n_faults = 0;
  for (int k = 0; k < n_texts; ++k) {
    const std::string lines = text(random);
    const Outcome one = parsed(lines, random, {1});
    for (const std::vector<int>& n_threads : counts)
      if (!(parsed(lines, random, n_threads) == one)) {
        std::fprintf(stderr, "text %d: %d threads differ from one\n", k, n_threads[0]);
        return 1;
      }
    n_faults += one.fault != Fault::none;
  }
  std::printf("%d texts, %d of them faulty: 2, 3 and %d threads agree with one\n", n_texts,
              n_faults, most_threads);
  return 0;
}
