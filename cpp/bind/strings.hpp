// Where the characters of Python's strings are, to be read without the GIL.
//
// CPython's own headers say where they lie, and nothing is copied. A module for the stable ABI, one
// for all versions from 3.12 on, is told so of ASCII only: of every other string it has a copy, as
// narrow as CPython's own, so that what is made of it does not depend on how this was built.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bind/bindings.hpp"
#include "text/text.hpp"

namespace tauboost {

#ifndef Py_LIMITED_API

class StringReader {
 public:
  text::Text operator()(nb::handle string) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(string.ptr()) != 0) throw nb::python_error();
#endif
    PyObject* const s = string.ptr();
    return {PyUnicode_DATA(s), PyUnicode_GET_LENGTH(s), static_cast<int>(PyUnicode_KIND(s)),
            PyUnicode_IS_ASCII(s) != 0};
  }
};

#else

class StringReader {
 public:
  text::Text operator()(nb::handle string) {
    const Py_ssize_t length = PyUnicode_GetLength(string.ptr());
    if (nb::cast<bool>(string.attr("isascii")())) {
      const char* const bytes = PyUnicode_AsUTF8AndSize(string.ptr(), nullptr);  // it is UTF-8
      if (bytes == nullptr) throw nb::python_error();
      return {bytes, length, 1, true};
    }
    wide_.resize(static_cast<std::size_t>(length));
    if (PyUnicode_AsUCS4(string.ptr(), wide_.data(), length, 0) == nullptr)
      throw nb::python_error();
    const Py_UCS4 largest = *std::max_element(wide_.begin(), wide_.end());
    if (largest < 0x100) return copied_as<std::uint8_t>();
    if (largest < 0x10000) return copied_as<std::uint16_t>();
    return copied_as<std::uint32_t>();
  }

 private:
  template <typename Character>
  text::Text copied_as() {
    const std::size_t size = wide_.size() * sizeof(Character);
    copies_.emplace_back(new std::byte[size]);
    std::transform(wide_.begin(), wide_.end(), reinterpret_cast<Character*>(copies_.back().get()),
                   [](Py_UCS4 c) { return static_cast<Character>(c); });
    return {copies_.back().get(), static_cast<std::int64_t>(wide_.size()), sizeof(Character),
            false};
  }

  std::vector<Py_UCS4> wide_;
  std::vector<std::unique_ptr<std::byte[]> > copies_;
};

#endif

}  // namespace tauboost
