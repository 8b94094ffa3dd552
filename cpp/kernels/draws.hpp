// The draws of a sampling as blocks for the driver.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/driver.hpp"
#include "kernels/sampling.hpp"

namespace tauboost {

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
