// Texts to the numbers of their words, block by block of texts, each member of a team with words of
// its own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "matrix/pages.hpp"
#include "text/split.hpp"
#include "text/words.hpp"

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

// Words of a run of texts, by their numbers in one member's list.
struct Block {
  std::int64_t first_text = 0;
  std::int64_t first_place = 0;  // among the words of all texts, one behind each text
  int member = 0;
  Growing<std::uint32_t> words;         // of all texts in a row
  Growing<std::uint32_t> counts;        // how often a text has the word, where each is there once
  std::vector<std::int64_t> text_ends;  // where each text's words end
};

// What one member has met: words, and how many texts have them. Those that were there before any
// text are to be left out.
class Reader {
 public:
  Reader(const Splitting& splitting, const std::vector<std::string_view>& left_out,
         std::uint64_t seed)
      : split_(splitting), words_(seed) {
    for (const std::string_view word : left_out) words_.add(word);
    n_left_out_ = words_.size();
  }

  void learn(const Characters& characters) { split_.learn(characters); }

  // Words as they follow each other; or, where their order does not matter, each once, counted.
  void read(const Text* texts, std::int64_t n_texts, bool in_order, Block& block) {
    for (std::int64_t k = 0; k < n_texts; ++k) {
      const auto text = static_cast<std::uint32_t>(block.first_text + k + 1);  // 0 is none
      const std::int64_t most = split_.most_words(texts[k].length);
      if (in_order)
        follow(texts[k], text, block.words.reserve(most), block.words);
      else
        count(texts[k], text, block.words.reserve(most), block.counts.reserve(most), block);
      block.text_ends.push_back(block.words.size());
    }
  }

  const Words& words() const { return words_; }
  std::uint32_t n_left_out() const { return n_left_out_; }
  std::int64_t n_texts(std::uint32_t word) const {
    return word < met_.size() ? met_[word].n_texts : 0;
  }

 private:
  struct Met {
    std::uint32_t last_text = 0, n_texts = 0, place = 0;
  };

  // Gives each word of a text to take(word, what is known of it), but those to be left out.
  template <typename Take>
  void each(const Text& text, const Take& take) {
    auto look = [&](std::uint32_t word) {
      if (word < n_left_out_) return;
      if (word >= met_.size()) met_.resize(word + word / 2 + 1024);
      take(word, met_[word]);
    };
    Lookup lookup(words_, look);
    split_(text, lookup);
    lookup.flush();
  }

  void follow(const Text& text, std::uint32_t number, std::uint32_t* words,
              Growing<std::uint32_t>& all) {
    std::int64_t n = 0;
    each(text, [&](std::uint32_t word, Met& met) {
      words[n++] = word;
      met.n_texts += met.last_text != number;
      met.last_text = number;
    });
    all.extend(n);
  }

  void count(const Text& text, std::uint32_t number, std::uint32_t* words, std::uint32_t* counts,
             Block& block) {
    std::uint32_t n = 0;
    each(text, [&](std::uint32_t word, Met& met) {
      if (met.last_text == number) {
        ++counts[met.place];
        return;
      }
      met = {number, met.n_texts + 1, n};
      words[n] = word;
      counts[n++] = 1;
    });
    block.words.extend(n);
    block.counts.extend(n);
  }

  Splitter split_;
  Words words_;
  std::uint32_t n_left_out_ = 0;
  std::vector<Met> met_;
};

}  // namespace tauboost::text
