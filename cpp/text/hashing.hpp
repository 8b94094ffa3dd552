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

// MurmurHash3 of 32 bits (Appleby 2011), with the seed 0.
inline std::int32_t murmur(const char* bytes, std::int64_t size) {
  constexpr std::uint32_t c1 = 0xCC9E2D51, c2 = 0x1B873593;
  std::uint32_t h = 0;
  const std::int64_t whole = size & ~std::int64_t{3};
  for (std::int64_t at = 0; at < whole; at += 4) {
    std::uint32_t k;
    std::memcpy(&k, bytes + at, 4);
    h ^= std::rotl(k * c1, 15) * c2;
    h = std::rotl(h, 13) * 5 + 0xE6546B64;
  }
  std::uint32_t rest = 0;
  for (std::int64_t at = size; at-- > whole;)
    rest = rest << 8 | static_cast<unsigned char>(bytes[at]);
  h ^= std::rotl(rest * c1, 15) * c2;
  h ^= static_cast<std::uint32_t>(size);
  h = (h ^ h >> 16) * 0x85EBCA6B;
  h = (h ^ h >> 13) * 0xC2B2AE35;
  return static_cast<std::int32_t>(h ^ h >> 16);
}

struct Hashing {
  std::uint32_t n_features = 1 << 20;
  bool alternate_sign = true, binary = false;
  int least = 1, most = 1;  // words in a run

  void add(std::int32_t hash, RowSorter& row) const {
    const std::uint32_t size = hash < 0 ? 0u - static_cast<std::uint32_t>(hash) : hash;
    // The smallest number has no absolute value: scikit-learn gives it this column.
    const std::uint32_t from = size == 0x80000000u ? 0x7FFFFFFFu - (n_features - 1) : size;
    const bool is_power = (n_features & (n_features - 1)) == 0;
    row.add(is_power ? from & (n_features - 1) : from % n_features, alternate_sign && hash < 0);
  }
};

// Writes the words of a text in a row, with a space behind each: a run of them is a piece of it.
class HashedRows {
 public:
  HashedRows(const Splitting& splitting, const Characters& characters, const Hashing& hashing,
             const Words& left_out)
      : split_(splitting), hashing_(hashing), left_out_(left_out) {
    split_.learn(characters);
  }

  void operator()(const Text& text, RowBlock& block) {
    words_.clear();
    ends_.clear();
    split_(text, *this);
    if (hashing_.most > 1) hash_runs();
    sorter_.write(block, hashing_.binary);
  }

  // What the splitter calls.
  void operator()(Key key) {
    if (left_out_.size() > 0 && left_out_.find(key, left_out_.hash(key)) != no_word) return;
    const int size =
        key.high != 0 ? 16 - std::countl_zero(key.high) / 8 : 8 - std::countl_zero(key.low) / 8;
    take(reinterpret_cast<const char*>(&key), static_cast<std::size_t>(size));
  }
  void operator()(std::string_view word) {
    if (left_out_.size() > 0 && left_out_.find(word) != no_word) return;
    take(word.data(), word.size());
  }

 private:
  // Words alone are hashed at once.
  void take(const char* bytes, std::size_t size) {
    if (hashing_.most == 1)
      return hashing_.add(murmur(bytes, static_cast<std::int64_t>(size)), sorter_);
    words_.insert(words_.end(), bytes, bytes + size);
    ends_.push_back(words_.size());
    words_.push_back(' ');
  }

  void hash_runs() {
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
};

}  // namespace tauboost::text
