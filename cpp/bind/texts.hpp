// Texts as Python gives them: strings that are held, characters, and rows that go back.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "text/row_blocks.hpp"
#include "text/text.hpp"

namespace tauboost {

// Where the characters of Python's strings are, to be read without the GIL.
//
// CPython's own headers say where they lie, and nothing is copied. A module for the stable ABI, one
// for all versions from 3.12 on, is told so of ASCII only: of every other string it has a copy, as
// narrow as CPython's own, so that what is made of it does not depend on how this was built.

#ifndef Py_LIMITED_API

class StringReader {
 public:
  text::Text operator()(nb::handle string) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(string.ptr()) != 0) throw nb::python_error();
#endif
    PyObject* const s = string.ptr();
    return {PyUnicode_DATA(s), PyUnicode_GET_LENGTH(s), static_cast<int>(PyUnicode_KIND(s)),
            PyUnicode_IS_ASCII(s) != 0};
  }
};

#else

class StringReader {
 public:
  text::Text operator()(nb::handle string) {
    const Py_ssize_t length = PyUnicode_GetLength(string.ptr());
    if (nb::cast<bool>(string.attr("isascii")())) {
      const char* const bytes = PyUnicode_AsUTF8AndSize(string.ptr(), nullptr);  // it is UTF-8
      if (bytes == nullptr) throw nb::python_error();
      return {bytes, length, 1, true};
    }
    wide_.resize(static_cast<std::size_t>(length));
    if (PyUnicode_AsUCS4(string.ptr(), wide_.data(), length, 0) == nullptr)
      throw nb::python_error();
    const Py_UCS4 largest = *std::max_element(wide_.begin(), wide_.end());
    if (largest < 0x100) return copied_as<std::uint8_t>();
    if (largest < 0x10000) return copied_as<std::uint16_t>();
    return copied_as<std::uint32_t>();
  }

 private:
  template <typename Character>
  text::Text copied_as() {
    const std::size_t size = wide_.size() * sizeof(Character);
    copies_.emplace_back(new std::byte[size]);
    std::transform(wide_.begin(), wide_.end(), reinterpret_cast<Character*>(copies_.back().get()),
                   [](Py_UCS4 c) { return static_cast<Character>(c); });
    return {copies_.back().get(), length(wide_), sizeof(Character), false};
  }

  std::vector<Py_UCS4> wide_;
  std::vector<std::unique_ptr<std::byte[]>> copies_;
};

#endif

// Strings that stay for as long as this does, so that they may be read without the GIL.
class HeldTexts {
 public:
  // All strings of a list or tuple; where something else is among them, those before it.
  explicit HeldTexts(nb::handle strings) {
    const nb::object list = nb::steal(PySequence_Fast(strings.ptr(), "texts must be a list"));
    if (!list.is_valid()) throw nb::python_error();
    const Py_ssize_t n = PySequence_Size(list.ptr());
    held_.reserve(static_cast<std::size_t>(n));
    texts_.reserve(static_cast<std::size_t>(n));
    for (Py_ssize_t k = 0; k < n; ++k) {
      nb::object item = nb::steal(PySequence_GetItem(list.ptr(), k));
      if (!item.is_valid()) throw nb::python_error();
      if (!PyUnicode_Check(item.ptr())) break;
      texts_.push_back(reader_(item));
      held_.push_back(std::move(item));
    }
  }

  HeldTexts(const HeldTexts&) = delete;

  // Replaces the texts whose lower case only the interpreter knows.
  void lower() {
    for (std::size_t k = 0; k < texts_.size(); ++k) {
      if (texts_[k].width == 1 || !has_odd_capital(texts_[k])) continue;
      held_[k] = held_[k].attr("lower")();
      texts_[k] = reader_(held_[k]);
    }
  }

  const std::vector<text::Text>& texts() const { return texts_; }

  int widest() const {
    int widest = 1;
    for (const text::Text& text : texts_) widest = std::max(widest, text.width);
    return widest;
  }

 private:
  // Sigma, whose lower case depends on its place, and I with a dot, which becomes two characters.
  static bool has_odd_capital(const text::Text& text) {
    const auto look = [&](const auto* c) {
      return std::any_of(c, c + text.length,
                         [](std::uint32_t x) { return x == 0x3A3 || x == 0x130; });
    };
    return text.width == 2 ? look(static_cast<const std::uint16_t*>(text.data))
                           : look(static_cast<const std::uint32_t*>(text.data));
  }

  StringReader reader_;
  std::vector<nb::object> held_;
  std::vector<text::Text> texts_;
};

// What is known of characters; nothing of those beyond its end.
struct HeldCharacters {
  Array<const std::uint8_t> kinds;
  Array<const std::uint32_t> lower;

  // Refuses texts with characters that nothing is known of.
  text::Characters of(const HeldTexts& texts) const {
    const int widest = texts.widest();
    const std::size_t limit = widest == 1 ? 0x100 : widest == 2 ? 0x10000 : 0x110000;
    if (kinds.size() < limit || lower.size() != kinds.size())
      throw std::invalid_argument("characters are missing");
    return {kinds.data(), lower.data(), length(kinds)};
  }
};

// A seed that differs from process to process: see text::Words.
inline std::uint64_t process_seed() {
  static const std::uint64_t seed = std::random_device{}() * 0x9E3779B97F4A7C15u;
  return seed;
}

// Weights of columns, as long as the matrix is wide.
using Idf = std::optional<Array<const double>>;
// New numbers of columns, ascending, -1 for those that are left out; none: all stay.
using Numbers = std::optional<Array<const std::int32_t>>;

// What values a matrix is to have.
struct Values {
  text::Kind kind;
  bool sublinear;
  Idf idf;
  int norm;

  text::Weighing weighing(std::int64_t n_columns) const {
    expect_size(idf, n_columns, "idf");
    return {sublinear, data_of(idf), norm};
  }
};

// How many columns there are when some are left out.
inline std::int64_t n_kept(const Numbers& numbers, std::int64_t n_columns) {
  if (!numbers) return n_columns;
  expect_size(*numbers, n_columns, "numbers");
  std::int32_t last = -1;
  for (std::int64_t k = 0; k < n_columns; ++k) last = std::max(last, numbers->data()[k]);
  return last + 1;
}

inline nb::tuple taken(text::RowArrays&& arrays) {
  nb::object data = nb::none();
  if (arrays.kind == text::Kind::counts) data = as_numpy(std::move(arrays.counts));
  if (arrays.kind == text::Kind::values) data = as_numpy(std::move(arrays.values));
  return nb::make_tuple(as_numpy(std::move(arrays.indptr)), as_numpy(std::move(arrays.indices)),
                        data);
}

// Rows of texts, until it is known which columns stay.
class FoundRows {
 public:
  FoundRows(text::RowBlocks rows, std::int64_t n_columns)
      : rows_(std::move(rows)), n_columns_(n_columns) {}
  FoundRows(const FoundRows&) = delete;

  std::int64_t size() const { return n_columns_; }

  // Adds up what each entry counts: 1, for the texts that have a column, or how often it occurs.
  nb::object sums(bool are_texts) const {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(n_columns_));
    {
      const WithoutGil free;
      for (const text::RowPool& pool : rows_.pools)
        for (std::int64_t k = 0; k < pool.columns.size(); ++k)
          sums[pool.columns.data()[k]] += are_texts ? 1 : pool.counts.data()[k];
    }
    return as_numpy(std::move(sums));
  }

  nb::tuple rows(const Numbers& numbers, const Values& values, int n_threads) const {
    const text::Weighing weighing = values.weighing(n_kept(numbers, n_columns_));
    return taken([&] {
      const WithoutGil free;
      Team team(n_threads);
      return text::Joining(rows_, data_of(numbers))(values.kind, weighing, team);
    }());
  }

 private:
  text::RowBlocks rows_;
  std::int64_t n_columns_;
};

}  // namespace tauboost
