// The solver of libsdca as a plain function of C, for the adapter of the same name, with the top-k hinges alone.
// It is compiled against the headers of a checkout; see ../source.py.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#define SDCA_SOLVER_OBJECTIVE_H  // the header with all objectives, which is left out

#include "sdca/solver/objective/l2_hinge_topk.h"
#include "sdca/solver/objective/l2_topk_hinge.h"
#include "sdca/solver.h"
#include "sdca/utility/logging.cpp"

extern "C" {

// Starts from the duals (n rows of m) and the weights (m rows of d), which must be 0, and overwrites them.
void topk_svm(const double* X, const long* y, long n, long d, long m, long k, bool beta, double C, double gamma,
              double epsilon, long max_epochs, double* duals, double* weights) {
  auto solve = [=](auto objective) {
    std::vector<sdca::size_type> labels(y, y + n);
    auto context = sdca::make_context(sdca::make_input_feature<double>(d, n, X), sdca::multiclass_output(m, labels),
                                      std::move(objective), duals, weights);
    context.criteria.epsilon = epsilon;
    context.criteria.max_epoch = max_epochs;
    sdca::make_solver(context).solve();
  };
  if (gamma > 0 && beta) solve(sdca::l2_topk_hinge_smooth<double, double>(C, gamma, k));
  else if (gamma > 0) solve(sdca::l2_hinge_topk_smooth<double, double>(C, gamma, k));
  else if (beta) solve(sdca::l2_topk_hinge<double, double>(C, k));
  else solve(sdca::l2_hinge_topk<double, double>(C, k));
}

}
