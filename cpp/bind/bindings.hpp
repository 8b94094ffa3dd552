// What the files of bindings share: arrays as the kernels take them, and running without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "threads/cancellation.hpp"

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
  // Vectors of numbers that lie askew end some programs, and are slow in the others.
  if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(typename A::Scalar) != 0)
    throw std::invalid_argument(std::string("wrong alignment of ") + name);
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
  auto result = [&] {
    const WithoutGil free;
    return kernel(cancel);
  }();
  if (cancel.stopped()) throw nb::python_error();
  return result;
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

}  // namespace tauboost
