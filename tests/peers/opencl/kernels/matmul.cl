//! global 32x32
//! local 8x8
//! out c f32 1024
//! in a f32 1024 -8 8
//! in b f32 1024 -8 8
//! absolute 1e-3
__kernel void matmul(__global float* c, __global const float* a, __global const float* b) {
  __local float ta[8][8], tb[8][9];
  int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
  float s = 0;
  for (int k = 0; k < 32; k += 8) {
    ta[y][x] = a[gy * 32 + k + x];
    tb[y][x] = b[(k + y) * 32 + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 8; ++j) s += ta[y][j] * tb[j][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[gy * 32 + gx] = s;
}
