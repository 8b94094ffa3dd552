// std::from_chars for double, also where the C++ library has it for integers only: Apple's did for
// years. There the C library's strtod takes its place, with points whatever the locale says.
#pragma once

#include <charconv>
#include <system_error>

#if !defined(__cpp_lib_to_chars) || defined(TAUBOOST_STRTOD)
#define TAUBOOST_USES_STRTOD 1
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#if defined(__APPLE__)
#include <xlocale.h>
#else
#include <locale.h>
#endif
#endif

namespace tauboost::svmlight::decimal {

#ifndef TAUBOOST_USES_STRTOD

using std::from_chars;

#else

inline std::from_chars_result from_chars(const char* first, const char* last, double& value) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  // No letter but e, so that strtod sees neither hexadecimal digits nor infinity.
  const char* end = first;
  while (end != last && std::memchr("0123456789.+-eE", *end, 15) != nullptr) ++end;
  std::string text(first, end);
  char* behind = nullptr;
  const double read = strtod_l(text.c_str(), &behind, plain);
  const char* const stop = first + (behind - text.c_str());
  if (stop == first) return {first, std::errc::invalid_argument};
  text.resize(static_cast<std::size_t>(stop - first));
  const bool is_zero = text.find_first_of("123456789") >= text.find_first_of("eE");
  if (std::isinf(read) || (read == 0.0 && !is_zero)) return {stop, std::errc::result_out_of_range};
  value = read;
  return {stop, std::errc()};
}

#endif

}  // namespace tauboost::svmlight::decimal
