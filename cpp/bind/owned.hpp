// Arrays that C++ has made and NumPy owns from then on; nothing is copied.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "matrix/pages.hpp"

namespace tauboost {

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
