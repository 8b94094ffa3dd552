// What the files of bindings share: arrays as the kernels take them, and running without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "matrix/pages.hpp"
#include "threads/cancellation.hpp"
#include "threads/team.hpp"

namespace nb = nanobind;

namespace tauboost {

template <typename T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using NumpyArray = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

template <typename A>
void expect_size(const A& array, std::int64_t size, const char* name) {
  if (static_cast<std::int64_t>(array.size()) != size)
    throw std::invalid_argument(std::string("wrong length of ") + name);
  // Misaligned vectors of numbers end some programs, and are slow in the others.
  if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(typename A::Scalar) != 0)
    throw std::invalid_argument(std::string("wrong alignment of ") + name);
}

template <typename T>
void expect_size(const std::optional<Array<T>>& array, std::int64_t size, const char* name) {
  if (array) expect_size(*array, size, name);
}

template <typename T>
T* data_of(const std::optional<Array<T>>& array) {
  return array ? array->data() : nullptr;
}

template <typename A>
std::int64_t length(const A& array) {
  return static_cast<std::int64_t>(array.size());
}

// A NumPy array of its own.
template <typename T>
nb::object copied(const T* values, std::int64_t n) {
  auto copy = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n));
  std::copy_n(values, n, copy.get());
  nb::capsule owner(copy.get(), [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
  T* const data = copy.release();  // no sooner: making a capsule may fail
  return nb::cast(NumpyArray<T>(data, {static_cast<std::size_t>(n)}, owner));
}

// Once Python shuts down it ends every thread that asks for the GIL, by unwinding its stack: a
// daemon thread that fits, for one. Our destructors and nanobind would abort the process on that.
// Such a thread waits here instead, until the process is gone.
template <typename Ask>
auto or_wait_for_the_end(Ask ask) {
  try {
    return ask();
  } catch (...) {
    for (;;) ::pause();
  }
}

// Gives the GIL away for as long as it lives.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    or_wait_for_the_end([&] { PyEval_RestoreThread(state_); });
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// Runs a kernel without the GIL; a Ctrl-C that arrives meanwhile is raised when it returns.
template <typename Kernel>
auto released(Kernel kernel) {
  Cancellation cancel([] {
    return or_wait_for_the_end([] {
      nb::gil_scoped_acquire gil;
      return PyErr_CheckSignals() != 0;
    });
  });
  const auto run = [&] {
    const WithoutGil free;
    return kernel(cancel);
  };
  if constexpr (std::is_void_v<decltype(run())>) {
    run();
    if (cancel.stopped()) throw nb::python_error();
  } else {
    auto result = run();
    if (cancel.stopped()) throw nb::python_error();
    return result;
  }
}

// The same for a kernel that takes a team of threads.
template <typename Kernel>
auto released(int n_threads, Kernel kernel) {
  return released([&](Cancellation& cancel) {
    Team team(n_threads);
    return kernel(team, cancel);
  });
}

// An __init__ that fills the fields of a struct, in their order, and checks them.
template <typename T, typename... Fields>
auto made_of() {
  return [](T* self, Fields... fields) {
    const T made{std::forward<Fields>(fields)...};
    made.check();
    new (self) T(made);
  };
}

void bind_matrix(nb::module_& module);
void bind_products(nb::module_& module);
void bind_methods(nb::module_& module);
void bind_remote(nb::module_& module);
void bind_csr(nb::module_& module);
void bind_binning(nb::module_& module);
void bind_lanes(nb::module_& module);
void bind_logistic(nb::module_& module);
void bind_tables(nb::module_& module);
void bind_remote_tables(nb::module_& module);
void bind_svmlight(nb::module_& module);
void bind_texts(nb::module_& module);
void bind_text_rows(nb::module_& module);
void bind_inject(nb::module_& module);  // in builds with sanitizers only

// Arrays that C++ has made and NumPy owns from then on; nothing is copied.

template <typename T, typename Memory>
nb::object owned_array(std::unique_ptr<Memory> memory, T* data, std::size_t size) {
  nb::capsule owner(memory.get(), [](void* p) noexcept { delete static_cast<Memory*>(p); });
  static_cast<void>(memory.release());  // no sooner: making a capsule may fail
  return nb::cast(NumpyArray<T>(data, {size}, owner));
}

template <typename T>
nb::object as_numpy(Growing<T>&& values) {
  values.fit();
  auto kept = std::make_unique<Growing<T>>(std::move(values));
  T* const data = kept->data();
  const auto size = static_cast<std::size_t>(kept->size());
  return owned_array<T>(std::move(kept), data, size);
}

template <typename T>
nb::object as_numpy(std::vector<T>&& values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = kept->data();
  const std::size_t size = kept->size();
  return owned_array<T>(std::move(kept), data, size);
}

}  // namespace tauboost
