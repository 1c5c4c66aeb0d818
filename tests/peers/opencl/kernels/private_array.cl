//! global 96
//! local 32
//! out o i32 96
//! in a i32 96
typedef struct { int key; short tag; uchar flag; long wide; float f[3]; } Item;
__kernel void private_array(__global int* o, __global const int* a) {
  int g = get_global_id(0), x = a[g];
  int t[24]; Item items[5]; char text[40];
  for (int k = 0; k < 24; ++k) t[k] = k * x;
  for (int k = 0; k < 5; ++k) { items[k].key = k + x; items[k].tag = (short)(x >> k); items[k].flag = (uchar)(x * k); items[k].wide = (long)x * k; for (int j = 0; j < 3; ++j) items[k].f[j] = j + k; }
  for (int k = 0; k < 40; ++k) text[k] = (char)(x + k * 3);
  for (int k = 0; k < 24; ++k) { int j = (x >> (k & 7)) & 15; int s = t[k]; t[k] = t[j]; t[j] = s; }
  Item chosen = items[(uint)x % 5u];
  o[g] = t[(uint)x % 24u] ^ (int)chosen.wide ^ chosen.tag ^ (chosen.flag << 3) ^ (int)chosen.f[(uint)x % 3u] ^ (text[(uint)x % 40u] << 9) ^ chosen.key;
}
