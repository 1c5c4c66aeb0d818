// The kernels for x86-64-v3: AVX2, FMA, F16C.
#if defined(__AVX2__)
#define HEDDLE_LANES_SUFFIX _v3
#include "unit/lanes/kernels.inc"
#endif
