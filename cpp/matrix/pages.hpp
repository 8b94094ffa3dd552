// Arrays for results whose size is known only in the end: they grow by moving pages, not bytes,
// and memory that has not been touched yet costs nothing.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace tauboost {

// Memory of whole pages from the system; MAP_FAILED where there is none. Only Linux can move pages
// to where there is more room, or be asked for large ones. ThreadSanitizer does not see pages move:
// to it, what one thread gave back and another got is memory that both write to.
#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
inline void* moved(void* data, std::size_t before, std::size_t size) {
  return mremap(data, before, size, MREMAP_MAYMOVE);
}
inline void ask_for_large_pages(void* data, std::size_t size) {
  madvise(data, size, MADV_HUGEPAGE);
}
#else
inline void* moved(void* data, std::size_t before, std::size_t size) {
  void* const room =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return room;
  std::memcpy(room, data, std::min(before, size));
  munmap(data, before);
  return room;
}
inline void ask_for_large_pages(void*, std::size_t) {}
#endif

class Pages {
 public:
  Pages() = default;
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Pages() {
    if (data_ != nullptr) munmap(data_, size_);
  }

  void* data() const { return data_; }
  std::size_t size() const { return size_; }

  // Makes room for at least this many bytes; what is there is kept.
  void resize(std::size_t size) {
    // Large pages for large arrays: to touch small ones for the first time takes longer than to
    // parse what goes there.
    constexpr std::size_t small = 1 << 12, large = 1 << 21;
    const std::size_t page = size < 2 * large ? small : large;
    size = (std::max<std::size_t>(size, 1) + page - 1) / page * page;
    if (size == size_) return;
    void* const data = data_ == nullptr ? mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                        : moved(data_, size_, size);
    if (data == MAP_FAILED) throw std::bad_alloc();
    if (page == large) ask_for_large_pages(data, size);
    data_ = data;
    size_ = size;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Like a vector of plain numbers, but leaves it to the caller to fill what it makes room for.
template <typename T>
class Growing {
 public:
  std::int64_t size() const { return size_; }
  T* data() const { return static_cast<T*>(pages_.data()); }

  // Room for n entries behind the first `size`, which are kept.
  T* reserve(std::int64_t n) {
    const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(size_ + n);
    if (bytes > pages_.size()) pages_.resize(std::max(bytes, 2 * pages_.size()));
    return data() + size_;
  }

  // To be called when the room has been filled.
  void extend(std::int64_t n) { size_ += n; }

  // Gives back the room that is not used.
  void fit() { pages_.resize(sizeof(T) * static_cast<std::size_t>(size_)); }

 private:
  Pages pages_;
  std::int64_t size_ = 0;
};

}  // namespace tauboost
