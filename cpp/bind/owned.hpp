// Arrays that C++ has made and NumPy owns from then on; nothing is copied.
#pragma once

#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "matrix/pages.hpp"

namespace tauboost {

template <typename T, typename Memory>
nb::object owned_array(Memory* memory, T* data, std::size_t size) {
  nb::capsule owner(memory, [](void* p) noexcept { delete static_cast<Memory*>(p); });
  return nb::cast(NumpyArray<T>(data, {size}, owner));
}

template <typename T>
nb::object as_numpy(Growing<T>&& values) {
  auto* const kept = new Growing<T>(std::move(values));
  kept->fit();
  return owned_array<T>(kept, kept->data(), static_cast<std::size_t>(kept->size()));
}

template <typename T>
nb::object as_numpy(std::vector<T>&& values) {
  auto* const kept = new std::vector<T>(std::move(values));
  return owned_array<T>(kept, kept->data(), kept->size());
}

}  // namespace tauboost
