//! global 64
//! local 32
//! out o i32 64
//! in a i32 64
int pick(int* p, int k) { return p[k] + p[0]; }
__kernel void generics(__global int* o, __global int* a) {
  int own[4];
  int g = get_global_id(0);
  for (int k = 0; k < 4; ++k) own[k] = a[g] + 2 + k;
  int* p = (a[g] & 2) ? (int*)a : (int*)own;
  int k = (a[g] & 2) ? g : (a[g] >> 3) & 3;
  int want = (a[g] & 2) ? a[g] + a[0] : a[g] + 2 + k + a[g] + 2;
  o[g] = pick(p, k) != want;
}
//! zero
