//! heavy
//! global 128
//! local 32
//! out o f32 2048
//! in a f32 128 -20 20
//! in p f32 128 0.001 50
//! ulps 1
__kernel void math3(__global float* o, __global const float* a, __global const float* p) {
  int g = get_global_id(0), e = 0;
  float x = a[g], y = p[g], whole = 0;
  __global float* q = o + g * 16;
  q[0] = fmod(x, y); q[1] = remainder(x, y); q[2] = fma(x, y, 1.5f); q[3] = frexp(x, &e); q[4] = (float)e; q[5] = ldexp(x, g % 40 - 20); q[6] = logb(y); q[7] = (float)ilogb(x);
  q[8] = nextafter(x, y); q[9] = fdim(x, y); q[10] = fract(x, &whole); q[11] = whole; q[12] = modf(x, &whole); q[13] = copysign(y, x) + whole; q[14] = maxmag(x, y) + fmin(x, y) + fmax(x, y); q[15] = (float)remquo(x, y, &e) + (e & 7);
}
