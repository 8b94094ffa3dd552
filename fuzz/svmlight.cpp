// Fuzz target of the svmlight reader: any bytes, cut anywhere, in chunks of any size, must give
// what a plain and slow parser gives, rows or the first fault. `make fuzz` builds and runs it.
//
// The first two bytes of an input choose the numbering, the cuts, the size of chunks and, in one of
// eight inputs, numbers of threads that change from part to part.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "outcome.hpp"

using namespace tauboost::svmlight;

namespace {

// The plain parser: tokens as strings, numbers by strtod.

bool number(const std::string& token, double& value) {
  if (token.empty() || token.find_first_not_of("0123456789+-.eE") != token.npos) return false;
  char* end;
  value = std::strtod(token.c_str(), &end);
  return *end == '\0' && std::isfinite(value);
}

Fault index(const std::string& token, Numbering numbering, std::int64_t& index) {
  const std::string digits = token.substr(token[0] == '+' || token[0] == '-');
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return Fault::entry;
  errno = 0;
  index = std::strtoll(token.c_str(), nullptr, 10);
  const bool fits = errno == 0 && index <= largest_index<std::int64_t>;
  return fits && token[0] != '-' && index >= numbering.least ? Fault::none : Fault::index;
}

Fault entry(const std::string& token, Numbering numbering, Outcome& out) {
  const std::size_t colon = token.find(':');
  if (colon == token.npos) return Fault::entry;
  std::int64_t i = 0;
  const Fault fault = index(token.substr(0, colon), numbering, i);
  if (fault != Fault::none) return fault;
  const bool is_first = static_cast<std::int64_t>(out.indices.size()) == out.indptr.back();
  if (!is_first && i - numbering.base <= out.indices.back()) return Fault::order;
  double value;
  out.column += static_cast<std::int64_t>(colon) + 1;
  if (!number(token.substr(colon + 1), value)) return Fault::value;
  out.indices.push_back(i - numbering.base);
  out.values.push_back(value);
  return Fault::none;
}

Fault row(std::string line, Numbering numbering, Outcome& out) {
  const std::string blanks = " \t\r\v\f";
  line = line.substr(0, line.find('#'));
  std::size_t n_tokens = 0, at = 0;
  double label = 0;
  while ((at = line.find_first_not_of(blanks, at)) != line.npos) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    const std::string token = line.substr(at, end - at);
    out.column = static_cast<std::int64_t>(at) + 1;
    Fault fault = Fault::none;
    if (n_tokens == 0)
      fault = number(token, label) ? Fault::none : Fault::label;
    else if (n_tokens > 1 || !token.starts_with("qid:"))
      fault = entry(token, numbering, out);
    if (fault != Fault::none) return fault;
    at = end;
    ++n_tokens;
  }
  if (n_tokens > 0) {
    out.y.push_back(label);
    out.indptr.push_back(static_cast<std::int64_t>(out.indices.size()));
  }
  return Fault::none;
}

Outcome plain(std::string_view text, Numbering numbering) {
  Outcome out;
  while (!text.empty() && out.fault == Fault::none) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    ++out.line;
    out.fault = row(std::string(text.substr(0, size)), numbering, out);
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return out;
}

// The parser under test.

Outcome ours(std::string_view text, Numbering numbering, std::uint32_t seed) {
  constexpr int counts[] = {8, 2, 3, 1};
  const bool on_threads = seed % 8 == 7;
  Reader reader(numbering, 1 + seed % 64);
  while (!text.empty()) {
    seed = seed * 1664525 + 1013904223;
    // A copy of its own, so that the sanitizer sees every byte read beyond it.
    const std::string part(text.substr(0, (seed >> 16) % 97));
    const std::vector<char> exact(part.begin(), part.end());
    reader.feed({exact.data(), exact.size()}, on_threads ? counts[(seed >> 24) % 4] : 1);
    text.remove_prefix(exact.size());
  }
  return outcome(reader);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Numbering numbering = {data[0] & 1, (data[0] >> 1) & 1};
  const std::uint32_t seed = 256u * data[0] + data[1];
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (!(ours(text, numbering, seed) == plain(text, numbering))) {
    std::fprintf(stderr, "the parsers differ\n");
    std::abort();
  }
  return 0;
}
