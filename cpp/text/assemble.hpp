// Columns to the rows of CSR, and to names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "text/ngrams.hpp"
#include "threads/team.hpp"

namespace tauboost::text {

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
