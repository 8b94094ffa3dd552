// Which coordinates move: tau-nice and tau-independent samplings from a counter-based generator.
//
// Draw number t is a pure function of (seed, t), so a run can be repeated, resumed or dealt to any
// number of threads without changing what is drawn. The generator is Philox4x64-10 (Salmon et al.
// 2011) with key (seed, 0) and counter (block, t, 0, 0), blocks counted from 1: the same words that
// numpy.random.Philox gives, which is what the tests hold it against.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/concepts.hpp"

namespace tauboost {

__extension__ typedef unsigned __int128 uint128;

class Philox {
 public:
  Philox(std::uint64_t seed, std::uint64_t draw) : seed_(seed), draw_(draw) {}

  std::uint64_t next() {
    if (used_ == 4) {
      words_ = block(++block_);
      used_ = 0;
    }
    return words_[used_++];
  }

  // Uniform on {0, ..., bound - 1}, without bias: Lemire's multiplication with rejection.
  std::int64_t below(std::int64_t bound) {
    const auto range = static_cast<std::uint64_t>(bound);
    uint128 product = static_cast<uint128>(next()) * range;
    if (static_cast<std::uint64_t>(product) < range) {
      const std::uint64_t threshold = -range % range;
      while (static_cast<std::uint64_t>(product) < threshold)
        product = static_cast<uint128>(next()) * range;
    }
    return static_cast<std::int64_t>(product >> 64);
  }

 private:
  std::array<std::uint64_t, 4> block(std::uint64_t number) const {
    std::array<std::uint64_t, 4> c = {number, draw_, 0, 0};
    std::uint64_t key0 = seed_, key1 = 0;
    for (int round = 0; round < 10; ++round) {
      const uint128 first = static_cast<uint128>(0xD2E7470EE14C6C93u) * c[0];
      const uint128 second = static_cast<uint128>(0xCA5A826395121157u) * c[2];
      c = {static_cast<std::uint64_t>(second >> 64) ^ c[1] ^ key0,
           static_cast<std::uint64_t>(second),
           static_cast<std::uint64_t>(first >> 64) ^ c[3] ^ key1,
           static_cast<std::uint64_t>(first)};
      key0 += 0x9E3779B97F4A7C15u;
      key1 += 0xBB67AE8584CAA73Bu;
    }
    return c;
  }

  std::uint64_t seed_, draw_, block_ = 0;
  std::array<std::uint64_t, 4> words_{};
  int used_ = 4;
};

// One coordinate of the tau-independent sampling: uniform, independent of every other draw.
inline std::int64_t independent_draw(std::uint64_t seed, std::uint64_t draw, std::int64_t n) {
  return Philox(seed, draw).below(n);
}

// The tau-nice sampling: every subset of tau coordinates equally likely, O(tau) a draw (Floyd's
// algorithm; a stamp per coordinate says whether it is in the subset being drawn).
class NiceSampling {
 public:
  NiceSampling(std::int64_t n, std::int64_t tau, std::uint64_t seed)
      : n_(n), tau_(tau), seed_(seed), stamp_(n, 0) {}

  std::int64_t tau() const { return tau_; }
  std::int64_t n() const { return n_; }

  template <typename Index>
  void draw(std::uint64_t t, Index* subset) {
    Philox random(seed_, t);
    fresh_ += 1;
    for (std::int64_t k = 0; k < tau_; ++k) {
      const std::int64_t last = n_ - tau_ + k;
      const std::int64_t candidate = random.below(last + 1);
      const std::int64_t taken = stamp_[candidate] == fresh_ ? last : candidate;
      stamp_[taken] = fresh_;
      subset[k] = static_cast<Index>(taken);
    }
  }

 private:
  std::int64_t n_, tau_;
  std::uint64_t seed_, fresh_ = 0;
  std::vector<std::uint64_t> stamp_;
};

// Blocks that are draws first, first + 1, ... of the tau-nice sampling.
class Draws {
 public:
  Draws(NiceSampling& sampling, std::uint64_t first, std::int64_t n)
      : sampling_(sampling), draw_(first), left_(n) {
    for (auto& columns : columns_) columns.resize(sampling.tau());
  }

  // Two of them last: this and the one before.
  Block next() {
    if (left_ == 0) return {};
    left_ -= 1;
    auto& columns = columns_[draw_ % 2];
    sampling_.draw(draw_++, columns.data());
    return {columns.data(), sampling_.tau()};
  }

 private:
  NiceSampling& sampling_;
  std::uint64_t draw_;
  std::int64_t left_;
  std::vector<std::int32_t> columns_[2];
};

}  // namespace tauboost
