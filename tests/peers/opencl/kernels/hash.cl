//! global 256
//! local 64
//! out o u32 256
//! in a u32 256
//! value n u32 12345
__kernel void hash(__global uint* o, __global const uint* a, uint n) {
  uint i = get_global_id(0);
  uint h = a[i] ^ (i * 2654435761u);
  for (uint k = 0; k < (i & 7u) + 3; ++k) {
    h ^= h >> 15; h *= 0x2c1b3c6du; h = rotate(h, k + 5u);
    if (h % 3u == 0u) h += n; else if ((h & 15u) == 9u) break;
  }
  o[i] = h + popcount(a[i]) + clz(a[i]) + mul_hi(a[i], n) + (uint)max((int)a[i], -7) + as_uint((float)(int)(h & 0xffff));
}
