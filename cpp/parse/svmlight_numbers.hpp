// Numbers as svmlight text has them: indices of a few digits, and values that are short decimals.
//
// Every text handed to these functions has a '\n' behind it, at which each of them stops: that is
// the only bound they need. Numbers are rounded as strtod and Python's float() round them.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "parse/decimal.hpp"

namespace tauboost::svmlight {

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') <= 9;
}
inline bool ends_line(char c) {
  return c == '\n' || c == '#';
}
inline bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}
inline bool ends_token(char c) {
  return is_blank(c) || ends_line(c);
}

inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

inline const char* skip_token(const char* p) {
  while (!ends_token(*p)) ++p;
  return p;
}

struct Digits {
  std::uint64_t number;
  int count;  // 0: there is no digit; 8: there may be more
};

// Up to eight digits, without a branch on how many: in real files that cannot be predicted.
// Reads the eight bytes at p, whatever they are.
inline Digits read_digits(const char* p) {
  static_assert(std::endian::native == std::endian::little, "the first digit must come lowest");
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  word ^= 0x3030303030303030;  // digits become 0 to 9, all others more
  const std::uint64_t others = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
  const int count = std::countr_zero(others) / 8;
  // Zeros in front in place of what follows; then digits join to pairs, fours and eight.
  word <<= (64 - 8 * count) & 63;
  word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ff;
  word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffff;
  word = (word * 10000 + (word >> 32)) & 0x00000000ffffffff;
  return {word, count};
}

// The readers below return the end of the number, or null where there is none, or none that fits.

inline const char* read_index(const char* p, std::int64_t& index) {
  p += *p == '+';
  if (!is_digit(*p)) return nullptr;
  for (index = 0; is_digit(*p); ++p)
    if (__builtin_mul_overflow(index, 10, &index) ||
        __builtin_add_overflow(index, *p - '0', &index))
      return nullptr;
  return p;
}

// Tells a number that is too large for a double from one that is too small, which
// std::from_chars does not: by the number of digits before or zeros behind the point.
inline bool is_huge(const char* p, const char* end) {
  std::int64_t magnitude = 0;
  bool in_fraction = false, is_zero_so_far = true;
  for (; p != end && (*p == '.' || is_digit(*p)); ++p) {
    if (*p == '.') {
      in_fraction = true;
      continue;
    }
    is_zero_so_far = is_zero_so_far && *p == '0';
    magnitude += !in_fraction && !is_zero_so_far;
    magnitude -= in_fraction && is_zero_so_far;
  }
  if (p == end) return magnitude > 0;
  const bool shrinks = p[1] == '-';
  std::int64_t exponent;
  const auto [ignored, error] = std::from_chars(p + 1 + (shrinks || p[1] == '+'), end, exponent);
  if (error != std::errc()) return !shrinks;
  return shrinks ? magnitude > exponent : magnitude > -exponent;
}

// Numbers of any length, with or without an exponent; neither inf nor nan.
inline const char* read_long_number(const char* p, double& value) {
  const char* const digits = p + (*p == '-' || *p == '+');
  if (!is_digit(*digits) && *digits != '.') return nullptr;
  const auto [end, error] = decimal::from_chars(*p == '+' ? digits : p, skip_token(p), value);
  if (error == std::errc()) return end;
  if (error != std::errc::result_out_of_range || is_huge(digits, end)) return nullptr;
  value = *p == '-' ? -0.0 : 0.0;
  return end;
}

// Up to eight digits before and eight behind the point: one division of two exact numbers, which
// is rounded once. All else takes the long way, as do the last bytes before the end of the text.
inline const char* read_number(const char* p, const char* end, double& value) {
  static constexpr double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  constexpr double exact = 9007199254740992.0;  // 2^53: integers up to here are doubles
  constexpr std::ptrdiff_t longest = 1 + 8 + 1 + 8;
  if (end - p <= longest) return read_long_number(p, value);
  const char* q = p + (*p == '-');
  const Digits whole = read_digits(q);
  q += whole.count;
  double digits = static_cast<double>(whole.number);
  double power = 1.0;
  if (*q == '.') {
    const Digits decimals = read_digits(q + 1);
    q += 1 + decimals.count;
    power = powers[decimals.count];
    if (decimals.count > 0) digits = digits * power + static_cast<double>(decimals.number);
  }
  if (whole.count == 0 || digits >= exact || !ends_token(*q)) return read_long_number(p, value);
  value = *p == '-' ? -digits / power : digits / power;
  return q;
}

}  // namespace tauboost::svmlight
