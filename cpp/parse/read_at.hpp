// A piece of a file in memory, read by several threads at once.
//
// To copy a file out of the cache of the system takes a tenth of the time of parsing it: on one
// thread, with the others waiting, that would be felt.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <span>

#include "threads/team.hpp"

namespace tauboost {

struct ReadBytes {
  std::int64_t count;  // fewer than there is room for where the file ends
  int error;           // of the system; 0: none
};

inline ReadBytes read_at(int file, std::int64_t position, std::span<std::uint8_t> room,
                         int n_threads) {
  constexpr std::int64_t piece = 1 << 20;
  const auto size = static_cast<std::int64_t>(room.size());
  std::atomic<std::int64_t> end = size;
  std::atomic<int> error = 0;
  Team team(static_cast<int>(std::min<std::int64_t>(n_threads, size / piece)));
  team.share((size + piece - 1) / piece, [&](std::int64_t k) {
    std::int64_t at = k * piece;
    const std::int64_t stop = std::min(at + piece, size);
    while (at < stop) {
      const ssize_t n = pread(file, room.data() + at, static_cast<std::size_t>(stop - at),
                              static_cast<off_t>(position + at));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) error = errno;
      if (n <= 0) break;
      at += n;
    }
    std::int64_t known = end;
    while (at < stop && at < known && !end.compare_exchange_weak(known, at)) {
    }
  });
  return {end, error};
}

}  // namespace tauboost
