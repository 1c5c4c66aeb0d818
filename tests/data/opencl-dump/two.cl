__attribute__((noinline)) float helper(float a, int n) { float r = 0; for (int i = 0; i < n; i++) r += a * i; return r; }
__attribute__((noinline)) int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
__kernel void first(__global float* o, __global const int* n) { int i = get_global_id(0); float x = helper((float)i, n[i]); if (x > 3.0f) x = helper(x, n[i] + 1); o[i] = x; }
__kernel void second(__global int* o) { int i = get_global_id(0); o[i] = fact(i & 7); }
