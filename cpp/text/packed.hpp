// Strings in one piece of text, cut by offsets; two sorted lists of them made to one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tauboost::text {

struct Packed {
  const char* text;
  const std::int64_t* ends;  // n + 1 of them: where each string begins, and the last one ends
  std::int64_t n;

  std::string_view operator[](std::int64_t k) const {
    return {text + ends[k], static_cast<std::size_t>(ends[k + 1] - ends[k])};
  }
};

// Two lists as one, and the place in it of each string of either.
struct Merged {
  std::vector<std::uint8_t> text;
  std::vector<std::int64_t> ends{0};
  std::vector<std::int64_t> first, second;
};

inline Merged merged(const Packed& a, const Packed& b) {
  Merged both;
  both.text.reserve(static_cast<std::size_t>(a.ends[a.n] + b.ends[b.n]));
  both.ends.reserve(static_cast<std::size_t>(a.n + b.n + 1));
  both.first.reserve(static_cast<std::size_t>(a.n));
  both.second.reserve(static_cast<std::size_t>(b.n));
  for (std::int64_t i = 0, j = 0; i < a.n || j < b.n;) {
    const int order = i == a.n ? 1 : j == b.n ? -1 : a[i].compare(b[j]);
    const std::string_view string = order <= 0 ? a[i] : b[j];
    const auto place = static_cast<std::int64_t>(both.ends.size()) - 1;
    both.text.insert(both.text.end(), string.begin(), string.end());
    both.ends.push_back(static_cast<std::int64_t>(both.text.size()));
    if (order <= 0) {
      both.first.push_back(place);
      ++i;
    }
    if (order >= 0) {
      both.second.push_back(place);
      ++j;
    }
  }
  return both;
}

}  // namespace tauboost::text
