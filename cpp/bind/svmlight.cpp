// Python's view of the svmlight reader; io/svmlight.py drives it.
#include "bind/bindings.hpp"
#include "parse/read_at.hpp"
#include "parse/svmlight_reader.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

nb::tuple take(svmlight::Reader& reader) {
  svmlight::Rows rows = reader.take();
  const bool is_empty = rows.n_entries() == 0;
  return nb::make_tuple(
      as_numpy(std::move(rows.y)), as_numpy(std::move(rows.indptr)),
      rows.is_wide ? as_numpy(std::move(rows.wide)) : as_numpy(std::move(rows.narrow)),
      rows.is_valued ? as_numpy(std::move(rows.values)) : nb::none(),
      is_empty ? nb::none() : nb::cast(rows.smallest),
      is_empty ? nb::none() : nb::cast(rows.largest));
}

nb::object complaint(const svmlight::Reader& reader) {
  if (!reader.complaint()) return nb::none();
  static constexpr const char* names[] = {"none",  "label", "entry",  "index", "order",
                                          "value", "wide",  "valued", "length"};
  const auto& [fault, line, column, previous_index, token] = *reader.complaint();
  return nb::make_tuple(names[static_cast<int>(fault)], line, column,
                        nb::bytes(token.data(), token.size()), previous_index);
}

}  // namespace

void bind_svmlight(nb::module_& module) {
  using svmlight::Reader;
  nb::class_<Reader>(module, "SvmlightReader")
      .def(
          "__init__",
          [](Reader* reader, std::int64_t base, std::int64_t least, std::size_t longest_line) {
            new (reader) Reader({base, least}, Reader::usual_chunk_size, longest_line);
          },
          "base"_a, "least"_a, "longest_line"_a = std::string_view::npos)
      .def(
          "feed",
          [](Reader& reader, Array<const std::uint8_t> text, int n_threads) {
            const WithoutGil free;
            reader.feed({reinterpret_cast<const char*>(text.data()), text.size()}, n_threads);
          },
          "text"_a, "n_threads"_a)
      .def("finish", &Reader::finish, nb::call_guard<WithoutGil>())
      .def("take", &take)
      .def_prop_ro("n_rows", [](const Reader& reader) { return reader.rows().y.size(); })
      .def_prop_ro("complaint", &complaint);

  module.def(
      "read_at",
      [](int file, std::int64_t position, Array<std::uint8_t> room, int n_threads) {
        const auto [count, error] = [&] {
          const WithoutGil free;
          return read_at(file, position, {room.data(), room.size()}, n_threads);
        }();
        if (error == 0) return count;
        errno = error;
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
      },
      "file"_a, "position"_a, "room"_a, "n_threads"_a);

  module.def(
      "fill_with_ones",
      [](Array<double> values, int n_threads) {
        const auto n = length(values);
        double* const first = values.data();
        const WithoutGil free;
        Team(n_threads).share_blocks(n, 1 << 16, [=](std::int64_t begin, std::int64_t end) {
          std::fill(first + begin, first + end, 1.0);
        });
      },
      "values"_a, "n_threads"_a);
}

}  // namespace tauboost
