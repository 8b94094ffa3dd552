// Texts as Python holds them, read in place, and what the interpreter knows of their characters.
#pragma once

#include <cstdint>

namespace tauboost::text {

// Code points of 1, 2 or 4 bytes each, as a Python string has them; ASCII is 1 byte, with a sign
// that all of them are below 128.
struct Text {
  const void* data;
  std::int64_t length;  // code points
  int width;
  bool is_ascii;

  std::int64_t n_bytes() const { return length * width; }
};

// Of each code point below `limit`: whether it is part of words, or space, and its lower case. A
// character whose lower case is more than one, or depends on those around it, is not met here: the
// interpreter lowers texts that have one.
struct Characters {
  static constexpr std::uint8_t word = 1, space = 2;

  const std::uint8_t* kinds = nullptr;
  const std::uint32_t* lower = nullptr;
  std::int64_t limit = 0;
};

// What is a word: at least so many characters, in lower case or as they are.
struct Splitting {
  bool lowercase = true;
  int shortest = 2;
  int least = 0, most = 0;  // lengths of n-grams of characters; 0: words
};

// Writes a code point as UTF-8, half a pair of UTF-16 like any other; returns what comes behind it.
inline char* encode(std::uint32_t c, char* out) {
  if (c < 0x80) {
    *out++ = static_cast<char>(c);
  } else if (c < 0x800) {
    *out++ = static_cast<char>(0xC0 | c >> 6);
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    *out++ = static_cast<char>(0xE0 | c >> 12);
    *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  } else {
    *out++ = static_cast<char>(0xF0 | c >> 18);
    *out++ = static_cast<char>(0x80 | (c >> 12 & 0x3F));
    *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  }
  return out;
}

}  // namespace tauboost::text
