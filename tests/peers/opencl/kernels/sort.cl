//! global 256
//! local 128
//! inout o u32 256
//! local-bytes t 512
__kernel void sort(__global uint* o, __local uint* t) {
  uint l = get_local_id(0), g = get_global_id(0);
  t[l] = o[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 2; k <= get_local_size(0); k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1) {
      uint other = l ^ j;
      if (other > l) {
        uint x = t[l], y = t[other];
        if ((x > y) == ((l & k) == 0)) { t[l] = y; t[other] = x; }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  o[g] = t[l];
}
