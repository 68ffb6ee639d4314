// The projections of libsdca as plain functions of C, for the adapter of the same name: each overwrites x, of length d.
// It is compiled against the headers of a checkout; see ../source.py.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "sdca/prox/knapsack_eq.h"
#include "sdca/prox/knapsack_le_biased.h"
#include "sdca/prox/topk_cone_biased.h"
#include "sdca/prox/topk_simplex.h"
#include "sdca/prox/topk_simplex_biased.h"

namespace {

// Projects x by the thresholds that are computed from a copy of it, since their search changes the order.
template <typename Search>
void project(double* x, long d, Search search) {
  std::vector<double> copy(x, x + d);
  auto found = search(copy.data(), copy.data() + d);
  sdca::prox(found, x, x + d);
}

}  // namespace

extern "C" {

void knapsack_eq(double* x, long d, double lower, double upper, double total) {
  project(x, d, [=](double* first, double* last) {
    return sdca::thresholds_knapsack_eq<double>(first, last, lower, upper, total);
  });
}

void knapsack_le(double* x, long d, double upper, double total, double bias) {
  project(x, d, [=](double* first, double* last) {
    return sdca::thresholds_knapsack_le_biased<double>(first, last, 0.0, upper, total, bias);
  });
}

void topk_cone(double* x, long d, long k) {
  project(x, d, [=](double* first, double* last) { return sdca::thresholds_topk_cone<double>(first, last, k); });
}

void topk_cone_biased(double* x, long d, long k, double bias) {
  project(x, d, [=](double* first, double* last) {
    return sdca::thresholds_topk_cone_biased<double>(first, last, k, bias);
  });
}

void topk_simplex(double* x, long d, long k, double radius) {
  project(x, d, [=](double* first, double* last) {
    return sdca::thresholds_topk_simplex<double>(first, last, k, radius);
  });
}

void topk_simplex_biased(double* x, long d, long k, double radius, double bias) {
  project(x, d, [=](double* first, double* last) {
    return sdca::thresholds_topk_simplex_biased<double>(first, last, k, radius, bias);
  });
}

}
