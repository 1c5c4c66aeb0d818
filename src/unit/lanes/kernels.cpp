// The kernels for any machine of the architecture, and for bitcode.
#include "unit/lanes/kernels.inc"
