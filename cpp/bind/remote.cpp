// The driver on rows that are elsewhere: Python carries out its rounds (tauboost.dask).
//
// A block costs one round: the call that carries its steps also asks for the sums of the next
// block. Only where the objective rose does another follow, which takes the steps back, applies
// fewer and asks again. Python keeps the GIL throughout and waits for the network without it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "bind/arguments.hpp"
#include "kernels/coordinate_steps.hpp"
#include "kernels/driver.hpp"
#include "kernels/sampling.hpp"

using namespace nb::literals;

namespace tauboost {
namespace {

template <LossOf Loss_>
class RemoteRows {
 public:
  static constexpr int L = 1;
  using Loss = Loss_;
  using Steps = CoordinateSteps<1, UpGrowth, 64>;

  explicit RemoteRows(nb::object rounds) : rounds_(std::move(rounds)) {}

  std::int64_t n_parts() const { return 1; }
  std::int64_t work(std::int64_t) const { return 0; }

  // The round before has asked for the sums, unless there was none.
  void gather(std::int64_t, const Block& now) {
    if (!square_) ask(0.0, nb::none(), 0.0, now);
  }

  SignedSums sums(const Block&, std::int64_t k, int) const {
    return {neg_->data()[k], pos_->data()[k], square_->data()[k]};
  }

  // What is to be taken back waits for what is applied in its place: one round for both.
  void apply(std::int64_t, const Move<1>& wanted, const Steps& steps) {
    const double fraction = wanted.fraction[0];
    if (fraction < 0.0) {
      undo_ = -fraction;
      return;
    }
    const bool is_new = undo_ == 0.0;
    ask(std::exchange(undo_, 0.0),
        is_new ? copied(steps.moving(wanted), wanted.block.n) : nb::object(nb::none()), fraction,
        wanted.next);
  }

  const std::vector<std::array<double, 1>>& changes() const { return changes_; }
  double recount(int) const { return nb::cast<double>(rounds_.attr("total")()); }

 private:
  void ask(double undo, nb::object steps, double fraction, const Block& next) {
    const auto reply = nb::cast<nb::tuple>(rounds_.attr("round")(
        undo, steps, fraction, next.n > 0 ? copied(next.columns, next.n) : nb::object(nb::none())));
    changes_.clear();
    for (const double change : nb::cast<std::vector<double>>(reply[0]))
      changes_.push_back({change});
    if (next.n == 0) return;
    neg_ = sums_of(reply[1], next.n);
    pos_ = sums_of(reply[2], next.n);
    square_ = sums_of(reply[3], next.n);
  }

  static Array<const double> sums_of(nb::handle given, std::int64_t n) {
    auto sums = nb::cast<Array<const double>>(given);
    expect_size(sums, n, "sums");
    return sums;
  }

  nb::object rounds_;
  double undo_ = 0.0;
  std::vector<std::array<double, 1>> changes_;
  std::optional<Array<const double>> neg_, pos_, square_;
};

template <LossOf Loss, typename Blocks>
Outcome<1> drive(nb::object rounds, typename RemoteRows<Loss>::Steps& steps, Blocks& blocks,
                 double total, double farthest = std::numeric_limits<double>::infinity()) {
  RemoteRows<Loss> rows(std::move(rounds));
  Team team(1);
  Cancellation cancel([] { return false; });
  return Driver(rows, steps, {total}).run(blocks, team, cancel, farthest);
}

}  // namespace

void bind_remote(nb::module_& module) {
  module.def(
      "remote_sweep",
      [](const Matrix& A, Array<double> lam, double total, const Psi& psi,
         Array<const std::int32_t> columns, std::int64_t tau, Array<double> gain, bool is_logistic,
         nb::object rounds) {
        expect_size(lam, A.n, "lam");
        expect_size(gain, A.n, "gain");
        Slices slices(columns.data(), length(columns), tau);
        return with_loss(is_logistic, [&]<LossOf Loss>(Loss) {
          typename RemoteRows<Loss>::Steps steps(A, {psi.penalty}, {Loss::is_log_of_sum},
                                                 lam.data(), gain.data(), tau);
          return drive<Loss>(std::move(rounds), steps, slices, total);
        });
      },
      "matrix"_a, "lam"_a, "total"_a, "psi"_a, "columns"_a, "tau"_a, "gain"_a, "is_logistic"_a,
      "rounds"_a);

  module.def(
      "remote_pcdm",
      [](const Matrix& A, Array<double> lam, double total, const Psi& psi, double beta,
         NiceSampling& sampling, std::uint64_t first, std::int64_t n_iterations, double max_drift,
         nb::object rounds) {
        expect_size(lam, A.n, "lam");
        if (sampling.n() != A.n) throw std::invalid_argument("sampling of another matrix");
        RemoteRows<Exponential>::Steps steps(A, {psi.penalty}, {true, beta}, lam.data(), nullptr,
                                             sampling.tau());
        Draws draws(sampling, first, n_iterations);
        return drive<Exponential>(std::move(rounds), steps, draws, total, max_drift);
      },
      "matrix"_a, "lam"_a, "total"_a, "psi"_a, "beta"_a, "sampling"_a, "first"_a, "n_iterations"_a,
      "max_drift"_a, "rounds"_a);
}

}  // namespace tauboost
