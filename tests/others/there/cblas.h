// The part of CBLAS that libsdca calls, as SciPy's wheel has it: an OpenBLAS with names of its own, and no header.

#pragma once

enum CBLAS_ORDER { CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };

#define NAMED(name) __asm__("scipy_cblas_" name)
#define DECLARED(T, t)                                                                                             \
  void cblas_##t##scal(int, T, T*, int) NAMED(#t "scal");                                                          \
  void cblas_##t##copy(int, const T*, int, T*, int) NAMED(#t "copy");                                              \
  void cblas_##t##axpy(int, T, const T*, int, T*, int) NAMED(#t "axpy");                                           \
  T cblas_##t##dot(int, const T*, int, const T*, int) NAMED(#t "dot");                                             \
  T cblas_##t##asum(int, const T*, int) NAMED(#t "asum");                                                          \
  T cblas_##t##nrm2(int, const T*, int) NAMED(#t "nrm2");                                                          \
  void cblas_##t##ger(CBLAS_ORDER, int, int, T, const T*, int, const T*, int, T*, int) NAMED(#t "ger");            \
  void cblas_##t##gemv(CBLAS_ORDER, CBLAS_TRANSPOSE, int, int, T, const T*, int, const T*, int, T, T*, int)        \
      NAMED(#t "gemv");                                                                                            \
  void cblas_##t##gemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, T, const T*, int, const T*,   \
                       int, T, T*, int) NAMED(#t "gemm");

extern "C" {
DECLARED(float, s)
DECLARED(double, d)
}
