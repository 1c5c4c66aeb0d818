//! global 64
//! local 32
//! out o i32 64
__global int start = 40;
__global int table[4] = {1, 2, 3, 4};
__constant int* __constant chain[2] = {0, 0};
//! zero
__kernel void globalvar(__global int* o) { int g = get_global_id(0); atomic_add(&table[g & 3], 0); o[g] = start + table[g & 3] + (g & 3 ? 0 : 0) - 41 - (g & 3); }
