//! global 32
//! local 16
//! out o i64 32
//! bytes s 05000000fbff07000000a0400000000000010000000000ff
//! value v i16 1 2 3
//! value u u8 9
//! value w u64 0xfedcba9876543210
typedef struct { int a; short b; char c; float f; long g; } S;
__kernel void struct_argument(__global long* o, S s, short3 v, uchar u, ulong w) {
  int g = get_global_id(0);
  o[g] = s.a + s.b * g + s.c + (int)s.f + s.g + v.x + v.y * v.z + u + (long)(w >> (g & 15));
}
