// std::from_chars against what takes its place where the C++ library lacks it (parse/decimal.hpp),
// on random strings that begin as numbers do: the same end, the same error, the same bits.
//
//     g++ -std=c++20 -O1 -Icpp -DTAUBOOST_STRTOD fuzz/decimals.cpp -o decimals && ./decimals
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "parse/decimal.hpp"

namespace {

std::string random_number(std::mt19937_64& rng) {
  static const std::string alphabets[] = {"0123456789.e-+E", "0123456789", "0123456789.",
                                          "00.e-3x1n", "019eE+-"};
  const std::string& alphabet = alphabets[rng() % 5];
  std::string text(1 + rng() % (rng() % 4 != 0 ? 8 : 30), ' ');
  for (char& c : text) c = alphabet[rng() % alphabet.size()];
  if (rng() % 3 == 0) text += "e" + std::to_string(static_cast<int>(rng() % 700) - 350);
  return text;
}

bool begins_as_numbers_do(const std::string& text) {
  const char first = text[text[0] == '-'];
  return first == '.' || (first >= '0' && first <= '9');
}

bool is_read_alike(const std::string& text) {
  const char *const begin = text.data(), *const end = begin + text.size();
  double ours = -7.0, theirs = -7.0;
  const auto found = tauboost::svmlight::decimal::from_chars(begin, end, ours);
  const auto expected = std::from_chars(begin, end, theirs);
  return found.ptr == expected.ptr && found.ec == expected.ec &&
         std::memcmp(&ours, &theirs, sizeof ours) == 0;
}

}  // namespace

int main() {
  std::mt19937_64 rng(1);
  std::int64_t n_read = 0, n_different = 0;
  for (int k = 0; k < 1'000'000; ++k) {
    const std::string text = random_number(rng);
    if (!begins_as_numbers_do(text)) continue;
    ++n_read;
    if (is_read_alike(text)) continue;
    if (++n_different <= 10) std::printf("read differently: %s\n", text.c_str());
  }
  std::printf("%lld strings, %lld read differently\n", static_cast<long long>(n_read),
              static_cast<long long>(n_different));
  return n_different == 0 ? 0 : 1;
}
