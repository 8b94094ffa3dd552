// log(1 + exp(r)) and its derivative, and logarithms, of many numbers: what the logistic loss asks
// of all rows after each sweep. Vectors do it several times as fast as a call for each number.
#pragma once

#include <cstdint>

namespace tauboost {

// losses = log(1 + exp(r)), shares = 1 / (1 + exp(-r)); either may be null. In logistic.cpp, once
// for every kind of machine.
void logistic(const double* r, std::int64_t n, double* losses, double* shares);

// out = log(x)
void logarithms(const double* x, std::int64_t n, double* out);

}  // namespace tauboost
