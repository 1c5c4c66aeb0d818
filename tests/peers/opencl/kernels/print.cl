//! global 8
//! local 8
//! out o i32 8
//! zero
__kernel void print(__global int* o) { int g = get_global_id(0); if (g == 3) printf("hello %d %f %s\n", g, 1.5f, "x"); o[g] = 0; }
