// Words and n-grams as columns, straight from the order of their names.
//
// A space sorts below every character of a word, so n-grams sort as their words do, one after
// another: the column of a word is followed by those of the n-grams that begin with it. All places
// of a word, in the order of texts, are its column; sorted by the word that comes next, they are
// the columns of its pairs; each of these, sorted by the word after that, of triples; and so on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "matrix/pages.hpp"
#include "threads/team.hpp"

namespace tauboost::text {

// The words of all texts by rank, from 1; 0 behind each text, and for a word that no column has.
struct Stream {
  const std::uint32_t* ranks;
  const std::uint32_t* text_of;  // of each place; null where places are texts
};

struct Bounds {
  int least = 1, most = 1;                    // words in an n-gram
  std::int64_t min_texts = 1, max_texts = 1;  // that have it
  bool binary = false;
};

// Columns in a row: which words each is made of, and the texts that have it, ascending.
struct Columns {
  Growing<std::uint32_t> texts, counts;  // no counts where all are 1
  std::vector<std::int64_t> ends;        // of each column in them
  std::vector<std::int64_t> totals;      // how often it occurs
  std::vector<std::uint32_t> words;      // ranks, from 1
  std::vector<std::int64_t> word_ends;   // of each column in them
};

class Ngrams {
 public:
  Ngrams(const Stream& stream, const Bounds& bounds) : stream_(stream), bounds_(bounds) {}

  // Adds the columns of the n-grams that begin with a word. Each place of it: the upper half is the
  // rank of the next word, the lower half the place; places ascend, and are used up.
  void add(std::uint32_t word, std::uint64_t* places, std::int64_t n) {
    path_.assign(1, word);
    add(places, n);
  }

  Columns take() { return std::move(columns_); }

 private:
  void add(std::uint64_t* places, std::int64_t n) {
    const int length = static_cast<int>(path_.size());
    const std::int64_t n_texts = column(places, n, length >= bounds_.least);
    if (length == bounds_.most || n_texts < bounds_.min_texts) return;
    sort(places, n);
    std::int64_t begin = 0;
    while (begin < n && places[begin] >> 32 == 0) ++begin;  // the end of a text, or a rare word
    while (begin < n) {
      const std::uint64_t next = places[begin] >> 32;
      std::int64_t end = begin + 1;
      while (end < n && places[end] >> 32 == next) ++end;
      if (end - begin >= bounds_.min_texts) {
        path_.push_back(static_cast<std::uint32_t>(next));
        if (length + 1 < bounds_.most) look_ahead(places + begin, end - begin, length + 1);
        add(places + begin, end - begin);
        path_.pop_back();
      }
      begin = end;
    }
  }

  // Writes a column, if it is to be one; returns how many texts have it.
  std::int64_t column(const std::uint64_t* places, std::int64_t n, bool is_kept) {
    std::uint32_t* const texts = columns_.texts.reserve(n);
    std::uint32_t* const counts = bounds_.binary ? nullptr : columns_.counts.reserve(n);
    std::int64_t size = 0;
    for (std::int64_t k = 0; k < n;) {
      const std::uint32_t text = text_at(places[k]);
      const std::int64_t first = k++;
      while (k < n && text_at(places[k]) == text) ++k;
      texts[size] = text;
      if (counts != nullptr) counts[size] = static_cast<std::uint32_t>(k - first);
      ++size;
    }
    if (!is_kept || size < bounds_.min_texts || size > bounds_.max_texts) return size;
    keep(size, n);
    return size;
  }

  // Makes what was written last a column of the path.
  void keep(std::int64_t size, std::int64_t total) {
    columns_.texts.extend(size);
    if (!bounds_.binary) columns_.counts.extend(size);
    columns_.ends.push_back(columns_.texts.size());
    columns_.totals.push_back(bounds_.binary ? size : total);
    columns_.words.insert(columns_.words.end(), path_.begin(), path_.end());
    columns_.word_ends.push_back(static_cast<std::int64_t>(columns_.words.size()));
  }

  std::uint32_t text_at(std::uint64_t place) const {
    const auto low = static_cast<std::uint32_t>(place);
    return stream_.text_of == nullptr ? low : stream_.text_of[low];
  }

  // Puts the word so far behind each place into its upper half.
  void look_ahead(std::uint64_t* places, std::int64_t n, int far) const {
    for (std::int64_t k = 0; k < n; ++k) {
      const std::uint64_t place = places[k] & 0xFFFFFFFF;
      places[k] = std::uint64_t{stream_.ranks[place + far]} << 32 | place;
    }
  }

  // By the next word; places stay in order. They are sorted by place already, so that only the
  // upper half has to be looked at.
  void sort(std::uint64_t* places, std::int64_t n) {
    if (n < few) return std::sort(places, places + n);
    scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(n)));
    std::uint64_t* from = places;
    std::uint64_t* to = scratch_.data();
    std::uint64_t seen = 0;
    for (std::int64_t k = 0; k < n; ++k) seen |= places[k];
    for (int shift = 32; shift < 64 && seen >> shift != 0; shift += digit) {
      std::int64_t starts[1 << digit] = {};
      for (std::int64_t k = 0; k < n; ++k) ++starts[from[k] >> shift & mask];
      std::int64_t sum = 0;
      for (std::int64_t& start : starts) sum += std::exchange(start, sum);
      for (std::int64_t k = 0; k < n; ++k) to[starts[from[k] >> shift & mask]++] = from[k];
      std::swap(from, to);
    }
    if (from != places) std::copy(from, from + n, places);
  }

  static constexpr std::int64_t few = 256;
  static constexpr int digit = 9;
  static constexpr std::uint64_t mask = (1 << digit) - 1;

  Stream stream_;
  Bounds bounds_;
  std::vector<std::uint32_t> path_;
  std::vector<std::uint64_t> scratch_;
  Columns columns_;
};

// Columns to the rows of CSR, and to names.

// How many entries of each part each row has, then where each part's entries of a row begin. Rows
// come out sorted, as columns come in order. `numbers` are new ones for the columns, -1 for those
// that are left out; null: all stay.
class Assembly {
 public:
  Assembly(const std::vector<Columns>& parts, const std::int32_t* numbers, std::int64_t n_rows)
      : parts_(parts), numbers_(numbers), n_rows_(n_rows), first_(1, 0), starts_(parts.size()) {
    for (const Columns& part : parts)
      first_.push_back(first_.back() + static_cast<std::int64_t>(part.ends.size()));
  }

  // Fills the pointers; returns the number of entries.
  std::int64_t count(std::int64_t* indptr, Team& team) {
    each_part(team, [&](std::size_t p) {
      starts_[p].assign(static_cast<std::size_t>(n_rows_), 0);
      each_kept(p, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
        const std::uint32_t* const texts = parts_[p].texts.data();
        for (std::int64_t k = begin; k < end; ++k) ++starts_[p][texts[k]];
      });
    });
    std::int64_t sum = 0;
    for (std::int64_t j = 0; j < n_rows_; ++j) {
      indptr[j] = sum;
      for (auto& start : starts_) sum += std::exchange(start[j], sum);
    }
    indptr[n_rows_] = sum;
    return sum;
  }

  // Fills indices and values, which may be null.
  template <typename Value>
  void fill(std::int32_t* indices, Value* values, Team& team) {
    each_part(team, [&](std::size_t p) {
      const Columns& part = parts_[p];
      const bool has_counts = part.counts.size() > 0;
      std::int64_t* const next = starts_[p].data();
      each_kept(p, [&](std::int64_t begin, std::int64_t end, std::int32_t column) {
        for (std::int64_t k = begin; k < end; ++k) {
          const std::int64_t at = next[part.texts.data()[k]]++;
          indices[at] = column;
          if (values != nullptr) values[at] = has_counts ? part.counts.data()[k] : 1;
        }
      });
    });
  }

  // The text of all names, and where each begins: a word alone, or words with a space between.
  void names(const std::vector<std::string_view>& words, Growing<std::uint8_t>& text,
             Growing<std::int64_t>& starts, Team& team) {
    const std::size_t n_parts = parts_.size();
    std::vector<std::int64_t> bytes(n_parts + 1), columns(n_parts + 1);  // before each part
    each_part(team, [&](std::size_t p) {
      each_name(p, [&](const std::uint32_t* first, const std::uint32_t* last) {
        for (const std::uint32_t* word = first; word < last; ++word)
          bytes[p + 1] += static_cast<std::int64_t>(words[*word - 1].size()) + 1;
        --bytes[p + 1];
        ++columns[p + 1];
      });
    });
    for (std::size_t p = 0; p < n_parts; ++p) {
      bytes[p + 1] += bytes[p];
      columns[p + 1] += columns[p];
    }
    text.reserve(bytes[n_parts]);
    text.extend(bytes[n_parts]);
    starts.reserve(columns[n_parts] + 1);
    starts.extend(columns[n_parts] + 1);
    each_part(team, [&](std::size_t p) {
      std::uint8_t* out = text.data() + bytes[p];
      std::int64_t* start = starts.data() + columns[p];
      each_name(p, [&](const std::uint32_t* first, const std::uint32_t* last) {
        *start++ = out - text.data();
        for (const std::uint32_t* word = first; word < last; ++word) {
          if (word > first) *out++ = ' ';
          out = std::copy(words[*word - 1].begin(), words[*word - 1].end(), out);
        }
      });
    });
    starts.data()[columns[n_parts]] = bytes[n_parts];
  }

 private:
  std::int32_t number(std::size_t p, std::int64_t k) const {
    const std::int64_t column = first_[p] + k;
    return numbers_ == nullptr ? static_cast<std::int32_t>(column) : numbers_[column];
  }

  template <typename Use>
  void each_part(Team& team, const Use& use) {
    team.share(static_cast<std::int64_t>(parts_.size()),
               [&](std::int64_t p) { use(static_cast<std::size_t>(p)); });
  }

  // The words of each column that stays.
  template <typename Use>
  void each_name(std::size_t p, const Use& use) const {
    const Columns& part = parts_[p];
    std::int64_t begin = 0;
    for (std::size_t k = 0; k < part.word_ends.size(); begin = part.word_ends[k++])
      if (number(p, static_cast<std::int64_t>(k)) >= 0)
        use(part.words.data() + begin, part.words.data() + part.word_ends[k]);
  }

  template <typename Use>
  void each_kept(std::size_t p, const Use& use) const {
    std::int64_t begin = 0;
    const Columns& part = parts_[p];
    for (std::size_t k = 0; k < part.ends.size(); begin = part.ends[k++]) {
      const std::int32_t column = number(p, static_cast<std::int64_t>(k));
      if (column >= 0) use(begin, part.ends[k], column);
    }
  }

  const std::vector<Columns>& parts_;
  const std::int32_t* numbers_;
  std::int64_t n_rows_;
  std::vector<std::int64_t> first_;  // column of each part, among all
  std::vector<std::vector<std::int64_t>> starts_;
};

}  // namespace tauboost::text
