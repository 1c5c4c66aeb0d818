//! heavy
//! global 128
//! local 32
//! out o f32 2048
//! in a f32 128 -20 20
//! in p f32 128 0.001 50
//! ulps 16
__kernel void math2(__global float* o, __global const float* a, __global const float* p) {
  int g = get_global_id(0);
  float x = a[g], y = p[g], u = x / 20.001f;
  __global float* q = o + g * 16;
  q[0] = tan(x); q[1] = asin(u); q[2] = acos(u); q[3] = atan(x); q[4] = atan2(x, y); q[5] = sinh(u); q[6] = cosh(u); q[7] = tanh(x);
  q[8] = pow(y, u); q[9] = pown(x, g % 5); q[10] = powr(y, x * 0.1f); q[11] = hypot(x, y); q[12] = rootn(y, 3); q[13] = erf(u); q[14] = asinh(x); q[15] = acosh(y + 1.0f);
}
