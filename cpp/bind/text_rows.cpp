// Python's view of rows of texts whose columns are known: terms, or hashes.
#include "bind/texts.hpp"
#include "text/hashing.hpp"
#include "text/index.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

using text::Hashing;
using text::Index;
using text::RowBlock;
using text::Splitting;

// Blocks to one matrix, weighed on the way.
RowArrays joined(const std::vector<RowBlock>& blocks, const std::string& kind,
                 const text::Weighing& weighing, Team& team) {
  std::vector<std::int64_t> rows(1, 0), entries(1, 0);  // before each block
  for (const RowBlock& block : blocks) {
    rows.push_back(rows.back() + static_cast<std::int64_t>(block.ends.size()));
    entries.push_back(entries.back() + block.columns.size());
  }
  RowArrays arrays{kind};
  arrays.indptr.reserve(rows.back() + 1);
  arrays.indptr.extend(rows.back() + 1);
  arrays.indptr.data()[0] = 0;
  arrays.reserve(entries.back());
  team.share(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t b) {
    const RowBlock& block = blocks[b];
    const std::int64_t n = block.columns.size();
    for (std::size_t k = 0; k < block.ends.size(); ++k)
      arrays.indptr.data()[rows[b] + static_cast<std::int64_t>(k) + 1] = entries[b] + block.ends[k];
    std::copy_n(block.columns.data(), n, arrays.indices.data() + entries[b]);
    if (kind == "counts") std::copy_n(block.counts.data(), n, arrays.counts.data() + entries[b]);
    if (kind != "values") return;
    double* const values = arrays.values.data() + entries[b];
    std::copy_n(block.counts.data(), n, values);
    if (weighing.is_plain()) return;
    std::int64_t begin = 0;
    for (const std::int64_t end : block.ends) {
      weighing(block.columns.data() + begin, values + begin, end - begin);
      begin = end;
    }
  });
  return arrays;
}

std::vector<std::string_view> views(const std::vector<std::string>& strings) {
  return {strings.begin(), strings.end()};
}

// Terms in one piece of text, cut by offsets; a term's column is its place, or what `columns` say.
class TextIndex {
 public:
  TextIndex(Array<const std::uint8_t> text, Array<const std::int64_t> offsets,
            std::vector<std::string> left_out, bool has_runs)
      : index_(views(left_out), process_seed()) {
    const char* const bytes = reinterpret_cast<const char*>(text.data());
    const std::int64_t* const ends = offsets.data();
    const auto n = static_cast<std::int64_t>(offsets.size()) - 1;
    if (n < 0 || ends[0] != 0 || ends[n] > static_cast<std::int64_t>(text.size()) ||
        !std::is_sorted(ends, ends + n + 1))
      throw std::invalid_argument("offsets do not cut the text");
    const auto term = [&](std::int64_t k) {
      return std::string_view(bytes + ends[k], static_cast<std::size_t>(ends[k + 1] - ends[k]));
    };
    const WithoutGil free;
    for (std::int64_t k = 0; k < n; ++k) index_.add_words(term(k), has_runs);
    for (std::int64_t k = 0; k < n; ++k)
      index_.add(term(k), has_runs, static_cast<std::int32_t>(k));
    n_columns_ = n;
  }

  nb::tuple rows(const HeldTexts& texts, const HeldCharacters& characters,
                 const Splitting& splitting, int least, int most, bool binary,
                 const std::string& kind, bool sublinear, const Idf& idf, int norm,
                 int n_threads) const {
    if (idf) expect_size(*idf, n_columns_, "idf");
    const text::Characters known = characters.of(texts);
    RowArrays arrays{kind};
    {
      const WithoutGil free;
      Team team(n_threads);
      std::vector<text::FoundRows> makers(
          static_cast<std::size_t>(team.size()),
          text::FoundRows(splitting, known, index_, least, most, binary));
      const std::vector<RowBlock> blocks = text::rows_of(texts.texts(), makers, team);
      arrays = joined(blocks, kind, weighing(sublinear, idf, norm), team);
    }
    return arrays.take();
  }

 private:
  Index index_;
  std::int64_t n_columns_ = 0;
};

nb::tuple hashed_rows(const HeldTexts& texts, const HeldCharacters& characters,
                      const Splitting& splitting, const std::vector<std::string>& left_out,
                      const Hashing& hashing, const std::string& kind, bool sublinear,
                      const Idf& idf, int norm, int n_threads) {
  if (idf) expect_size(*idf, hashing.n_features, "idf");
  const text::Characters known = characters.of(texts);
  text::Words others(process_seed());
  for (const std::string& word : left_out) others.add(word);
  RowArrays arrays{kind};
  {
    const WithoutGil free;
    Team team(n_threads);
    std::vector<text::HashedRows> makers(static_cast<std::size_t>(team.size()),
                                         text::HashedRows(splitting, known, hashing, others));
    const std::vector<RowBlock> blocks = text::rows_of(texts.texts(), makers, team);
    arrays = joined(blocks, kind, weighing(sublinear, idf, norm), team);
  }
  return arrays.take();
}

}  // namespace

void bind_text_rows(nb::module_& module) {
  nb::class_<TextIndex>(module, "TextIndex")
      .def(nb::init<Array<const std::uint8_t>, Array<const std::int64_t>, std::vector<std::string>,
                    bool>(),
           "text"_a, "offsets"_a, "left_out"_a, "has_runs"_a)
      .def("rows", &TextIndex::rows, "texts"_a, "characters"_a, "splitting"_a, "least"_a, "most"_a,
           "binary"_a, "kind"_a, "sublinear"_a, "idf"_a.none(), "norm"_a, "n_threads"_a);

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
  module.def("hashed_rows", &hashed_rows, "texts"_a, "characters"_a, "splitting"_a, "left_out"_a,
             "hashing"_a, "kind"_a, "sublinear"_a, "idf"_a.none(), "norm"_a, "n_threads"_a);
}

}  // namespace tauboost
