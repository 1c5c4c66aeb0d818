//! global 256
//! local 64
//! out o i32 256
//! in a i32 256 -1000 1000
__kernel void scan(__global int* o, __global const int* a) {
  __local int t[2][64];
  int l = get_local_id(0), g = get_global_id(0), from = 0;
  t[0][l] = a[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 1; s < 64; s <<= 1) {
    t[1 - from][l] = t[from][l] + (l >= s ? t[from][l - s] : 0);
    from = 1 - from;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[g] = t[from][l];
}
