//! skip simd32
//! global 200
//! local 40
//! out o i32 200
//! in a i32 200 0 1000
//! value n i32 40
int __attribute__((noinline)) digits(int x, int base) { int n = 0; do { n += x % base; x /= base; } while (x != 0); return n; }
__kernel void flow(__global int* o, __global const int* a, int n) {
  int g = get_global_id(0), x = a[g], r = 0;
  for (int k = 0; k < n; ++k) {
    switch ((x + k) % 7) {
      case 0: r += k; break;
      case 1: r ^= x; // falls through
      case 2: r += 3; continue;
      case 3: { int j = k; while (j > 0) { if (j % 5 == 4) break; r += j; j -= 2; } break; }
      case 4: if (r > 1000) goto out; r = r * 2 + 1; break;
      case 5: r += digits(x, 2 + (k & 7)); break;
      default: if (x & 1) return; r -= digits(r & 0xff, 10);
    }
    if (r < -500) { r = -r; } else if (r > 5000 && (k & 1)) { r /= 3; if (x % 11 == 0) break; }
  }
out:
  o[g] = r;
}
