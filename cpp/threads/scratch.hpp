// Room that tasks borrow while they run: as many pieces as tasks run at once, and no more.
//
//     Scratch<Reader> readers([&] { return Reader(...); });
//     team.share(n, [&](std::int64_t k) {
//       const auto reader = readers.borrow();     // nobody else has it until `reader` is gone
//       reader->read(...);
//     });
//     readers.each([](Reader& reader) { ... });   // when nobody has any
//
// A piece is found by borrowing, not by the number of a thread, so a thread cannot find one that
// another uses, whoever it is. Pieces keep their addresses and their numbers, in the order in which
// they were first needed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tauboost {

template <typename T>
class Scratch {
  struct Piece;

 public:
  explicit Scratch(std::function<T()> make) : make_(std::move(make)) {}

  class Loan {
   public:
    Loan(Scratch& from, Piece& piece) : from_(from), piece_(piece) {}
    ~Loan() { from_.give_back(piece_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    T& operator*() const { return piece_.value; }
    T* operator->() const { return &piece_.value; }
    int number() const { return piece_.number; }

   private:
    Scratch& from_;
    Piece& piece_;
  };

  // The piece that was given back last, if there is one, as it is the likeliest to be in a cache.
  Loan borrow() { return {*this, free_piece()}; }

  // What follows is for when nobody has borrowed any.
  std::size_t size() const { return pieces_.size(); }
  T& operator[](std::size_t number) { return pieces_[number]->value; }
  const T& operator[](std::size_t number) const { return pieces_[number]->value; }
  template <typename Use>
  void each(const Use& use) {
    for (const auto& piece : pieces_) use(piece->value);
  }

 private:
  // Two threads never write to one cache line, nor to neighbours, which are fetched together.
  struct alignas(128) Piece {
    T value;
    int number;
  };

  Piece& free_piece() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        Piece& piece = *free_.back();
        free_.pop_back();
        return piece;
      }
    }
    auto piece = std::make_unique<Piece>(Piece{make_(), 0});  // by the thread that will use it
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.reserve(pieces_.size() + 1);  // so that giving back cannot fail
    piece->number = static_cast<int>(pieces_.size());
    pieces_.push_back(std::move(piece));
    return *pieces_.back();
  }

  void give_back(Piece& piece) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(&piece);
  }

  std::function<T()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::vector<Piece*> free_;
};

}  // namespace tauboost
