// The step of one term, compiled once for each loss.
#include "table/term_steps.hpp"

#include <cmath>
#include <limits>

#include "simd/vectors.hpp"

namespace tauboost {
namespace {

constexpr double rounding = 1e-14;  // of a level: some fifty units in its last place

// From one level to the next; what rounding made of none is none.
double jump_above(const double* x, int t) {
  const double jump = x[t + 1] - x[t];
  return std::abs(jump) <= rounding * (1.0 + std::abs(x[t])) ? 0.0 : jump;
}

template <LossOf Loss>
struct TermSteps {
  using Problem = TermProblem;
  using Work = TermWork;
  using Model = BinModel<Loss>;

  void decide(const Problem& problem, Work& work, double total, int n_newton) const {
    const Term& term = problem.term;
    work.begin(term.n_cells());
    work.tally = {};
    work.change = 0.0;
    work.tally.edge = largest_violation(problem, work);
    if (work.tally.edge == 0.0 && !term.is_pair()) {
      // No hypothesis of the term wants to move: at most the intercept does.
      shift_all(problem, work);
      return conclude(problem, work, total);
    }
    constexpr double straight =
        0.1;            // over so short a step the model hardly bends: another gains < 1 %
    double best = 0.0;  // the objective, less what it was
    for (int k = 0; k < n_newton; ++k) {
      propose(problem, work);
      if (!accept(problem, work, best) || work.last_move < straight || term.is_pair()) break;
    }
    conclude(problem, work, total);
  }

  // Gradient and curvature of the model at d. Bins without rows get a little curvature, which
  // keeps them where they are unless psi moves them.
  void expand(int n, Work& work) const {
    Model::expand(work.sums, n, work.d.data(), work.growth.data(), work.g.data(), work.h.data());
    const double largest = *std::max_element(work.h.begin(), work.h.begin() + n);
    // 1e-9: no level of a bin with rows notices it, and systems stay solvable; + so as not to be 0.
    const double least = 1e-9 * largest + 1e-300;
    for (int b = 0; b < n; ++b) work.h[b] = std::max(work.h[b], least);
  }

  // All rows move alike: a Newton step of the intercept alone, which costs psi nothing.
  void shift_all(const Problem& problem, Work& work) const {
    const int n = problem.term.n_cells();
    double g = 0.0, h = 0.0;
    for (int b = 0; b < n; ++b) {
      g += Model::slope(work.sums, b);
      h += Model::curvature(work.sums, b);
    }
    constexpr double hardly = 1e-9;  // so short a shift gains 1e-18: nothing
    const double shift = h > 0.0 ? std::clamp(-g / h, -1.0, 1.0) : 0.0;
    if (std::abs(shift) < hardly) return;
    std::fill_n(work.next.begin(), n, shift);
    std::fill_n(work.target.begin(), n, std::exp(shift));
    if (!(loss_change(n, work) < 0.0)) return;
    std::swap(work.next, work.d);
    std::swap(work.target, work.growth);
    work.shift = shift;
  }

  // The Newton step of the model with psi: next and next_shift.
  void propose(const Problem& problem, Work& work) const {
    const Term& term = problem.term;
    const int n = term.n_cells();
    expand(n, work);
    if (term.is_pair()) {
      for (int b = 0; b < n; ++b) {
        work.target[b] = problem.x[b] + work.d[b] - work.g[b] / work.h[b];
        work.next[b] = problem.x[b] + work.d[b];
      }
      work.grid.solve(term, work.h.data(), work.target.data(),
                      {problem.penalty.l1, problem.penalty.l2}, work.next.data());
      for (int b = 0; b < n; ++b) work.next[b] -= problem.x[b];
      work.next_shift = 0.0;
    } else if (term.ordered_first > 0) {
      propose_chain(problem, work);
    } else {
      propose_bins(problem, work);
    }
  }

  void propose_chain(const Problem& problem, Work& work) const {
    const Term& term = problem.term;
    const int n = term.ordered_first, all = term.n_cells();
    double *g = work.g.data(), *h = work.h.data();
    // The other bins move with the intercept, the mean of the two ends: (p + q)^2 <= 2 p^2 + 2 q^2
    // makes of that two terms at the ends.
    double other_g = 0.0, other_h = 0.0;
    for (int b = n; b < all; ++b) {
      other_g += g[b];
      other_h += h[b];
    }
    const double end_g[2] = {g[0], g[n - 1]}, end_h[2] = {h[0], h[n - 1]};
    g[0] += 0.5 * other_g;
    h[0] += 0.5 * other_h;
    g[n - 1] += 0.5 * other_g;
    h[n - 1] += 0.5 * other_h;
    for (int b = 0; b < n; ++b) work.target[b] = problem.x[b] + work.d[b] - g[b] / h[b];
    work.chain.solve(n, h, work.target.data(),
                     {0.5 * problem.penalty.l1, 0.25 * problem.penalty.l2, problem.jump_sign},
                     work.next.data());
    g[0] = end_g[0];
    g[n - 1] = end_g[1];
    h[0] = end_h[0];
    h[n - 1] = end_h[1];
    for (int b = 0; b < n; ++b) work.next[b] -= problem.x[b];
    work.next_shift = 0.5 * (work.next[0] + work.next[n - 1]);
    for (int b = n; b < all; ++b) work.next[b] = single_step(problem, work, b, work.next_shift);
  }

  // Categories and the intercept, exactly. Given the shift of the intercept each bin has its own
  // best step; the slope along the shift that is left then rises, and is linear between the
  // shifts where a bin comes to 0 or leaves it. Where l1 is weak all bins could follow a shift for
  // next to nothing: steps of one and of the other in turn would hardly move.
  void propose_bins(const Problem& problem, Work& work) const {
    const int n = problem.term.n_cells();
    const auto [l1, l2] = problem.penalty;
    double shift = work.shift;
    if (l1 > 0.0 || problem.bin_sign != 0)
      shift = between_knots(problem, work);
    else if (l2 > 0.0) {
      double bend = 0.0;
      for (int b = 0; b < n; ++b)
        if (Model::has_rows(work.sums, b)) bend += work.h[b] * (l2 / (work.h[b] + l2));
      if (bend > 0.0) shift -= slope_left(problem, work, shift) / bend;
    }
    for (int b = 0; b < n; ++b) work.next[b] = single_step(problem, work, b, shift);
    work.next_shift = shift;
  }

  // The shift where no slope is left. Where that is so between two knots, which is where as many
  // categories are above 0 as below, the shift stays where it is or goes to the nearer one: what
  // rounding leaves of the slope there has no say.
  double between_knots(const Problem& problem, Work& work) const {
    const double l1 = problem.penalty.l1;
    std::vector<double>& knots = work.knots;
    knots.clear();
    for (int b = 0; b < problem.term.n_cells(); ++b) {
      if (!Model::has_rows(work.sums, b)) continue;
      const double at = problem.x[b] + work.d[b] - work.g[b] / work.h[b];
      knots.push_back(at - l1 / work.h[b]);
      knots.push_back(at + l1 / work.h[b]);
    }
    if (knots.empty()) return work.shift;
    std::sort(knots.begin(), knots.end());
    const double none = 1e-10 * l1;  // what rounding leaves of a sum of slopes of size l1
    const double low = where_slope_is(-none, problem, work);
    return std::max(low, std::min(work.shift, where_slope_is(none, problem, work)));
  }

  // By bisection over the knots, and a straight line.
  double where_slope_is(double wanted, const Problem& problem, const Work& work) const {
    const std::vector<double>& knots = work.knots;
    std::size_t low = 0, high = knots.size() - 1;
    double below = slope_left(problem, work, knots[low]);
    double above = slope_left(problem, work, knots[high]);
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      const double here = slope_left(problem, work, knots[middle]);
      (here < wanted ? low : high) = middle;
      (here < wanted ? below : above) = here;
    }
    if (!(below < wanted)) return knots[low];
    const double part = above > wanted ? (wanted - below) / (above - below) : 1.0;
    return knots[low] + part * (knots[high] - knots[low]);
  }

  // Bins without rows follow any shift.
  double slope_left(const Problem& problem, const Work& work, double shift) const {
    double slope = 0.0;
    for (int b = 0; b < problem.term.n_cells(); ++b)
      if (Model::has_rows(work.sums, b))
        slope += work.g[b] + work.h[b] * (single_step(problem, work, b, shift) - work.d[b]);
    return slope;
  }

  // The best d of a bin that stands for itself, if the intercept moves by shift.
  double single_step(const Problem& problem, const Work& work, int b, double shift) const {
    const auto [l1, l2] = problem.penalty;
    const double pull = work.h[b] * (problem.x[b] + work.d[b] - shift) - work.g[b];
    double x = std::copysign(std::max(std::abs(pull) - l1, 0.0), pull) / (work.h[b] + l2);
    if (problem.bin_sign * x < 0.0) x = 0.0;
    return x - problem.x[b] + shift;
  }

  // Takes the proposed step if the objective falls, or a part of it.
  bool accept(const Problem& problem, Work& work, double& best) const {
    const int n = problem.term.n_cells();
    constexpr double hardly = 1e-5;  // so short a step fails by rounding alone
    // A Newton step that must be cut more than five times has no use: the next block will do
    // better.
    for (double part = 1.0; part > 1e-3; part *= 0.25) {
      if (part < 1.0) {
        for (int b = 0; b < n; ++b) work.next[b] = work.d[b] + 0.25 * (work.next[b] - work.d[b]);
        work.next_shift = work.shift + 0.25 * (work.next_shift - work.shift);
      }
      double far = 0.0, move = 0.0;
      for (int b = 0; b < n; ++b) {
        far = std::max(far, std::abs(work.next[b]));
        move = std::max(move, std::abs(work.next[b] - work.d[b]));
      }
      if (!(far < 600.0)) continue;  // exp_along is good to 700
      exp_along(work.next.data(), 1.0, Work::padded(n), work.target.data());
      const double change = loss_change(n, work);
      const double value =
          change + penalty_change(problem, work.next.data(), work.next_shift, work.g);
      if (!(value < best)) {
        if (move < hardly) return false;
        continue;
      }
      best = value;
      work.last_move = move;
      std::swap(work.next, work.d);
      std::swap(work.target, work.growth);
      work.shift = work.next_shift;
      return true;
    }
    return false;
  }

  // Of the model, at next, whose exp is in target.
  static double loss_change(int n, const Work& work) {
    return Model::change(work.sums, n, work.next.data(), work.target.data());
  }

  // psi at x + d, less psi at x.
  double penalty_change(const Problem& problem, const double* d, double shift,
                        std::vector<double>& scratch) const {
    const auto [l1, l2] = problem.penalty;
    if (l1 == 0.0 && l2 == 0.0) return 0.0;
    const Term& term = problem.term;
    const double* x = problem.x;
    const int n = term.ordered_first, all = term.n_cells();
    if (term.is_pair()) return pair_change(problem, d, scratch);
    double size = 0.0, squares = 0.0;
    const auto add = [&](double before, double after) {
      size += std::abs(after) - std::abs(before);
      squares += (after - before) * (after + before);
    };
    for (int t = 0; t + 1 < n; ++t)
      add(0.5 * (x[t + 1] - x[t]), 0.5 * ((x[t + 1] + d[t + 1]) - (x[t] + d[t])));
    for (int b = n; b < all; ++b) add(x[b], x[b] + d[b] - shift);
    return l1 * size + 0.5 * l2 * squares;
  }

  double pair_change(const Problem& problem, const double* d, std::vector<double>& after) const {
    const GridPenalty penalty = {problem.penalty.l1, problem.penalty.l2};
    const int n = problem.term.n_cells();
    for (int b = 0; b < n; ++b) after[b] = problem.x[b] + d[b];
    return Grid::value(problem.term, penalty, after.data()) -
           Grid::value(problem.term, penalty, problem.x);
  }

  // How far 0 is from the subdifferential, the most of all hypotheses of the term, at d = 0.
  double largest_violation(const Problem& problem, Work& work) const {
    const Term& term = problem.term;
    const int n = term.ordered_first, all = term.n_cells();
    if (term.is_pair()) return 0.0;
    double sum = 0.0, largest = 0.0, before = 0.0;
    for (int b = 0; b < n; ++b) sum += Model::slope(work.sums, b);
    for (int t = 0; t + 1 < n; ++t) {
      before += Model::slope(work.sums, t);
      const double jump = jump_above(problem.x, t), lam = 0.5 * jump;
      largest =
          std::max(largest, violation(sum - 2.0 * before, lam, problem.penalty, problem.jump_sign));
    }
    for (int b = n; b < all; ++b)
      largest = std::max(largest, violation(Model::slope(work.sums, b), problem.x[b],
                                            problem.penalty, problem.bin_sign));
    return largest;
  }

  static double violation(double slope, double lam, const TermPenalty& penalty, int sign) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return ElasticNet<double>{penalty.l1, penalty.l2, sign > 0 ? 0.0 : -infinity,
                              sign < 0 ? 0.0 : infinity}
        .violation(lam, slope);
  }

  void conclude(const Problem& problem, Work& work, double total) const {
    const int n = problem.term.n_cells();
    double longest = 0.0;
    for (int b = 0; b < n; ++b) longest = std::max(longest, std::abs(work.d[b]));
    work.tally.length = work.tally.travel = longest;
    if (longest == 0.0) return;
    work.next.swap(work.d);
    work.target.swap(work.growth);
    work.tally.cost = penalty_change(problem, work.next.data(), work.shift, work.g);
    const double loss = loss_change(n, work);
    work.next.swap(work.d);
    work.target.swap(work.growth);
    work.change = Model::change_of_sum(loss, total);
    work.tally.gain = -(loss + work.tally.cost);
    // As the driver will test it: rounding may not make a rise of it.
    if (Loss::change(work.change, total) + work.tally.cost <= 0.0) return;
    work.begin(n);
    work.tally = {};
    work.change = 0.0;
  }
};

}  // namespace

template <LossOf Loss>
void decide_term(const TermProblem& problem, TermWork& work, double total, int n_newton) {
  TermSteps<Loss>().decide(problem, work, total, n_newton);
}

#define TAUBOOST_DECIDE(Loss, arguments) template void decide_term<Loss> arguments;
TAUBOOST_EACH_LOSS(TAUBOOST_DECIDE, (const TermProblem&, TermWork&, double, int))

void without_rounding(const Term& term, double* x) {
  const int n = term.ordered_first;
  for (int b = 1; b < n; ++b)
    if (jump_above(x, b - 1) == 0.0) x[b] = x[b - 1];
  for (int b = n; b < term.n_cells(); ++b)
    if (std::abs(x[b]) <= rounding) x[b] = 0.0;
}

}  // namespace tauboost
