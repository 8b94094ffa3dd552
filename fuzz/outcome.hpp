// What a parser made of a text, rows or the first fault: the form in which parsers are compared.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "parse/svmlight_reader.hpp"

namespace tauboost::svmlight {

struct Outcome {
  std::vector<double> y, values;
  std::vector<std::int64_t> indptr = {0}, indices;
  Fault fault = Fault::none;
  std::int64_t line = 0, column = 0;

  bool operator==(const Outcome& other) const {
    const auto same_bits = [](const std::vector<double>& a, const std::vector<double>& b) {
      return a.size() == b.size() &&
             (a.empty() || std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0);
    };
    if (fault != other.fault) return false;
    if (fault != Fault::none) return line == other.line && column == other.column;
    return same_bits(y, other.y) && same_bits(values, other.values) && indptr == other.indptr &&
           indices == other.indices;
  }
};

// Of a reader that has been given all of a text.
inline Outcome outcome(Reader& reader) {
  reader.finish();
  Outcome out;
  if (reader.complaint()) {
    out.fault = reader.complaint()->fault;
    out.line = reader.complaint()->line;
    out.column = reader.complaint()->column;
    return out;
  }
  const Rows rows = reader.take();
  const std::int64_t n = rows.n_entries();
  out.y.assign(rows.y.data(), rows.y.data() + rows.y.size());
  out.indptr.assign(rows.indptr.data(), rows.indptr.data() + rows.indptr.size());
  if (rows.is_wide)
    out.indices.assign(rows.wide.data(), rows.wide.data() + n);
  else
    out.indices.assign(rows.narrow.data(), rows.narrow.data() + n);
  out.values.assign(static_cast<std::size_t>(n), 1.0);
  if (rows.is_valued) out.values.assign(rows.values.data(), rows.values.data() + n);
  return out;
}

}  // namespace tauboost::svmlight
