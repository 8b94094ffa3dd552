// The texts of a fit: read once, in blocks, then counted word by word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/ngrams.hpp"
#include "text/reader.hpp"
#include "text/row_blocks.hpp"
#include "threads/team.hpp"

namespace tauboost::text {

// A word before its rank is known.
struct Candidate {
  std::uint64_t first, second;  // its bytes in the order in which they are compared
  std::string_view word;
  std::uint32_t number;

  bool operator<(const Candidate& other) const {
    if (first != other.first) return first < other.first;
    if (second != other.second) return second < other.second;
    return word < other.word;
  }
};

inline Candidate candidate(std::string_view word, std::uint32_t number) {
  Key key{};
  std::memcpy(&key, word.data(), std::min<std::size_t>(word.size(), 16));
  return {__builtin_bswap64(key.low), __builtin_bswap64(key.high), word, number};
}

class Corpus {
 public:
  // For n-grams, how many texts have each word is counted: rare ones are part of none.
  Corpus(const Splitting& splitting, std::vector<std::string> left_out, bool has_ngrams,
         std::uint64_t seed)
      : left_out_(std::move(left_out)),
        has_ngrams_(has_ngrams),
        seed_(seed),
        readers_([this, splitting] {
          const std::vector<std::string_view> words(left_out_.begin(), left_out_.end());
          Reader reader(splitting, words, has_ngrams_, seed_);
          reader.learn(*characters_);
          return reader;
        }) {}

  std::int64_t n_texts() const { return n_texts_; }

  // Reads more texts. What the characters are may be known of more of them each time. After Ctrl-C
  // the corpus is of no use.
  void read(const std::vector<Text>& texts, const Characters& characters, Team& team,
            Cancellation& cancel) {
    if (n_texts_ + static_cast<std::int64_t>(texts.size()) >= no_word - 1)
      throw std::length_error("too many texts");
    const std::vector<std::int64_t> cuts = cut(texts, block_bytes);
    const std::size_t first = blocks_.size();
    blocks_.resize(first + cuts.size() - 1);
    readers_.each([&](Reader& reader) { reader.learn(characters); });
    characters_ = &characters;
    team.share(static_cast<std::int64_t>(cuts.size()) - 1, [&](std::int64_t b) {
      const auto reader = readers_.borrow();
      Block& block = blocks_[first + static_cast<std::size_t>(b)];
      block.first_text = n_texts_ + cuts[b];
      block.reader = reader.number();
      reader->read(texts.data() + cuts[b], cuts[b + 1] - cuts[b], block, cancel);
    });
    n_texts_ += static_cast<std::int64_t>(texts.size());
  }

  // Words alone: the rows of all texts, with the rank of each word, from 0, as its column.
  RowBlocks rows(bool binary, Team& team, Cancellation& cancel) {
    rank(0, team);
    const auto n_words = static_cast<std::int64_t>(words_.size());
    return blocks_of<RowSorter>(
        static_cast<std::int64_t>(blocks_.size()), [=] { return RowSorter(n_words); }, team, cancel,
        [&](std::int64_t b, RowSorter& sorter, RowPool& pool) {
          const Block& block = blocks_[b];
          const std::uint32_t* const ranks = ranks_[block.reader].data();
          const std::uint32_t* const words = words_of(block);
          std::int64_t k = 0;
          for (const std::int64_t end : block.text_ends) {
            for (; k < end; ++k) sorter.add(ranks[words[k]] - 1, false);
            sorter.write(pool, binary);
          }
          cancel.check(block.n_words());
        });
  }

  // N-grams: the columns of all that enough texts have; parts follow each other. The corpus
  // must have been told to count.
  std::vector<Columns> columns(const Bounds& bounds, Team& team, Cancellation& cancel) {
    if (!has_ngrams_) throw std::invalid_argument("the corpus has not counted");
    rank(bounds.min_texts, team);
    lay_out(bounds.most, team, cancel);
    return collect(bounds, team, cancel);
  }

  // Words by rank, from 0.
  const std::vector<std::string_view>& words() const { return words_; }

 private:
  static constexpr std::int64_t block_bytes = 1 << 18;

  const std::uint32_t* words_of(const Block& block) const {
    return readers_[static_cast<std::size_t>(block.reader)].words_of(block);
  }

  // Gives ranks to the words that enough texts have, and each reader's numbers their ranks.
  void rank(std::int64_t min_texts, Team& team) {
    Words all(seed_);
    std::vector<std::int64_t> n_texts;
    std::vector<std::vector<std::uint32_t>> numbers(readers_.size());
    const bool is_one = readers_.size() == 1;
    for (std::size_t r = 0; r < readers_.size(); ++r) {
      const Reader& reader = readers_[r];
      numbers[r].resize(reader.words().size());
      for (std::uint32_t k = reader.n_left_out(); k < reader.words().size(); ++k) {
        const std::uint32_t number = is_one ? k : all.add(reader.words().view(k));
        numbers[r][k] = number;
        if (number >= n_texts.size()) n_texts.resize(number + 1);
        n_texts[number] += reader.n_texts(k);
      }
    }
    source_ = is_one ? nullptr : std::make_unique<Words>(std::move(all));
    const Words& merged = is_one ? readers_[0].words() : *source_;
    std::vector<Candidate> kept;
    for (std::uint32_t k = is_one ? readers_[0].n_left_out() : 0; k < n_texts.size(); ++k)
      if (n_texts[k] >= min_texts) kept.push_back(candidate(merged.view(k), k));
    sort(kept, team);
    std::vector<std::uint32_t> ranks(n_texts.size());  // from 1; 0: rare
    for (std::size_t k = 0; k < kept.size(); ++k) {
      words_.push_back(kept[k].word);
      ranks[kept[k].number] = static_cast<std::uint32_t>(k + 1);
    }
    ranks_ = std::move(numbers);
    for (std::size_t r = 0; r < readers_.size(); ++r)
      for (std::uint32_t k = readers_[r].n_left_out(); k < ranks_[r].size(); ++k)
        ranks_[r][k] = ranks[ranks_[r][k]];
  }

  // Parts that are sorted by themselves and merged.
  static void sort(std::vector<Candidate>& words, Team& team) {
    const auto n = static_cast<std::int64_t>(words.size());
    const std::int64_t n_parts = n < 4096 ? 1 : team.size();
    const auto at = [&](std::int64_t part) { return words.begin() + n * part / n_parts; };
    team.share(n_parts, [&](std::int64_t p) { std::sort(at(p), at(p + 1)); });
    for (std::int64_t p = 1; p < n_parts; ++p) std::inplace_merge(words.begin(), at(p), at(p + 1));
  }

  // Puts the places of each word in a row: texts in order, parts of them side by side.
  void lay_out(int most, Team& team, Cancellation& cancel) {
    const std::size_t n_words = words_.size();
    const auto n_blocks = static_cast<std::int64_t>(blocks_.size());
    const std::int64_t n_parts = std::min<std::int64_t>(team.size() == 1 ? 1 : 2 * team.size(),
                                                        std::max<std::int64_t>(n_blocks, 1));
    keeps_places_ = most > 2;
    if (keeps_places_) make_stream(most, team);
    std::vector<std::vector<std::int64_t>> starts(static_cast<std::size_t>(n_parts));
    const auto share = [&](const auto& use) {
      team.share(n_parts, [&](std::int64_t p) {
        const std::int64_t end = n_blocks * (p + 1) / n_parts;
        for (std::int64_t b = n_blocks * p / n_parts; b < end && !cancel.stopped(); ++b) {
          use(starts[p], blocks_[b]);
          cancel.check(blocks_[b].n_words());
        }
      });
    };
    for (auto& start : starts) start.assign(n_words + 1, 0);
    share([&](std::vector<std::int64_t>& counts, const Block& block) {
      const std::uint32_t* const ranks = ranks_[block.reader].data();
      const std::uint32_t* const words = words_of(block);
      for (std::int64_t k = 0; k < block.n_words(); ++k) ++counts[ranks[words[k]]];
    });
    std::int64_t sum = 0;
    word_starts_.resize(n_words + 2);
    for (std::size_t rank = 1; rank <= n_words; ++rank) {
      word_starts_[rank] = sum;
      for (auto& start : starts) sum += std::exchange(start[rank], sum);
    }
    word_starts_[n_words + 1] = sum;
    places_.reserve(sum);
    share([&](std::vector<std::int64_t>& starts, const Block& block) { scatter(block, starts); });
  }

  void scatter(const Block& block, std::vector<std::int64_t>& starts) {
    const std::uint32_t* const ranks = ranks_[block.reader].data();
    const std::uint32_t* const words = words_of(block);
    std::uint64_t* const places = places_.data();
    std::int64_t k = 0, place = block.first_place;
    for (std::size_t t = 0; t < block.text_ends.size(); ++t, ++place) {
      const std::int64_t end = block.text_ends[t];
      const std::uint64_t text = static_cast<std::uint64_t>(block.first_text) + t;
      std::uint32_t rank = k < end ? ranks[words[k]] : 0;
      for (; k < end; ++k, ++place) {
        const std::uint32_t next = k + 1 < end ? ranks[words[k + 1]] : 0;
        if (rank != 0)
          places[starts[rank]++] = std::uint64_t{next} << 32 |
                                   (keeps_places_ ? static_cast<std::uint64_t>(place) : text);
        rank = next;
      }
    }
  }

  // All words by rank in one row, for n-grams of three words and more.
  void make_stream(int most, Team& team) {
    std::int64_t place = 0;
    for (Block& block : blocks_) {
      block.first_place = place;
      place += block.n_words() + static_cast<std::int64_t>(block.text_ends.size());
    }
    if (place >= no_word) throw std::length_error("too many words for n-grams of three");
    stream_.reserve(place + most);
    text_of_.reserve(place + most);
    std::fill_n(stream_.data() + place, most, 0);
    team.share(static_cast<std::int64_t>(blocks_.size()), [&](std::int64_t b) {
      const Block& block = blocks_[b];
      const std::uint32_t* const ranks = ranks_[block.reader].data();
      const std::uint32_t* const words = words_of(block);
      std::int64_t place = block.first_place, k = 0;
      for (std::size_t t = 0; t < block.text_ends.size(); ++t) {
        const auto text = static_cast<std::uint32_t>(block.first_text + t);
        for (; k < block.text_ends[t]; ++k, ++place) {
          stream_.data()[place] = ranks[words[k]];
          text_of_.data()[place] = text;
        }
        stream_.data()[place] = 0;
        text_of_.data()[place++] = text;
      }
    });
  }

  std::vector<Columns> collect(const Bounds& bounds, Team& team, Cancellation& cancel) {
    const auto n_words = static_cast<std::uint32_t>(words_.size());
    const std::int64_t n_parts = team.size() == 1 ? 1 : 4 * team.size();
    std::vector<std::uint32_t> cuts{1};  // words with about as many places
    for (std::int64_t p = 1; p < n_parts; ++p) {
      const std::int64_t wanted = word_starts_[n_words + 1] * p / n_parts;
      const auto at =
          std::lower_bound(word_starts_.begin() + cuts.back(), word_starts_.end() - 1, wanted);
      cuts.push_back(static_cast<std::uint32_t>(at - word_starts_.begin()));
    }
    cuts.push_back(n_words + 1);
    const Stream stream{stream_.data(), keeps_places_ ? text_of_.data() : nullptr};
    std::vector<Columns> parts(static_cast<std::size_t>(n_parts));
    team.share(n_parts, [&](std::int64_t p) {
      Ngrams ngrams(stream, bounds);
      for (std::uint32_t word = cuts[p]; word < cuts[p + 1] && !cancel.stopped(); ++word) {
        std::uint64_t* const places = places_.data() + word_starts_[word];
        const std::int64_t n = word_starts_[word + 1] - word_starts_[word];
        ngrams.add(word, places, n);
        cancel.check(n);
      }
      parts[p] = ngrams.take();
    });
    return parts;
  }

  const std::vector<std::string> left_out_;
  const bool has_ngrams_;
  const std::uint64_t seed_;
  const Characters* characters_ = nullptr;  // those of the texts that are being read
  std::int64_t n_texts_ = 0;
  Scratch<Reader> readers_;
  std::vector<Block> blocks_;
  std::unique_ptr<Words> source_;  // of the views, where there are several readers
  std::vector<std::string_view> words_;
  std::vector<std::vector<std::uint32_t>> ranks_;  // of each reader's words
  bool keeps_places_ = false;
  Growing<std::uint32_t> stream_, text_of_;
  std::vector<std::int64_t> word_starts_;
  Growing<std::uint64_t> places_;
};

}  // namespace tauboost::text
