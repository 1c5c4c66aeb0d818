//! global 128
//! local 128
//! out o u32 128
//! in a u32 128 1 100000
uint gcd(uint a, uint b) { while (b) { uint t = a % b; a = b; b = t; } return a; }
__kernel void collatz(__global uint* o, __global const uint* a) {
  uint i = get_global_id(0), x = a[i], n = 0;
  while (x != 1 && n < 1000) { x = (x & 1) ? 3 * x + 1 : x / 2; ++n; }
  uint primes = 0;
  for (uint k = 2; k < 60; ++k) { bool prime = true; for (uint j = 2; j * j <= k; ++j) if (k % j == 0) { prime = false; break; } if (prime && a[i] % k == 0) primes += k; }
  o[i] = n + 1000 * gcd(a[i], 5040) + 1000000 * primes;
}
