// Words and their numbers. A word of up to 16 bytes is its own key; longer ones are kept apart.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tauboost::text {

// A word's bytes in UTF-8, filled up with zeros. The last byte of a long word's key is one that
// no UTF-8 has; the rest says where it is kept.
struct Key {
  std::uint64_t low, high;

  bool operator==(const Key&) const = default;
  bool is_long() const { return high >> 56 == 0xFF; }
};

inline constexpr std::uint64_t long_mark = std::uint64_t{0xFF} << 56;
inline constexpr std::uint32_t no_word = 0xFFFFFFFF;

inline std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Numbers of words in the order in which they were met. The seed differs from process to process:
// nobody can write texts whose words all meet in one slot. Nothing else depends on it.
class Words {
 public:
  explicit Words(std::uint64_t seed) : seed_(seed | 1) { resize(1 << 14); }

  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }

  std::uint64_t hash(Key key) const {
    return folded(key.low ^ seed_, key.high ^ 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
  }
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash >> shift_]); }

  // The number of a word; no_word where it is none of these.
  std::uint32_t find(Key key, std::uint64_t hash) const {
    return slots_[slot_of(key, hash)].number;
  }
  std::uint32_t find(std::string_view word) const {
    if (!is_short(word)) return long_slots_[long_slot_of(word, hash_of(word))].number;
    const Key key = short_key(word);
    return find(key, hash(key));
  }

  // The same; a word that is none of these gets the next number.
  std::uint32_t add(Key key, std::uint64_t hash) {
    Slot& slot = slots_[slot_of(key, hash)];
    if (slot.number != no_word) return slot.number;
    const std::uint32_t number = next(key);
    slot = {key, number, 0};
    if (++n_short_ * 2 > slots_.size()) resize(2 * slots_.size());
    return number;
  }
  std::uint32_t add(std::string_view word) {
    if (is_short(word)) {
      const Key key = short_key(word);
      return add(key, hash(key));
    }
    const std::uint64_t hash = hash_of(word);
    LongSlot& slot = long_slots_[long_slot_of(word, hash)];
    if (slot.number != no_word) return slot.number;
    const std::uint32_t number = next({arena_.size(), long_mark | word.size()});
    arena_.insert(arena_.end(), word.begin(), word.end());
    slot = {hash, number};
    if (++n_long_ * 2 > long_slots_.size()) grow_long();
    return number;
  }

  // Whether the key of a word is the word: zeros are what it is filled up with.
  static bool is_short(std::string_view word) {
    return !word.empty() && word.size() <= 16 &&
           std::memchr(word.data(), 0, word.size()) == nullptr;
  }

  // The bytes of a word; they move when words are added.
  std::string_view view(std::uint32_t number) const {
    const Key& key = keys_[number];
    if (key.is_long()) return {arena_.data() + key.low, key.high & ~long_mark};
    const char* const bytes = reinterpret_cast<const char*>(&key);
    return {bytes, ::strnlen(bytes, 16)};
  }
  Key key(std::uint32_t number) const { return keys_[number]; }

  static Key short_key(std::string_view word) {
    Key key{};
    std::memcpy(&key, word.data(), word.size());
    return key;
  }

 private:
  static_assert(std::endian::native == std::endian::little);

  struct Slot {
    Key key{};
    std::uint32_t number = no_word;
    std::uint32_t unused = 0;
  };
  static_assert(sizeof(Slot) == 24);
  struct LongSlot {
    std::uint64_t hash = 0;
    std::uint32_t number = no_word;
  };

  std::uint32_t next(Key key) {
    if (keys_.size() >= no_word - 1) throw std::length_error("too many different words");
    keys_.push_back(key);
    return static_cast<std::uint32_t>(keys_.size() - 1);
  }

  // Where a word is, or would be.
  std::uint64_t slot_of(Key key, std::uint64_t hash) const {
    std::uint64_t s = hash >> shift_;
    while (!(slots_[s].key == key) && slots_[s].number != no_word) s = (s + 1) & mask_;
    return s;
  }
  std::uint64_t long_slot_of(std::string_view word, std::uint64_t hash) const {
    const std::uint64_t mask = long_slots_.size() - 1;
    std::uint64_t s = hash & mask;
    for (; long_slots_[s].number != no_word; s = (s + 1) & mask)
      if (long_slots_[s].hash == hash && view(long_slots_[s].number) == word) break;
    return s;
  }

  void resize(std::size_t n) {
    std::vector<Slot> old(n);
    old.swap(slots_);
    mask_ = n - 1;
    shift_ = 64 - std::countr_zero(n);
    for (const Slot& slot : old) {
      if (slot.number == no_word) continue;
      std::uint64_t s = hash(slot.key) >> shift_;
      while (slots_[s].number != no_word) s = (s + 1) & mask_;
      slots_[s] = slot;
    }
  }

  void grow_long() {
    std::vector<LongSlot> old(2 * long_slots_.size());
    old.swap(long_slots_);
    for (const LongSlot& slot : old) {
      if (slot.number == no_word) continue;
      std::uint64_t s = slot.hash & (long_slots_.size() - 1);
      while (long_slots_[s].number != no_word) s = (s + 1) & (long_slots_.size() - 1);
      long_slots_[s] = slot;
    }
  }

  std::uint64_t hash_of(std::string_view word) const {
    std::uint64_t hash = seed_ ^ word.size();
    for (; word.size() > 16; word.remove_prefix(16)) hash = step(hash, word.substr(0, 16));
    return step(hash, word);
  }
  std::uint64_t step(std::uint64_t hash, std::string_view piece) const {
    const Key key = short_key(piece);
    return folded(key.low ^ hash, key.high ^ 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
  }

  std::uint64_t seed_;
  std::vector<Slot> slots_;
  std::uint64_t mask_ = 0, n_short_ = 0, n_long_ = 0;
  int shift_ = 0;
  std::vector<LongSlot> long_slots_ = std::vector<LongSlot>(256);
  std::vector<Key> keys_;
  std::vector<char> arena_;
};

}  // namespace tauboost::text
