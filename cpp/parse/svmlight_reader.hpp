// A stream of svmlight text, handed over in parts cut anywhere, as compressed sparse rows.
//
// The whole lines of a part are dealt to threads in chunks: first all are counted, at the speed of
// memory, then each is parsed straight to its place. The result depends neither on the cuts nor on
// the number of threads.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "matrix/pages.hpp"
#include "parse/svmlight.hpp"
#include "threads/team.hpp"

namespace tauboost::svmlight {

struct Rows {
  Growing<double> y;
  Growing<std::int64_t> indptr;  // a row's end; the 0 in front of all is there from the start
  Growing<std::int32_t> narrow;  // the indices are here
  Growing<std::int64_t> wide;    // or, if is_wide, here
  Growing<double> values;        // if is_valued; else all of them are 1
  bool is_wide = false;
  bool is_valued = false;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();  // of the indices as written
  std::int64_t largest = -1;

  Rows() {
    *indptr.reserve(1) = 0;
    indptr.extend(1);
  }

  std::int64_t n_entries() const { return is_wide ? wide.size() : narrow.size(); }

  void reserve(Count more) {
    with_each(more, [](auto& array, std::int64_t n) { array.reserve(n); });
  }

  void extend(Count more) {
    with_each(more, [](auto& array, std::int64_t n) { array.extend(n); });
  }

  // Calls grow(array, n) for every array in use; n is how much more it gets.
  template <class Grow>
  void with_each(Count more, Grow grow) {
    grow(y, more.rows);
    grow(indptr, more.rows);
    if (is_valued) grow(values, more.entries);
    if (is_wide)
      grow(wide, more.entries);
    else
      grow(narrow, more.entries);
  }

  void widen() {
    std::copy_n(narrow.data(), narrow.size(), wide.reserve(narrow.size()));
    wide.extend(narrow.size());
    narrow = {};
    is_wide = true;
  }

  void give_values() {
    std::fill_n(values.reserve(n_entries()), n_entries(), 1.0);
    values.extend(n_entries());
    is_valued = true;
  }
};

// The first thing that is wrong with a text: line and column from 1.
struct Complaint {
  Fault fault;
  std::int64_t line, column;
  std::int64_t previous_index;
  std::string token;
};

class Reader {
 public:
  static constexpr std::size_t usual_chunk_size = 1 << 18;

  explicit Reader(Numbering numbering, std::size_t chunk_size = usual_chunk_size,
                  std::size_t longest_line = std::string_view::npos)
      : numbering_(numbering), chunk_size_(chunk_size), longest_line_(longest_line) {}

  // Takes a text that may begin and end in the middle of a line. Nothing behind a fault is read.
  void feed(std::string_view text, int n_threads) {
    if (complaint_) return;
    if (open_line_.size() + std::min(text.find('\n'), text.size()) > longest_line_) {
      complaint_ = {Fault::length, n_lines_ + 1, 1, 0, {}};
      return;
    }
    const std::size_t n_whole = text.rfind('\n') + 1;  // npos + 1 is 0
    const std::string_view rest = text.substr(n_whole);
    text = text.substr(0, n_whole);
    if (!text.empty()) {
      chunks_.clear();
      if (!open_line_.empty()) {
        const std::size_t n_first = text.find('\n') + 1;
        open_line_ += text.substr(0, n_first);
        chunks_.push_back({open_line_});
        text.remove_prefix(n_first);
      }
      cut(text);
      read(n_threads);
      open_line_.clear();
    }
    open_line_ += rest;
  }

  // The text is over; its last line may have no end.
  void finish() {
    if (!open_line_.empty()) feed("\n", 1);
  }

  // Gives away the rows read since the last call.
  Rows take() { return std::exchange(rows_, Rows()); }

  const Rows& rows() const { return rows_; }
  const std::optional<Complaint>& complaint() const { return complaint_; }

 private:
  struct Chunk {
    std::string_view text;
    Count room = {};   // that was counted
    Count place = {};  // behind the rows there are already
    Parsed parsed = {};
  };

  void cut(std::string_view text) {
    while (!text.empty()) {
      const std::size_t size =
          text.size() <= chunk_size_ ? text.size() : text.find('\n', chunk_size_) + 1;
      chunks_.push_back({text.substr(0, size)});
      text.remove_prefix(size);
    }
  }

  void read(int n_threads) {
    share(n_threads, [](Chunk& chunk) { chunk.room = count(chunk.text); });
    Count all;
    for (Chunk& chunk : chunks_) {
      chunk.place = all;
      all.rows += chunk.room.rows;
      all.entries += chunk.room.entries;
    }
    do {
      rows_.reserve(all);
      share(n_threads, [&](Chunk& chunk) { parse_in_place(chunk); });
    } while (needs_longer_form());
    const Count start = {rows_.y.size(), rows_.n_entries()};
    for (const Chunk& chunk : chunks_) {
      if (chunk.parsed.fault != Fault::none) return complain(chunk.parsed);
      append(chunk, start);
    }
  }

  template <typename Task>
  void share(int n_threads, Task task) {
    const auto n = static_cast<std::int64_t>(chunks_.size());
    Team team(static_cast<int>(std::min<std::int64_t>(n_threads, n)));
    team.share(n, [&](std::int64_t k) { task(chunks_[k]); });
  }

  void parse_in_place(Chunk& chunk) {
    const std::int64_t row = rows_.y.size() + chunk.place.rows;
    const std::int64_t entry = rows_.n_entries() + chunk.place.entries;
    double* const y = rows_.y.data() + row;
    std::int64_t* const row_end = rows_.indptr.data() + 1 + row;
    double* const values = rows_.is_valued ? rows_.values.data() + entry : nullptr;
    chunk.parsed = rows_.is_wide
                       ? parse<std::int64_t>(chunk.text, numbering_,
                                             {y, row_end, rows_.wide.data() + entry, values})
                       : parse<std::int32_t>(chunk.text, numbering_,
                                             {y, row_end, rows_.narrow.data() + entry, values});
  }

  bool needs_longer_form() {
    const auto any = [&](Fault fault) {
      return std::any_of(chunks_.begin(), chunks_.end(),
                         [&](const Chunk& chunk) { return chunk.parsed.fault == fault; });
    };
    const bool is_too_wide = any(Fault::wide), is_valued = any(Fault::valued);
    if (is_too_wide) rows_.widen();
    if (is_valued) rows_.give_values();
    return is_too_wide || is_valued;
  }

  // Closes the gap that blank lines and comments before the chunk have left.
  void append(const Chunk& chunk, Count start) {
    const Count n = chunk.parsed.count;
    const Count from = {start.rows + chunk.place.rows, start.entries + chunk.place.entries};
    const Count to = {rows_.y.size(), rows_.n_entries()};
    move(rows_.y.data(), from.rows, to.rows, n.rows);
    move(rows_.indptr.data() + 1, from.rows, to.rows, n.rows);
    for (std::int64_t j = 0; j < n.rows; ++j) rows_.indptr.data()[1 + to.rows + j] += to.entries;
    if (rows_.is_valued) move(rows_.values.data(), from.entries, to.entries, n.entries);
    if (rows_.is_wide)
      move(rows_.wide.data(), from.entries, to.entries, n.entries);
    else
      move(rows_.narrow.data(), from.entries, to.entries, n.entries);
    rows_.extend(n);
    rows_.smallest = std::min(rows_.smallest, chunk.parsed.smallest);
    rows_.largest = std::max(rows_.largest, chunk.parsed.largest);
    n_lines_ += chunk.room.rows;
  }

  template <typename T>
  static void move(T* data, std::int64_t from, std::int64_t to, std::int64_t n) {
    if (from != to) std::memmove(data + to, data + from, sizeof(T) * static_cast<std::size_t>(n));
  }

  void complain(const Parsed& parsed) {
    constexpr std::size_t longest_token = 64;
    complaint_ = {parsed.fault, n_lines_ + parsed.line + 1, parsed.column + 1,
                  parsed.previous_index, std::string(parsed.token.substr(0, longest_token))};
  }

  const Numbering numbering_;
  const std::size_t chunk_size_;    // in bytes, at least, unless it is the last one
  const std::size_t longest_line_;  // of those that are in more than one text
  std::string open_line_;           // its end has not come yet
  std::vector<Chunk> chunks_;
  std::int64_t n_lines_ = 0;
  std::optional<Complaint> complaint_;
  Rows rows_;
};

}  // namespace tauboost::svmlight
