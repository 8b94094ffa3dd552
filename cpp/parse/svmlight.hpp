// Whole lines of svmlight text, "label index:value index:value ... # comment", as arrays.
//
// Two functions without state or allocation, so that threads can take a chunk of lines each:
// count() tells how much room a chunk needs, parse() fills it. Most files have short indices and
// nothing but ones, so there are forms without values and with short indices; parse() gives up
// where the form it is given does not do for the text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>

#include "parse/svmlight_numbers.hpp"

namespace tauboost::svmlight {

// How a file counts its features.
struct Numbering {
  std::int64_t base;   // is subtracted from every index
  std::int64_t least;  // the smallest index allowed, 0 or 1
};

struct Count {
  std::int64_t rows = 0;
  std::int64_t entries = 0;
};

// Why a chunk was not read to its end. Wide and valued find fault with the form, not with the text;
// the reader adds the length of a line.
enum class Fault { none, label, entry, index, order, value, wide, valued, length };

// What parse() has to say about a chunk.
struct Parsed {
  Count count;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();  // of the indices as written
  std::int64_t largest = -1;
  Fault fault = Fault::none;
  std::int64_t line = 0;  // where the fault is: both from 0, the column in bytes
  std::int64_t column = 0;
  std::int64_t previous_index = 0;  // in the same row, before the fault
  std::string_view token = {};      // what stands there
};

// Where the rows of a chunk go. Rows end at an entry counted from the beginning of the chunk.
template <typename Index>
struct Room {
  double* y;
  std::int64_t* row_end;
  Index* indices;
  double* values;  // null: all of them have to be 1
};

// One less than what fits, so that the number of columns does too, counted from 0 or from 1.
template <typename Index>
inline constexpr std::int64_t largest_index = std::numeric_limits<Index>::max() - 1;

// At least as many rows and entries as there are in the text: blank lines and comments count.
inline Count count(std::string_view text) {
  // A counter of one byte for each place in a stripe, so that it goes in whole vectors, and no more
  // stripes at a time than one byte counts.
  constexpr std::size_t stripe = 64, most = 255;
  Count total;
  while (text.size() >= stripe) {
    std::uint8_t lines[stripe] = {}, colons[stripe] = {};
    const char* p = text.data();
    const std::size_t n = std::min(text.size() / stripe, most);
    for (std::size_t i = 0; i < n; ++i, p += stripe)
      for (std::size_t j = 0; j < stripe; ++j) {
        lines[j] += p[j] == '\n';
        colons[j] += p[j] == ':';
      }
    total.rows += std::accumulate(lines, lines + stripe, std::int64_t{0});
    total.entries += std::accumulate(colons, colons + stripe, std::int64_t{0});
    text.remove_prefix(n * stripe);
  }
  total.rows += std::count(text.begin(), text.end(), '\n');
  total.entries += std::count(text.begin(), text.end(), ':');
  return total;
}

template <typename Index, bool is_valued>
class Parser {
 public:
  Parser(std::string_view text, Numbering numbering, Room<Index> room)
      : p_(text.data()), end_(p_ + text.size()), numbering_(numbering), room_(room) {}

  Parsed run() {
    for (; p_ != end_; ++p_, ++parsed_.line) {
      line_ = p_;
      p_ = skip_blanks(p_);
      if (!ends_line(*p_)) parsed_.fault = row();
      if (parsed_.fault != Fault::none) {
        parsed_.column = p_ - line_;
        parsed_.token = {p_, static_cast<std::size_t>(skip_token(p_) - p_)};
        break;
      }
      if (*p_ == '#') p_ = static_cast<const char*>(std::memchr(p_, '\n', left()));
    }
    return parsed_;
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }

  Fault row() {
    parsed_.previous_index = numbering_.least - 1;
    double label;
    const char* const label_end = read_number(p_, end_, label);
    if (label_end == nullptr || !ends_token(*label_end)) return Fault::label;
    p_ = skip_blanks(label_end);
    if (std::string_view(p_, left()).starts_with("qid:")) p_ = skip_token(p_);
    const std::int64_t first = parsed_.count.entries;
    const Fault fault = entries();
    if (fault != Fault::none) return fault;
    const std::int64_t last = parsed_.count.entries - 1;
    if (first <= last) {  // they increase
      parsed_.smallest = std::min(parsed_.smallest, room_.indices[first] + numbering_.base);
      parsed_.largest = std::max(parsed_.largest, room_.indices[last] + numbering_.base);
    }
    room_.y[parsed_.count.rows] = label;
    room_.row_end[parsed_.count.rows] = parsed_.count.entries;
    ++parsed_.count.rows;
    return Fault::none;
  }

  // Reads up to the end of the line, or up to what is at fault, and leaves p_ there.
  Fault entries() {
    const char* p = p_;
    std::int64_t k = parsed_.count.entries;
    std::int64_t index, previous = parsed_.previous_index;
    const auto stop = [&](Fault fault) {
      p_ = p;
      parsed_.count.entries = k;
      parsed_.previous_index = previous;
      return fault;
    };
    Index* const indices = room_.indices;
    for (;; previous = index, ++k) {
      const char* index_end = read_short_index(p, index);
      if (index_end == nullptr) [[unlikely]] {
        p = skip_blanks(p);
        if (ends_line(*p)) return stop(Fault::none);
        index_end = read_index(p, index);
        if (index_end == nullptr) return stop(without_index(p));
        if (*index_end != ':') return stop(Fault::entry);
      }
      if (index <= previous || index > largest_index<Index>) [[unlikely]]
        return stop(wrong_index(index, previous));
      indices[k] = static_cast<Index>(index - numbering_.base);
      p = index_end + 1;
      if (p[0] == '1' && p[1] == ' ') [[likely]] {
        p += 2;
        if constexpr (is_valued) room_.values[k] = 1.0;
        continue;
      }
      double value;
      const char* const value_end = read_number(p, end_, value);
      if (value_end == nullptr || !ends_token(*value_end)) return stop(Fault::value);
      if constexpr (is_valued)
        room_.values[k] = value;
      else if (value != 1.0)
        return stop(Fault::valued);
      p = value_end;
    }
  }

  // Of up to eight digits with a ':' behind them; null where p stands before anything else.
  const char* read_short_index(const char* p, std::int64_t& index) const {
    if (end_ - p < 8) [[unlikely]]
      return nullptr;
    const Digits digits = read_digits(p);
    index = static_cast<std::int64_t>(digits.number);
    if (digits.count == 0 || p[digits.count] != ':') [[unlikely]]
      return nullptr;
    return p + digits.count;
  }

  // Of an index that could not be read: negative, too large, or none at all.
  static Fault without_index(const char* p) {
    p += *p == '+' || *p == '-';
    if (!is_digit(*p)) return Fault::entry;
    while (is_digit(*p)) ++p;
    return *p == ':' ? Fault::index : Fault::entry;
  }

  Fault wrong_index(std::int64_t index, std::int64_t previous) const {
    if (index < numbering_.least || index > largest_index<std::int64_t>) return Fault::index;
    return index <= previous ? Fault::order : Fault::wide;
  }

  const char* p_;
  const char* const end_;
  const char* line_ = nullptr;
  const Numbering numbering_;
  const Room<Index> room_;
  Parsed parsed_;
};

// The text consists of whole lines, each with its '\n'.
template <typename Index>
Parsed parse(std::string_view text, Numbering numbering, Room<Index> room) {
  if (room.values == nullptr) return Parser<Index, false>(text, numbering, room).run();
  return Parser<Index, true>(text, numbering, room).run();
}

}  // namespace tauboost::svmlight
