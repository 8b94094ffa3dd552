// Columns by hashes of names, as scikit-learn's HashingVectorizer has them: nothing to learn first.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "text/row_blocks.hpp"
#include "text/split.hpp"

namespace tauboost::text {

// MurmurHash3 of 32 bits (Appleby 2011), with the seed 0: pieces of four bytes one after another,
// then what is left of the last one.
struct Murmur {
  std::uint32_t h = 0;

  static std::uint32_t scrambled(std::uint32_t piece) {
    return std::rotl(piece * 0xCC9E2D51, 15) * 0x1B873593;
  }
  Murmur with(std::uint64_t piece) const {
    return {std::rotl(h ^ scrambled(static_cast<std::uint32_t>(piece)), 13) * 5 + 0xE6546B64};
  }
  std::int32_t finished(std::uint64_t rest, std::uint32_t size) const {
    std::uint32_t x = h ^ scrambled(static_cast<std::uint32_t>(rest)) ^ size;
    x = (x ^ x >> 16) * 0x85EBCA6B;
    x = (x ^ x >> 13) * 0xC2B2AE35;
    return static_cast<std::int32_t>(x ^ x >> 16);
  }
};

inline std::int32_t murmur(const char* bytes, std::int64_t size) {
  Murmur hash;
  const std::int64_t whole = size & ~std::int64_t{3};
  for (std::int64_t at = 0; at < whole; at += 4) {
    std::uint32_t k;
    std::memcpy(&k, bytes + at, 4);
    hash = hash.with(k);
  }
  std::uint32_t rest = 0;
  for (std::int64_t at = size; at-- > whole;)
    rest = rest << 8 | static_cast<unsigned char>(bytes[at]);
  return hash.finished(rest, static_cast<std::uint32_t>(size));
}

// The same of a key: the bytes behind the word are 0, as those are that fill up its last piece.
inline std::int32_t murmur(Key key, std::uint32_t size) {
  Murmur hash;
  std::uint64_t rest = key.low;
  if (size >= 8) {
    hash = hash.with(rest).with(rest >> 32);
    rest = key.high;
  }
  if (size == 16) {
    hash = hash.with(rest).with(rest >> 32);
    rest = 0;
  }
  const Murmur longer = hash.with(rest);  // words are hard to foresee: no branch
  hash.h = size & 4 ? longer.h : hash.h;
  rest = size & 4 ? rest >> 32 : rest;
  return hash.finished(rest, size);
}

struct Hashing {
  std::uint32_t n_features = 1 << 20;
  bool alternate_sign = true, binary = false;
  int least = 1, most = 1;  // words in an n-gram

  // Without branches: half of all hashes are negative.
  void add(std::int32_t hash, RowSorter& row) const {
    const auto sign = static_cast<std::uint32_t>(hash >> 31);
    const std::uint32_t size = (static_cast<std::uint32_t>(hash) ^ sign) - sign;
    // The smallest number has no absolute value: scikit-learn gives it this column.
    const std::uint32_t from = size == 0x80000000u ? 0x7FFFFFFFu - (n_features - 1) : size;
    const bool is_power = (n_features & (n_features - 1)) == 0;
    row.add(is_power ? from & (n_features - 1) : from % n_features, sign & alternate_sign);
  }
};

// Writes the words of a text in a row, with a space behind each: an n-gram is a piece of it.
class HashedRows {
 public:
  HashedRows(const Splitting& splitting, const Characters& characters, const Hashing& hashing,
             const Words& left_out)
      : split_(splitting), hashing_(hashing), left_out_(left_out), sorter_(hashing.n_features) {
    split_.learn(characters);
  }

  void operator()(const Text& text, RowPool& rows) {
    words_.clear();
    ends_.clear();
    split_(text, *this);
    hash_keys();
    hash_ngrams();
    sorter_.write(rows, hashing_.binary);
  }

  // What the splitter calls.
  void operator()(Key key) {
    if (hashing_.most == 1 && left_out_.size() == 0) {
      keys_[n_keys_] = key;
      if (++n_keys_ == at_once) hash_keys();
      return;
    }
    if (left_out_.size() > 0 && left_out_.find(key, left_out_.hash(key)) != no_word) return;
    append(reinterpret_cast<const char*>(&key), size_of(key));
  }
  void operator()(std::string_view word) {
    if (left_out_.size() > 0 && left_out_.find(word) != no_word) return;
    append(word.data(), word.size());
  }

 private:
  static std::uint32_t size_of(Key key) {
    const int zeros = key.high != 0 ? std::countl_zero(key.high) : 64 + std::countl_zero(key.low);
    return static_cast<std::uint32_t>(16 - zeros / 8);
  }

  // Words alone, some at a time.
  void hash_keys() {
    for (int k = 0; k < n_keys_; ++k) hashing_.add(murmur(keys_[k], size_of(keys_[k])), sorter_);
    n_keys_ = 0;
  }

  void append(const char* bytes, std::size_t size) {
    words_.insert(words_.end(), bytes, bytes + size);
    ends_.push_back(words_.size());
    words_.push_back(' ');
  }

  void hash_ngrams() {
    const auto n = static_cast<std::int64_t>(ends_.size());
    for (int length = hashing_.least; length <= hashing_.most; ++length)
      for (std::int64_t k = 0; k + length <= n; ++k) {
        const std::size_t begin = k == 0 ? 0 : ends_[k - 1] + 1;
        const std::int32_t hash =
            murmur(words_.data() + begin, static_cast<std::int64_t>(ends_[k + length - 1] - begin));
        hashing_.add(hash, sorter_);
      }
  }

  Splitter split_;
  Hashing hashing_;
  const Words& left_out_;
  RowSorter sorter_;
  std::vector<char> words_;
  std::vector<std::size_t> ends_;
  static constexpr int at_once = 64;
  Key keys_[at_once] = {};
  int n_keys_ = 0;
};

}  // namespace tauboost::text
