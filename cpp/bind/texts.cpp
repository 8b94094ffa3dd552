// Python's view of texts that are fitted: words found, ranked and counted.
#include "bind/texts.hpp"

#include <memory>

#include "text/assemble.hpp"
#include "text/corpus.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

using text::Corpus;
using text::Splitting;

// New numbers of columns, -1 for those that are left out; none: all stay.
using Numbers = std::optional<Array<const std::int32_t>>;

// Columns that were found, until it is known which of them stay.
class FoundColumns {
 public:
  FoundColumns(std::unique_ptr<Corpus> corpus, const text::Bounds& bounds, int n_threads)
      : corpus_(std::move(corpus)) {
    const WithoutGil free;
    Team team(n_threads);
    parts_ = corpus_->columns(bounds, team);
  }

  std::int64_t size() const {
    std::int64_t sum = 0;
    for (const text::Columns& part : parts_) sum += static_cast<std::int64_t>(part.ends.size());
    return sum;
  }

  nb::object n_texts() const {
    std::vector<std::int64_t> found;
    for (const text::Columns& part : parts_)
      for (std::size_t k = 0; k < part.ends.size(); ++k)
        found.push_back(part.ends[k] - (k == 0 ? 0 : part.ends[k - 1]));
    return as_numpy(std::move(found));
  }

  nb::object totals() const {
    std::vector<std::int64_t> found;
    for (const text::Columns& part : parts_)
      found.insert(found.end(), part.totals.begin(), part.totals.end());
    return as_numpy(std::move(found));
  }

  nb::tuple rows(const Numbers& numbers, const std::string& kind, bool sublinear, const Idf& idf,
                 int norm, int n_threads) const {
    text::Assembly assembly = assembled(numbers);
    RowArrays arrays{kind};
    {
      const WithoutGil free;
      Team team(n_threads);
      const std::int64_t n_rows = corpus_->n_texts();
      arrays.indptr.reserve(n_rows + 1);
      arrays.indptr.extend(n_rows + 1);
      arrays.reserve(assembly.count(arrays.indptr.data(), team));
      if (kind == "counts")
        assembly.fill(arrays.indices.data(), arrays.counts.data(), team);
      else
        assembly.fill(arrays.indices.data(), arrays.values.data(), team);
      if (kind == "values") weigh(arrays, weighing(sublinear, idf, norm), team);
    }
    return arrays.take();
  }

  nb::tuple names(const Numbers& numbers) const {
    std::vector<std::int64_t> ends;
    std::vector<std::uint8_t> text = assembled(numbers).names(corpus_->words(), ends);
    return nb::make_tuple(as_numpy(std::move(text)), as_numpy(std::move(ends)));
  }

 private:
  text::Assembly assembled(const Numbers& numbers) const {
    if (numbers) expect_size(*numbers, size(), "numbers");
    return {parts_, numbers ? numbers->data() : nullptr, corpus_->n_texts()};
  }

  static void weigh(RowArrays& arrays, const text::Weighing& weighing, Team& team) {
    if (weighing.is_plain()) return;
    const std::int64_t* const ends = arrays.indptr.data();
    team.share_blocks(arrays.indptr.size() - 1, 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j)
        weighing(arrays.indices.data() + ends[j], arrays.values.data() + ends[j],
                 ends[j + 1] - ends[j]);
    });
  }

  std::unique_ptr<Corpus> corpus_;
  std::vector<text::Columns> parts_;
};

// A corpus that becomes columns, once.
class TextCorpus {
 public:
  TextCorpus(const Splitting& splitting, std::vector<std::string> left_out, bool has_runs)
      : corpus_(
            std::make_unique<Corpus>(splitting, std::move(left_out), has_runs, process_seed())) {}

  Corpus& get() const {
    if (corpus_ == nullptr) throw std::invalid_argument("the corpus is used up");
    return *corpus_;
  }
  std::unique_ptr<Corpus> take() {
    get();
    return std::move(corpus_);
  }

 private:
  std::unique_ptr<Corpus> corpus_;
};

}  // namespace

void bind_texts(nb::module_& module) {
  nb::class_<HeldTexts>(module, "HeldTexts")
      .def(nb::init<nb::handle>(), "strings"_a)
      .def("lower", &HeldTexts::lower)
      .def_prop_ro("widest", &HeldTexts::widest)
      .def("__len__", [](const HeldTexts& texts) { return texts.texts().size(); });

  nb::class_<HeldCharacters>(module, "Characters")
      .def(
          "__init__",
          [](HeldCharacters* self, Array<const std::uint8_t> kinds,
             Array<const std::uint32_t> lower) { new (self) HeldCharacters{kinds, lower}; },
          "kinds"_a, "lower"_a)
      .def("__len__", [](const HeldCharacters& known) { return known.kinds.size(); });

  nb::class_<Splitting>(module, "Splitting")
      .def(
          "__init__",
          [](Splitting* self, bool lowercase, int shortest, int least, int most) {
            new (self) Splitting{lowercase, shortest, least, most};
          },
          "lowercase"_a, "shortest"_a, "least"_a, "most"_a);

  nb::class_<FoundColumns>(module, "FoundColumns")
      .def("__len__", &FoundColumns::size)
      .def_prop_ro("n_texts", &FoundColumns::n_texts)
      .def_prop_ro("totals", &FoundColumns::totals)
      .def("rows", &FoundColumns::rows, "numbers"_a.none(), "kind"_a, "sublinear"_a, "idf"_a.none(),
           "norm"_a, "n_threads"_a)
      .def("names", &FoundColumns::names, "numbers"_a.none());

  nb::class_<TextCorpus>(module, "TextCorpus")
      .def(nb::init<const Splitting&, std::vector<std::string>, bool>(), "splitting"_a, "left_out"_a,
           "has_runs"_a)
      .def(
          "read",
          [](TextCorpus& self, const HeldTexts& texts, const HeldCharacters& characters,
             int n_threads) {
            Corpus& corpus = self.get();
            const text::Characters known = characters.of(texts);
            const WithoutGil free;
            Team team(n_threads);
            corpus.read(texts.texts(), known, team);
          },
          "texts"_a, "characters"_a, "n_threads"_a)
      .def_prop_ro("n_texts", [](const TextCorpus& self) { return self.get().n_texts(); })
      .def(
          "columns",
          [](TextCorpus& self, int least, int most, std::int64_t min_texts, std::int64_t max_texts,
             bool binary, int n_threads) {
            const text::Bounds bounds{least, most, min_texts, max_texts, binary};
            return new FoundColumns(self.take(), bounds, n_threads);
          },
          "least"_a, "most"_a, "min_texts"_a, "max_texts"_a, "binary"_a, "n_threads"_a);
}

}  // namespace tauboost
