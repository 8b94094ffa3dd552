// Texts to the numbers of their words, block by block of texts, by several readers, each with a
// list of words of its own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "matrix/pages.hpp"
#include "text/split.hpp"
#include "text/words.hpp"
#include "threads/cancellation.hpp"

namespace tauboost::text {

// Looks words up a few at a time, so that memory has answered when their turn comes.
template <typename List, typename Take>
class Lookup {
 public:
  Lookup(List& words, Take& take) : words_(words), take_(take) {}

  void operator()(Key key) {
    const std::uint64_t hash = words_.hash(key);
    words_.prefetch(hash);
    pending_[size_] = {key, hash};
    if (++size_ == at_once) flush();
  }

  void operator()(std::string_view word) {
    pending_[size_] = {{number(word), long_mark}, 0};
    if (++size_ == at_once) flush();
  }

  void flush() {
    for (int k = 0; k < size_; ++k) {
      const auto& [key, hash] = pending_[k];
      take_(key.is_long() ? static_cast<std::uint32_t>(key.low) : number(key, hash));
    }
    size_ = 0;
  }

 private:
  static constexpr int at_once = 32;

  // New words are added to a list that may change.
  template <typename... Word>
  std::uint32_t number(const Word&... word) {
    if constexpr (std::is_const_v<List>)
      return words_.find(word...);
    else
      return words_.add(word...);
  }

  struct Pending {
    Key key;
    std::uint64_t hash;
  };

  List& words_;
  Take& take_;
  std::array<Pending, at_once> pending_;
  int size_ = 0;
};

// Words of some texts in a row, by their numbers in one reader's list.
struct Block {
  std::int64_t first_text = 0;
  std::int64_t first_place = 0;  // among the words of all texts, one behind each text
  int reader = 0;
  std::int64_t first_word = 0;          // among those of the reader's texts
  std::vector<std::int64_t> text_ends;  // where each text's words end, from there

  std::int64_t n_words() const { return text_ends.empty() ? 0 : text_ends.back(); }
};

// What one reader has met: words and, if asked for, how many texts have each. Words that were
// there before any text are to be left out.
class Reader {
 public:
  Reader(const Splitting& splitting, const std::vector<std::string_view>& left_out, bool counts,
         std::uint64_t seed)
      : split_(splitting), words_(seed), counts_(counts) {
    for (const std::string_view word : left_out) words_.add(word);
    n_left_out_ = words_.size();
  }

  void learn(const Characters& characters) { split_.learn(characters); }

  void read(const Text* texts, std::int64_t n_texts, Block& block, Cancellation& cancel) {
    block.first_word = read_.size();
    for (std::int64_t k = 0; k < n_texts && !cancel.stopped(); ++k) {
      cancel.check(texts[k].n_bytes());
      std::uint32_t* const words = read_.reserve(split_.most_words(texts[k].length));
      const auto text = static_cast<std::uint32_t>(block.first_text + k + 1);  // 0 is none
      read_.extend(counts_ ? read<true>(texts[k], text, words)
                           : read<false>(texts[k], text, words));
      block.text_ends.push_back(read_.size() - block.first_word);
    }
  }

  // The numbers of a block's words, one after another.
  const std::uint32_t* words_of(const Block& block) const {
    return read_.data() + block.first_word;
  }
  const Words& words() const { return words_; }
  std::uint32_t n_left_out() const { return n_left_out_; }
  std::int64_t n_texts(std::uint32_t word) const {
    return word < met_.size() ? met_[word].n_texts : 0;
  }

 private:
  struct Met {
    std::uint32_t last_text = 0, n_texts = 0;
  };

  template <bool counts>
  std::int64_t read(const Text& text, std::uint32_t number, std::uint32_t* words) {
    std::int64_t n = 0;
    auto take = [&](std::uint32_t word) {
      if (word < n_left_out_) return;
      words[n++] = word;
      if constexpr (counts) {
        if (word >= met_.size()) met_.resize(word + word / 2 + 1024);
        met_[word].n_texts += met_[word].last_text != number;
        met_[word].last_text = number;
      }
    };
    Lookup lookup(words_, take);
    split_(text, lookup);
    lookup.flush();
    return n;
  }

  Splitter split_;
  Words words_;
  bool counts_;
  std::uint32_t n_left_out_ = 0;
  std::vector<Met> met_;
  Growing<std::uint32_t> read_;  // words of all blocks, by number
};

}  // namespace tauboost::text
