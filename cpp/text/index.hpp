// Terms that are known, to be found in texts: words by their numbers, n-grams as steps from
// one to the next.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/reader.hpp"
#include "text/row_blocks.hpp"
#include "text/words.hpp"

namespace tauboost::text {

// Strings in one piece of text, cut by offsets; two sorted lists of them made to one.

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

// Which n-grams there are: one is a node, a longer one a step by one more word. Words are the first
// nodes.
class Index {
 public:
  Index(const std::vector<std::string_view>& left_out, std::uint64_t seed)
      : words_(seed), seed_(seed), slots_(64) {
    for (const std::string_view word : left_out) words_.add(word);
    n_left_out_ = words_.size();
  }

  // Words first: their numbers are to be the nodes below all others.
  void add_words(std::string_view term, bool is_ngram) {
    each_word(term, is_ngram, [&](std::string_view word) { words_.add(word); });
  }
  void add(std::string_view term, bool is_ngram, std::int32_t column) {
    if (columns_.size() < words_.size()) columns_.resize(words_.size(), -1);
    std::uint32_t node = no_word;
    each_word(term, is_ngram, [&](std::string_view word) {
      const std::uint32_t next = words_.find(word);
      node = node == no_word ? next : step(node, next);
    });
    if (node != no_word) columns_[node] = column;
    n_columns_ = std::max<std::int64_t>(n_columns_, column + 1);
  }

  std::int64_t n_columns() const { return n_columns_; }
  const Words& words() const { return words_; }
  std::uint32_t n_left_out() const { return n_left_out_; }
  std::int32_t column(std::uint32_t node) const {
    return node < columns_.size() ? columns_[node] : -1;
  }

  std::uint64_t hash(std::uint32_t node, std::uint32_t word) const {
    return folded(std::uint64_t{node} << 32 | word, seed_ | 1) * 0xD6E8FEB86659FD93u;
  }
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[slot(hash)]); }
  std::uint32_t find(std::uint32_t node, std::uint32_t word, std::uint64_t hash) const {
    const std::uint64_t key = std::uint64_t{node} << 32 | word;
    std::uint64_t s = slot(hash);
    while (slots_[s].key != key && slots_[s].node != no_word) s = (s + 1) & (slots_.size() - 1);
    return slots_[s].node;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t node = no_word;
  };

  template <typename Use>
  static void each_word(std::string_view term, bool is_ngram, const Use& use) {
    for (;;) {
      const std::size_t end = is_ngram ? term.find(' ') : term.npos;
      use(term.substr(0, end));
      if (end == term.npos) return;
      term.remove_prefix(end + 1);
    }
  }

  std::uint64_t slot(std::uint64_t hash) const {
    return hash >> (64 - std::countr_zero(slots_.size()));
  }

  std::uint32_t step(std::uint32_t node, std::uint32_t word) {
    const std::uint32_t known = find(node, word, hash(node, word));
    if (known != no_word) return known;
    const auto next = static_cast<std::uint32_t>(columns_.size());
    columns_.push_back(-1);
    put({std::uint64_t{node} << 32 | word, next});
    if (++n_steps_ * 2 > slots_.size()) {
      std::vector<Slot> old(2 * slots_.size());
      old.swap(slots_);
      for (const Slot& slot : old)
        if (slot.node != no_word) put(slot);
    }
    return next;
  }
  void put(const Slot& step) {
    std::uint64_t s = slot(
        hash(static_cast<std::uint32_t>(step.key >> 32), static_cast<std::uint32_t>(step.key)));
    while (slots_[s].node != no_word) s = (s + 1) & (slots_.size() - 1);
    slots_[s] = step;
  }

  Words words_;
  std::uint64_t seed_;
  std::uint32_t n_left_out_ = 0;
  std::vector<std::int32_t> columns_;  // of each node; -1: no term, only the beginning of some
  std::vector<Slot> slots_;
  std::uint64_t n_steps_ = 0;
  std::int64_t n_columns_ = 0;
};

// Rows of what an index knows.
class FoundTerms {
 public:
  FoundTerms(const Splitting& splitting, const Characters& characters, const Index& index,
             int least, int most, bool binary)
      : split_(splitting),
        index_(index),
        least_(least),
        most_(most),
        binary_(binary),
        sorter_(index.n_columns()) {
    split_.learn(characters);
  }

  void operator()(const Text& text, RowPool& rows) {
    words_.clear();
    auto take = [&](std::uint32_t word) {
      if (word >= index_.n_left_out()) words_.push_back(word);  // also where it is none
    };
    Lookup lookup(index_.words(), take);
    split_(text, lookup);
    lookup.flush();
    if (least_ == 1)
      for (const std::uint32_t word : words_) keep(word);
    nodes_ = words_;
    for (int length = 2; length <= most_; ++length) lengthen(length);
    sorter_.write(rows, binary_);
  }

 private:
  void keep(std::uint32_t node) {
    const std::int32_t column = index_.column(node);
    if (column >= 0) sorter_.add(static_cast<std::uint32_t>(column), false);
  }

  // From n-grams that end before a word to those that end with it: node k begins at word k.
  void lengthen(int length) {
    const std::size_t n =
        words_.size() < static_cast<std::size_t>(length) ? 0 : words_.size() - length + 1;
    nodes_.resize(n);
    hashes_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      hashes_[k] = index_.hash(nodes_[k], words_[k + length - 1]);
      index_.prefetch(hashes_[k]);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t word = words_[k + length - 1];
      if (nodes_[k] == no_word) continue;
      nodes_[k] = word == no_word ? no_word : index_.find(nodes_[k], word, hashes_[k]);
      if (length >= least_) keep(nodes_[k]);
    }
  }

  Splitter split_;
  const Index& index_;
  int least_, most_;
  bool binary_;
  RowSorter sorter_;
  std::vector<std::uint32_t> words_, nodes_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace tauboost::text
