// The kernels for x86-64-v4: AVX-512.
#if defined(__AVX512F__)
#define HEDDLE_LANES_SUFFIX _v4
#include "unit/lanes/kernels.inc"
#endif
