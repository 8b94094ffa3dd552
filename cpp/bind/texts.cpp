// Python's view of texts that are fitted: words found, ranked and counted.
#include "bind/texts.hpp"

#include <memory>

#include "text/corpus.hpp"
#include "text/ngrams.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

using text::Corpus;
using text::Splitting;

// Columns that were found, until it is known which of them stay.
class FoundColumns {
 public:
  FoundColumns(std::unique_ptr<Corpus> corpus, const text::Bounds& bounds, int n_threads)
      : corpus_(std::move(corpus)) {
    parts_ = released(n_threads, [&](Team& team, Cancellation& cancel) {
      return corpus_->columns(bounds, team, cancel);
    });
  }

  std::int64_t size() const {
    std::int64_t sum = 0;
    for (const text::Columns& part : parts_) sum += length(part.ends);
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

  nb::tuple rows(const Numbers& numbers, const Values& values, int n_threads) const {
    text::Assembly assembly = assembled(numbers);
    const text::Weighing weighing = values.weighing(n_kept(numbers, size()));
    text::RowArrays arrays(values.kind);
    {
      const WithoutGil free;
      Team team(n_threads);
      text::RowArrays::make(arrays.indptr, corpus_->n_texts() + 1);
      arrays.reserve(assembly.count(arrays.indptr.data(), team));
      if (values.kind == text::Kind::counts)
        assembly.fill(arrays.indices.data(), arrays.counts.data(), team);
      else
        assembly.fill(arrays.indices.data(), arrays.values.data(), team);
      arrays.weigh(weighing, team);
    }
    return taken(std::move(arrays));
  }

  nb::tuple names(const Numbers& numbers, int n_threads) const {
    text::Assembly assembly = assembled(numbers);
    Growing<std::uint8_t> text;
    Growing<std::int64_t> starts;
    {
      const WithoutGil free;
      Team team(n_threads);
      assembly.names(corpus_->words(), text, starts, team);
    }
    return nb::make_tuple(as_numpy(std::move(text)), as_numpy(std::move(starts)));
  }

 private:
  text::Assembly assembled(const Numbers& numbers) const {
    expect_size(numbers, size(), "numbers");
    return {parts_, data_of(numbers), corpus_->n_texts()};
  }

  std::unique_ptr<Corpus> corpus_;
  std::vector<text::Columns> parts_;
};

// Rows of words, and the words.
struct FoundWords : FoundRows {
  FoundWords(std::unique_ptr<Corpus> corpus, text::RowBlocks rows)
      : FoundRows(std::move(rows), static_cast<std::int64_t>(corpus->words().size())),
        corpus(std::move(corpus)) {}

  nb::tuple names(const Numbers& numbers, int) const {
    n_kept(numbers, size());
    std::vector<std::uint8_t> text;
    std::vector<std::int64_t> ends(1, 0);
    for (std::int64_t k = 0; k < size(); ++k) {
      if (numbers && numbers->data()[k] < 0) continue;
      const std::string_view word = corpus->words()[k];
      text.insert(text.end(), word.begin(), word.end());
      ends.push_back(length(text));
    }
    return nb::make_tuple(as_numpy(std::move(text)), as_numpy(std::move(ends)));
  }

  std::unique_ptr<Corpus> corpus;
};

// A corpus that becomes rows or columns, once; what was interrupted is used up, too.
class TextCorpus {
 public:
  TextCorpus(const Splitting& splitting, std::vector<std::string> left_out, bool has_ngrams)
      : corpus_(
            std::make_unique<Corpus>(splitting, std::move(left_out), has_ngrams, process_seed())) {}

  const Corpus& get() const {
    if (corpus_ == nullptr) throw std::invalid_argument("the corpus is used up");
    return *corpus_;
  }
  std::unique_ptr<Corpus> take() {
    get();
    return std::move(corpus_);
  }
  void put_back(std::unique_ptr<Corpus> corpus) { corpus_ = std::move(corpus); }

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
      .def("rows", &FoundColumns::rows, "numbers"_a.none(), "values"_a, "n_threads"_a)
      .def("names", &FoundColumns::names, "numbers"_a.none(), "n_threads"_a);

  nb::enum_<text::Kind>(module, "Kind")
      .value("ones", text::Kind::ones)
      .value("counts", text::Kind::counts)
      .value("values", text::Kind::values);
  nb::class_<Values>(module, "Values")
      .def(
          "__init__",
          [](Values* self, text::Kind kind, bool sublinear, const Idf& idf, int norm) {
            new (self) Values{kind, sublinear, idf, norm};
          },
          "kind"_a, "sublinear"_a, "idf"_a.none(), "norm"_a);

  nb::class_<FoundRows>(module, "FoundRows")
      .def("__len__", &FoundRows::size)
      .def_prop_ro("n_texts", [](const FoundRows& found) { return found.sums(true); })
      .def_prop_ro("totals", [](const FoundRows& found) { return found.sums(false); })
      .def("rows", &FoundRows::rows, "numbers"_a.none(), "values"_a, "n_threads"_a);
  nb::class_<FoundWords, FoundRows>(module, "FoundWords")
      .def("names", &FoundWords::names, "numbers"_a.none(), "n_threads"_a);

  nb::class_<TextCorpus>(module, "TextCorpus")
      .def(nb::init<const Splitting&, std::vector<std::string>, bool>(), "splitting"_a,
           "left_out"_a, "has_runs"_a)
      .def(
          "read",
          [](TextCorpus& self, const HeldTexts& texts, const HeldCharacters& characters,
             int n_threads) {
            const text::Characters known = characters.of(texts);
            std::unique_ptr<Corpus> corpus = self.take();
            released(n_threads, [&](Team& team, Cancellation& cancel) {
              corpus->read(texts.texts(), known, team, cancel);
            });
            self.put_back(std::move(corpus));
          },
          "texts"_a, "characters"_a, "n_threads"_a)
      .def_prop_ro("n_texts", [](const TextCorpus& self) { return self.get().n_texts(); })
      .def(
          "rows",
          [](TextCorpus& self, bool binary, int n_threads) {
            std::unique_ptr<Corpus> corpus = self.take();
            text::RowBlocks rows = released(n_threads, [&](Team& team, Cancellation& cancel) {
              return corpus->rows(binary, team, cancel);
            });
            return new FoundWords(std::move(corpus), std::move(rows));
          },
          "binary"_a, "n_threads"_a)
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
