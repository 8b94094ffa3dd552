// Texts to words: each word in UTF-8 and lower case, as a key, or as bytes where it is long.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "text/text.hpp"
#include "text/words.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tauboost::text {

inline bool is_ascii_word(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

inline char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

#if defined(__x86_64__)
inline __m128i between(__m128i bytes, char first, char last) {
  return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(first - 1))),
                       _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(last + 1))));
}

// One bit for each of 64 bytes of ASCII: whether it is part of a word.
inline std::uint64_t word_bits(const char* bytes) {
  std::uint64_t bits = 0;
  for (int k = 0; k < 4; ++k) {
    const __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * k));
    const __m128i letter = between(_mm_or_si128(c, _mm_set1_epi8(32)), 'a', 'z');
    const __m128i other = _mm_or_si128(between(c, '0', '9'), _mm_cmpeq_epi8(c, _mm_set1_epi8('_')));
    const int mask = _mm_movemask_epi8(_mm_or_si128(letter, other));
    bits |= static_cast<std::uint64_t>(static_cast<unsigned>(mask)) << (16 * k);
  }
  return bits;
}

// The key of a word of at most 16 bytes, of which 16 may be read.
inline Key key_at(const char* word, std::int64_t length, bool lowercase) {
  alignas(16) static constexpr std::uint8_t edge[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                        255, 255, 255, 255, 255, 255, 255, 255};
  __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(word));
  if (lowercase) c = _mm_or_si128(c, _mm_and_si128(between(c, 'A', 'Z'), _mm_set1_epi8(32)));
  c = _mm_and_si128(c, _mm_loadu_si128(reinterpret_cast<const __m128i*>(edge + 16 - length)));
  Key key;
  std::memcpy(&key, &c, 16);
  return key;
}
#else
inline std::uint64_t word_bits(const char* bytes) {
  std::uint64_t bits = 0;
  for (int k = 0; k < 64; ++k)
    bits |= static_cast<std::uint64_t>(is_ascii_word(static_cast<unsigned char>(bytes[k]))) << k;
  return bits;
}

inline Key key_at(const char* word, std::int64_t length, bool lowercase) {
  char bytes[16] = {};
  for (std::int64_t k = 0; k < length; ++k) bytes[k] = lowercase ? ascii_lower(word[k]) : word[k];
  return Words::short_key({bytes, 16});
}
#endif

// Gives the words of texts, one text after another, to a sink: sink(key), or sink(bytes) where a
// word is too long to be a key.
class Splitter {
 public:
  explicit Splitter(const Splitting& splitting) : splitting_(splitting) {}

  void learn(const Characters& characters) { characters_ = characters; }

  // No text of so many characters has more words.
  std::int64_t most_words(std::int64_t length) const {
    if (splitting_.most > 0)
      return (splitting_.most - splitting_.least + 1) * (length + length / 2 + 3);
    return length / (splitting_.shortest + 1) + 1;
  }

  template <typename Sink>
  void operator()(const Text& text, Sink&& sink) {
    if (splitting_.most > 0)
      by_width(text, [&](const auto* c) { ngrams(c, text.length, sink); });
    else if (text.is_ascii)
      ascii(static_cast<const char*>(text.data), text.length, sink);
    else
      by_width(text, [&](const auto* c) { words(c, text.length, sink); });
  }

 private:
  template <typename Use>
  static void by_width(const Text& text, const Use& use) {
    if (text.width == 1) return use(static_cast<const std::uint8_t*>(text.data));
    if (text.width == 2) return use(static_cast<const std::uint16_t*>(text.data));
    use(static_cast<const std::uint32_t*>(text.data));
  }

  // 64 bytes at a time: where words begin and end are the places at which the bits change.
  template <typename Sink>
  void ascii(const char* bytes, std::int64_t length, Sink& sink) {
    std::int64_t begin = -1;  // of the word that is open
    std::uint64_t last = 0;   // whether the byte before was part of a word
    char rest[64];
    for (std::int64_t at = 0; at < length; at += 64) {
      const char* block = bytes + at;
      if (length - at < 64) {
        std::memset(rest, ' ', 64);
        std::memcpy(rest, block, static_cast<std::size_t>(length - at));
        block = rest;
      }
      const std::uint64_t bits = word_bits(block);
      std::uint64_t changes = bits ^ (bits << 1 | last);
      last = bits >> 63;
      if (changes == 0) continue;
      if (begin >= 0) {
        ascii_word(bytes, begin, at + std::countr_zero(changes), length, sink);
        changes &= changes - 1;
        begin = -1;
      }
      while (changes != 0) {
        const std::int64_t first = at + std::countr_zero(changes);
        changes &= changes - 1;
        if (changes == 0) {
          begin = first;
          break;
        }
        ascii_word(bytes, first, at + std::countr_zero(changes), length, sink);
        changes &= changes - 1;
      }
    }
    if (begin >= 0) ascii_word(bytes, begin, length, length, sink);
  }

  template <typename Sink>
  void ascii_word(const char* bytes, std::int64_t begin, std::int64_t end, std::int64_t length,
                  Sink& sink) {
    const std::int64_t size = end - begin;
    if (size < splitting_.shortest) return;
    if (size <= 16 && begin + 16 <= length)
      return sink(key_at(bytes + begin, size, splitting_.lowercase));
    if (size <= 16) {
      char copy[16] = {};
      std::memcpy(copy, bytes + begin, static_cast<std::size_t>(size));
      return sink(key_at(copy, size, splitting_.lowercase));
    }
    word_.assign(bytes + begin, bytes + end);
    if (splitting_.lowercase)
      for (char& c : word_) c = ascii_lower(c);
    sink(std::string_view(word_.data(), word_.size()));
  }

  template <typename C, typename Sink>
  void words(const C* text, std::int64_t length, Sink& sink) {
    word_.resize(std::max<std::size_t>(word_.size(), 64));
    for (std::int64_t at = 0; at < length; ++at) {
      const std::int64_t begin = at;
      char* end = word_.data();
      for (; at < length; ++at) {
        const std::uint32_t c = lowered(text[at]);
        if (!(characters_.kinds[c] & Characters::word)) break;
        end = encode(c, end);
        if (word_.data() + word_.size() - end < 4) end = with_more_room(end);
      }
      if (at - begin < splitting_.shortest) continue;
      const auto size = static_cast<std::size_t>(end - word_.data());
      if (size <= 16)  // no character of a word is 0
        sink(Words::short_key({word_.data(), size}));
      else
        sink(std::string_view(word_.data(), size));
    }
  }

  char* with_more_room(char* end) {
    const auto size = end - word_.data();
    word_.resize(2 * word_.size());
    return word_.data() + size;
  }

  // n-grams of characters within words that space surrounds; a space is put before and behind each.
  template <typename C, typename Sink>
  void ngrams(const C* text, std::int64_t length, Sink& sink) {
    for (std::int64_t at = 0; at < length;) {
      word_.assign(1, ' ');
      ends_.assign({0, 1});
      for (; at < length; ++at) {
        const std::uint32_t c = lowered(text[at]);
        if (characters_.kinds[c] & Characters::space) break;
        append(c);
        ends_.push_back(word_.size());
      }
      ++at;
      if (ends_.size() == 2) continue;
      word_.push_back(' ');
      ends_.push_back(word_.size());
      runs_of_word(sink);
    }
  }

  template <typename Sink>
  void runs_of_word(Sink& sink) {
    const auto size = static_cast<std::int64_t>(ends_.size()) - 1;
    for (std::int64_t n = splitting_.least; n <= splitting_.most; ++n) {
      if (n >= size) return give(word_.data(), word_.size(), sink);  // longer ones are the same
      for (std::int64_t k = 0; k + n <= size; ++k)
        give(word_.data() + ends_[k], ends_[k + n] - ends_[k], sink);
    }
  }

  std::uint32_t lowered(std::uint32_t c) const {
    return splitting_.lowercase ? characters_.lower[c] : c;
  }

  void append(std::uint32_t c) {
    char bytes[4];
    word_.insert(word_.end(), bytes, encode(c, bytes));
  }

  template <typename Sink>
  static void give(const char* bytes, std::size_t size, Sink& sink) {
    const std::string_view word(bytes, size);
    if (Words::is_short(word))
      sink(Words::short_key(word));
    else
      sink(word);
  }

  Characters characters_;
  Splitting splitting_;
  std::vector<char> word_;
  std::vector<std::size_t> ends_;
};

}  // namespace tauboost::text
