// Python's view of rows of texts whose columns are known: terms, or hashes.
#include "bind/texts.hpp"
#include "text/hashing.hpp"
#include "text/index.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

using text::Hashing;
using text::Index;
using text::Splitting;

std::vector<std::string_view> views(const std::vector<std::string>& strings) {
  return {strings.begin(), strings.end()};
}

// Has the rows of texts made, by copies of the maker.
template <typename Maker>
FoundRows* found(const HeldTexts& texts, const Maker& maker, std::int64_t n_columns,
                 int n_threads) {
  text::RowBlocks rows = released(n_threads, [&](Team& team, Cancellation& cancel) {
    return text::rows_of(texts.texts(), maker, team, cancel);
  });
  return new FoundRows(std::move(rows), n_columns);
}

text::Packed packed(const Array<const std::uint8_t>& text,
                    const Array<const std::int64_t>& offsets) {
  const std::int64_t* const ends = offsets.data();
  const auto n = length(offsets) - 1;
  if (n < 0 || ends[0] != 0 || ends[n] > length(text) || !std::is_sorted(ends, ends + n + 1))
    throw std::invalid_argument("offsets do not cut the text");
  return {reinterpret_cast<const char*>(text.data()), ends, n};
}

nb::tuple merged_terms(Array<const std::uint8_t> text, Array<const std::int64_t> offsets,
                       Array<const std::uint8_t> other_text,
                       Array<const std::int64_t> other_offsets) {
  const text::Packed first = packed(text, offsets), second = packed(other_text, other_offsets);
  text::Merged both;
  {
    const WithoutGil free;
    both = text::merged(first, second);
  }
  return nb::make_tuple(as_numpy(std::move(both.text)), as_numpy(std::move(both.ends)),
                        as_numpy(std::move(both.first)), as_numpy(std::move(both.second)));
}

// Terms in one piece of text, cut by offsets; a term's column is its place.
class TextIndex {
 public:
  TextIndex(Array<const std::uint8_t> text, Array<const std::int64_t> offsets,
            std::vector<std::string> left_out, bool has_ngrams)
      : index_(views(left_out), process_seed()) {
    const text::Packed terms = packed(text, offsets);
    const WithoutGil free;
    for (std::int64_t k = 0; k < terms.n; ++k) index_.add_words(terms[k], has_ngrams);
    for (std::int64_t k = 0; k < terms.n; ++k)
      index_.add(terms[k], has_ngrams, static_cast<std::int32_t>(k));
  }

  FoundRows* rows(const HeldTexts& texts, const HeldCharacters& characters,
                  const Splitting& splitting, int least, int most, bool binary,
                  int n_threads) const {
    const text::Characters known = characters.of(texts);
    return found(texts, text::FoundTerms(splitting, known, index_, least, most, binary),
                 index_.n_columns(), n_threads);
  }

 private:
  Index index_;
};

FoundRows* hashed_rows(const HeldTexts& texts, const HeldCharacters& characters,
                       const Splitting& splitting, const std::vector<std::string>& left_out,
                       const Hashing& hashing, int n_threads) {
  const text::Characters known = characters.of(texts);
  text::Words others(process_seed());
  for (const std::string& word : left_out) others.add(word);
  return found(texts, text::HashedRows(splitting, known, hashing, others), hashing.n_features,
               n_threads);
}

}  // namespace

void bind_text_rows(nb::module_& module) {
  nb::class_<TextIndex>(module, "TextIndex")
      .def(nb::init<Array<const std::uint8_t>, Array<const std::int64_t>, std::vector<std::string>,
                    bool>(),
           "text"_a, "offsets"_a, "left_out"_a, "has_runs"_a)
      .def("rows", &TextIndex::rows, "texts"_a, "characters"_a, "splitting"_a, "least"_a, "most"_a,
           "binary"_a, "n_threads"_a);

  nb::class_<Hashing>(module, "Hashing")
      .def(
          "__init__",
          [](Hashing* self, std::uint32_t n_features, bool alternate_sign, bool binary, int least,
             int most) {
            if (n_features == 0 || n_features > 0x7FFFFFFF)
              throw std::invalid_argument("n_features is out of range");
            new (self) Hashing{n_features, alternate_sign, binary, least, most};
          },
          "n_features"_a, "alternate_sign"_a, "binary"_a, "least"_a, "most"_a);
  module.def("merged_terms", &merged_terms, "text"_a, "offsets"_a, "other_text"_a,
             "other_offsets"_a);
  module.def("hashed_rows", &hashed_rows, "texts"_a, "characters"_a, "splitting"_a, "left_out"_a,
             "hashing"_a, "n_threads"_a);
}

}  // namespace tauboost
