// SPDX-License-Identifier: MIT
#include "peers/vulkan/programs.hpp"

#include <fmt/format.h>

namespace heddle::test {
namespace {

/// `code` makes "T r" of "T x", "T y" and the element's number "uint i"; `functions` stand before main. T is the type
/// of an element, S that of its components.
struct Body {
  const char *name, *code, *functions = "";
};

const Body kIntegers[] = {
    {"Gcd", "T a = x & S(0xfff), b = y & S(0xfff); while (b != S(0)) { T c = a % b; a = b; b = c; } r = a;"},
    {"CountBits", "T v = x; r = S(0); for (int k = 0; k < 32; ++k) { r += (v >> k) & S(1); }"},
    {"Collatz",
     "uint n = uint(x) & 1023u; uint steps = 0u; while (n > 1u && steps < 200u) { n = (n & 1u) != 0u ? 3u "
     "* n + 1u : n >> 1; ++steps; } r = T(steps);"},
    {"SquareRoot",
     "uint n = uint(x) & 0xffffffu, a = 0u; for (uint bit = 1u << 11; bit != 0u; bit >>= 1) if ((a + "
     "bit) * (a + bit) <= n) a += bit; r = T(a);"},
    {"BinarySearch",
     "uint want = uint(x) % 120u; int low = 0, high = 11; while (low < high) { int mid = (low + high) "
     "/ 2; if (table[mid] < want) low = mid + 1; else high = mid; } r = T(low) * S(100) + T(table[low]);",
     "const uint table[12] = uint[](1u, 3u, 4u, 9u, 17u, 20u, 44u, 51u, 70u, 88u, 99u, 119u);\n"},
    {"Fibonacci",
     "T a = S(0), b = S(1); for (uint k = 0u; k < (uint(x) & 31u); ++k) { T c = a + b; a = b; b = c; } r = "
     "a;"},
    {"XorShift",
     "uint v = uint(x) | 1u; for (int k = 0; k < 7; ++k) { v ^= v << 13; v ^= v >> 17; v ^= v << 5; } r = "
     "T(v);"},
    {"LinearGenerator", "uint v = uint(x); for (int k = 0; k < 5; ++k) v = v * 1664525u + 1013904223u; r = T(v);"},
    {"Crc",
     "uint c = uint(x); for (int k = 0; k < 16; ++k) c = (c & 1u) != 0u ? (c >> 1) ^ 0xedb88320u : c >> 1; r = "
     "T(c);"},
    {"Murmur", "r = T(mixed(uint(x) ^ mixed(uint(y))));",
     "uint mixed(uint h) { h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; return h ^ (h >> 16); }\n"},
    {"Morton", "r = T(spread(uint(x)) | (spread(uint(y)) << 1));",
     "uint spread(uint v) { v &= 0xffffu; v = (v | (v << 8)) & 0xff00ffu; v = (v | (v << 4)) & 0xf0f0f0fu; v = (v | (v "
     "<< 2)) & 0x33333333u; return (v | (v << 1)) & 0x55555555u; }\n"},
    {"GrayCode",
     "uint g = uint(x) ^ (uint(x) >> 1); uint b = 0u; for (uint v = g; v != 0u; v >>= 1) b ^= v; r = T(b) ^ "
     "T(g);"},
    {"BubbleSort",
     "T a[6]; for (int k = 0; k < 6; ++k) a[k] = x * S(k + 1) ^ y; for (int n = 5; n > 0; --n) for (int "
     "k = 0; k < n; ++k) if (a[k] > a[k + 1]) { T t = a[k]; a[k] = a[k + 1]; a[k + 1] = t; } r = a[i % "
     "6u] - a[0];"},
    {"InsertionSort",
     "T a[8]; for (int k = 0; k < 8; ++k) { T v = (x >> k) ^ y; int at = k; while (at > 0 && a[at - "
     "1] > v) { a[at] = a[at - 1]; --at; } a[at] = v; } r = a[int(i) & 7];"},
    {"Histogram",
     "uint bins[4]; for (int k = 0; k < 4; ++k) bins[k] = 0u; for (int k = 0; k < 16; ++k) ++bins[(uint(x) "
     ">> (2 * k)) & 3u]; r = T(bins[i & 3u] * 16u + bins[(i + 1u) & 3u]);"},
    {"Switch",
     "switch (int(uint(x) % 7u)) { case 0: r = S(5); break; case 1: r = y; case 2: r += S(3); break; case 4: "
     "r = x; break; case 6: r = x + y; default: r -= S(9); }"},
    {"NestedLoops",
     "r = S(0); for (int a = 0; a < 9; ++a) { if ((uint(x) >> a & 1u) != 0u) continue; for (int b = a; "
     "b < 9; ++b) { if ((uint(y) >> b & 3u) == 3u) break; r += S(a * b + 1); } if (r > S(60)) break; }"},
    {"EarlyReturn", "r = T(classify(uint(x), uint(y)));",
     "uint classify(uint a, uint b) { if (a == b) return 0u; for (uint k = 1u; k < 12u; ++k) { if ((a >> k) % 3u == "
     "0u) "
     "return k; if ((b >> k) % 5u == 0u) return 100u + k; } return a < b ? 1000u : 2000u; }\n"},
    {"DoWhile", "r = S(0); uint v = uint(x); do { r += S(1) + T(v & 1u); v >>= 2; } while (v != 0u && r < S(14));"},
    {"OutParameters", "T a = x, b = y; exchange(a, b); T d; divided(a & S(0xffff), (b & S(15)) + S(1), d); r = d ^ a;",
     "void exchange(inout T a, inout T b) { T t = a; a = b + S(1); b = t; }\n"
     "void divided(T a, T b, out T d) { d = a / b; d = d * S(16) + a % b; }\n"},
    {"ModularPower",
     "uint base = uint(x) % 251u, e = uint(y) & 255u, p = 1u; while (e != 0u) { if ((e & 1u) != 0u) p = "
     "p * base % 251u; base = base * base % 251u; e >>= 1; } r = T(p);"},
    {"PrimeTest",
     "uint n = uint(x) & 1023u; bool prime = n > 1u; for (uint k = 2u; k * k <= n; ++k) if (n % k == 0u) { "
     "prime = false; break; } r = prime ? T(n) : S(0);"},
    {"Sieve",
     "bool gone[40]; for (int k = 0; k < 40; ++k) gone[k] = k < 2; for (int p = 2; p < 7; ++p) if (!gone[p]) "
     "for (int m = p * p; m < 40; m += p) gone[m] = true; r = S(0); for (int k = 0; k <= int(uint(x) % 40u); "
     "++k) if (!gone[k]) r += S(k);"},
    {"DigitSum", "uint v = uint(x); uint sum = 0u; while (v != 0u) { sum += v % 10u; v /= 10u; } r = T(sum);"},
    {"RunLengths",
     "uint v = uint(x), best = 0u, run = 0u; for (int k = 0; k < 32; ++k) { run = (v >> k & 1u) != 0u ? "
     "run + 1u : 0u; best = max(best, run); } r = T(best);"},
    {"SaturatingAdd", "uint a = uint(x), b = uint(y), s = a + b; r = T(s < a ? 0xffffffffu : s);"},
    {"Rotate", "uint a = uint(x), n = uint(y) & 31u; r = T((a << n) | (a >> ((32u - n) & 31u)));"},
    {"SwapBytes", "uint a = uint(x); r = T((a >> 24) | ((a >> 8) & 0xff00u) | ((a << 8) & 0xff0000u) | (a << 24));"},
    {"Bitfields", "r = bitfieldInsert(x, y, 5, 9) ^ bitfieldExtract(y, 3, 17) ^ bitfieldReverse(x);"},
    {"FindBits", "r = T(findMSB(x) * 64 + findLSB(y) + bitCount(x ^ y) * 4096);"},
    {"ExtendedProduct",
     "uint high, low; umulExtended(uint(x), uint(y), high, low); int ih, il; imulExtended(int(x), "
     "int(y), ih, il); r = T(high ^ low) + T(ih) - T(il);"},
    {"CarryBorrow",
     "uint c, b; uint s = uaddCarry(uint(x), uint(y), c), d = usubBorrow(uint(x), uint(y), b); r = T(s ^ "
     "d) + T(c * 2u + b);"},
    {"DynamicComponent",
     "uvec4 v = uvec4(uint(x), uint(y), i, 77u); v[i & 3u] += 5u; v.wx = v.xy; r = T(v[(i >> 2) & "
     "3u] ^ v.w);"},
    {"Structs",
     "Pair p = Pair(x, uint[3](1u, uint(y), i)); Pair q = p; q.numbers[i % 3u] += 9u; if ((i & 4u) != 0u) p = "
     "q; r = p.value + T(p.numbers[0] * 3u + p.numbers[1] + p.numbers[2]);",
     "struct Pair { T value; uint numbers[3]; };\n"},
    {"NestedArrays",
     "uint m[3][4]; for (int a = 0; a < 3; ++a) for (int b = 0; b < 4; ++b) m[a][b] = uint(x) * uint(a) + "
     "uint(y) * uint(b); r = T(m[i % 3u][i & 3u] + m[2][3]);"},
    {"Division", "T d = (y & S(1023)) + S(1); T n = x & S(0x7fffffff); r = (n / d) ^ (n % d * S(31));"},
    {"Shifts", "r = (x << (uint(y) & 31u)) ^ (x >> (i & 31u)) ^ (y >> 7);"},
    {"Comparisons",
     "r = S(0); if (x < y) r |= S(1); if (x <= y) r |= S(2); if (x == y) r |= S(4); if (x > S(77)) r |= "
     "S(8); if (x != y && (y >= S(3) || x < S(9))) r |= S(16); bool either = (x < y) ^^ (x < S(0)); r += "
     "either ? S(32) : S(0);"},
    {"Clamped", "r = clamp(x, S(10), S(200)) + min(x, y) * S(3) + max(x, y);"},
    {"ReadNeighbors", "r = T(first[(i + 1u) & 255u]) + T(second[(i * 7u) & 255u]) - T(first[255u - i]);"},
    {"IndirectRead", "uint at = i; for (int k = 0; k < 6; ++k) at = uint(first[at]) & 255u; r = T(at);"},
    {"PackedBytes",
     "uvec4 a = (uvec4(uint(x)) >> uvec4(0u, 8u, 16u, 24u)) & 255u, b = (uvec4(uint(y)) >> uvec4(0u, 8u, "
     "16u, 24u)) & 255u; uvec4 m = (a + b) >> 1; r = T(m.x | m.y << 8 | m.z << 16 | m.w << 24);"},
    {"Cellular",
     "uint row = uint(x); for (int k = 0; k < 8; ++k) { uint l = (row << 1) | (row >> 31), h = (row >> 1) | "
     "(row << 31); row = l ^ (row | h); } r = T(row);"},
    {"TeaCipher",
     "uint a = uint(x), b = uint(y), s = 0u; for (int k = 0; k < 8; ++k) { s += 0x9e3779b9u; a += ((b << 4) "
     "+ 0xa341316cu) ^ (b + s) ^ ((b >> 5) + 0xc8013ea4u); b += ((a << 4) + 0xad90777du) ^ (a + s) ^ ((a >> "
     "5) + 0x7e95761eu); } r = T(a ^ b);"},
    {"BooleanVectors",
     "bvec4 a = lessThan(uvec4(uint(x), uint(y), i, 9u), uvec4(uint(y), i, 100u, uint(x))); r = S(0); "
     "if (any(a)) r += S(1); if (all(not(a))) r += S(2); if (a.x && !a.w) r += S(4); r += T(uint(a.z));"},
};

/// Component by component, for vectors as well.
const Body kIntegerVectors[] = {
    {"Arithmetic", "r = x * y + x - y * S(3);"},
    {"Logic", "r = (x & y) | (~x & (y ^ T(S(0x5a5a))));"},
    {"MinMax", "r = min(x, y) ^ max(x, T(S(40)));"},
    {"LoopOver",
     "r = T(S(0)); for (int k = 0; k < 5; ++k) { r = r * S(5) + (x >> k); if (k == 3 && (i & 1u) != 0u) r ^= y; }"},
    {"Chosen", "r = (i & 2u) != 0u ? x + y : x - y; if ((i & 5u) == 5u) r = -r;"},
    {"ThroughFunction", "r = twice(x) + twice(y);",
     "T twice(T v) { if (any(greaterThan(v, T(S(99))))) return v; return v + v; }\n"},
    {"ArrayOf", "T a[4]; for (int k = 0; k < 4; ++k) a[k] = x * S(k) + y; r = a[i & 3u] ^ a[(i + 1u) & 3u];"},
};

const Body kFloats[] = {
    {"Polynomial", "r = ((x * 0.25 + 1.5) * x - 2.0) * x + y;"},
    {"Steps", "r = step(T(1.0), x) + smoothstep(T(-2.0), T(3.0), y) * 4.0 + sign(x);"},
    {"Mixed", "r = mix(x, y, 0.375) + clamp(x, -1.0, 1.0) - max(y, T(0.5));"},
    {"Rounding", "r = floor(x) + ceil(y) * 2.0 + trunc(x * 0.7 + 0.05) * 3.0 + fract(y);"},
    {"Modulo", "r = mod(x, T(1.75)) + abs(y);"},
    {"Roots", "r = sqrt(abs(x)) + inversesqrt(abs(y) + 1.0);"},
    {"Exponentials", "r = exp2(x * 0.25) + log2(abs(y) + 1.0) + exp(-abs(x) * 0.1) + log(abs(x) + 2.0);"},
    {"Powers", "r = pow(abs(x) + 0.5, T(0.45)) + pow(abs(y) + 1.0, T(2.2)) * 0.01;"},
    {"Waves", "r = sin(x * 0.3) + cos(y * 0.2) * 0.5 + tan(x * 0.05);"},
    {"Angles",
     "r = atan(y, x + 20.0) + atan(x * 0.1) + asin(clamp(x * 0.05, -0.9, 0.9)) + acos(clamp(y * 0.05, -0.9, 0.9));"},
    {"Hyperbolic", "r = tanh(x * 0.1) + sinh(y * 0.05) + cosh(x * 0.05);"},
    {"NewtonRoot", "T a = abs(x) + 1.0; r = a; for (int k = 0; k < 12; ++k) r = 0.5 * (r + a / r);"},
    {"KahanSum",
     "T sum = T(0.0), lost = T(0.0); for (int k = 1; k < 20; ++k) { T v = x / S(k) - lost; T t = sum + v; lost = "
     "(t - sum) - v; sum = t; } r = sum;"},
    {"Bezier",
     "S t = S(i) / 256.0; T a = mix(x, y, t), b = mix(y, x * 0.5, t), c = mix(x * 0.5, T(1.0), t); r = mix(mix(a, b, "
     "t), mix(b, c, t), t);"},
    {"Spline",
     "S t = S(i & 15u) / 16.0; T p0 = x, p1 = y, p2 = x + 1.0, p3 = y - 1.0; r = 0.5 * (2.0 * p1 + (p2 - p0) * t + "
     "(2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) * t * t + (3.0 * p1 - p0 - 3.0 * p2 + p3) * t * t * t);"},
    {"Integral",
     "r = T(0.0); for (int k = 0; k < 16; ++k) { T at = x * 0.1 + S(k) / 16.0; r += at * at * (1.0 / 16.0); }"},
    {"Gamma",
     "T c = clamp(abs(x) * 0.05, 0.0, 1.0); r = mix(c * 12.92, 1.055 * pow(c + 1e-6, T(1.0 / 2.4)) - 0.055, "
     "step(T(0.0031308), c));"},
    {"ToneMap", "T c = abs(x); r = clamp((c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);"},
    {"Divided", "r = x / (abs(y) + 0.5) - y / (x * x + 1.0);"},
    {"FunctionOfFunction", "r = shape(shape(x) + y);", "T shape(T v) { return v / (1.0 + abs(v)); }\n"},
    {"ArrayOfFloats",
     "T a[5]; for (int k = 0; k < 5; ++k) a[k] = x * S(k) - y; for (int k = 1; k < 5; ++k) a[k] += a[k - 1]; r = a[i % "
     "5u];"},
    {"Degrees", "r = radians(x) + degrees(y) * 0.01;"},
};

const Body kScalarFloats[] = {
    {"Mandelbrot",
     "vec2 c = vec2(x, y) * 0.1, z = vec2(0.0); int n = 0; while (n < 40 && dot(z, z) < 4.0) { z = vec2(z.x * z.x "
     "- z.y * z.y, 2.0 * z.x * z.y) + c; ++n; } r = S(n > 12 ? 12 : n);"},
    {"Matrix2",
     "mat2 m = mat2(x, y, 1.0, 2.0); vec2 v = m * vec2(y, x) + vec2(1.0, 2.0) * m; r = v.x + v.y * 0.5 + "
     "determinant(m) * 0.125;"},
    {"Matrix3",
     "mat3 m = mat3(1.0, x, 0.0, y, 2.0, 1.0, 0.0, 1.0, 3.0); vec3 v = transpose(m) * (m * vec3(1.0, x, y)); r = "
     "v.x + v.y + v.z;"},
    {"Matrix4",
     "mat4 m = mat4(2.0); m[1] = vec4(x, y, 1.0, 0.0); m[3][int(i & 3u)] = 1.5; vec4 v = m * vec4(1.0, 2.0, x, y); r = "
     "dot(v, vec4(1.0, 0.5, 0.25, 0.125));"},
    {"Inverse",
     "mat3 m = mat3(abs(x) + 9.0, 1.0, 0.5, 1.0, abs(y) + 9.0, 0.25, 0.5, 0.25, 7.0); vec3 v = inverse(m) * vec3(x, y, "
     "1.0); r = v.x + v.y + v.z;"},
    {"OuterProduct",
     "mat3x2 m = outerProduct(vec2(x, y), vec3(1.0, 2.0, 3.0)); vec3 v = vec2(0.5, 0.25) * m; r = v.x + v.y - v.z;"},
    {"MatrixProduct",
     "mat4 a = mat4(1.0), b = mat4(x); a[2][1] = y; b[0][3] = 2.0; mat4 c = matrixCompMult(a * b, b + a); r = c[0][3] "
     "+ c[2][1] + c[3][3];"},
    {"Geometry",
     "vec3 a = vec3(x, y, 1.0), b = vec3(y, 2.0, x); vec3 c = cross(a, b); r = dot(a, b) * 0.01 + length(c) * 0.01 + "
     "distance(a, b);"},
    {"Reflection",
     "vec3 n = normalize(vec3(x, 3.1, y)), d = normalize(vec3(1.0, -2.0, 0.5)); vec3 f = faceforward(n, d, n); vec3 v "
     "= "
     "reflect(d, n) + refract(d, f, 0.75); r = v.x + 2.0 * v.y + 3.0 * v.z;"},
    {"Quaternion",
     "vec4 q = normalize(vec4(x, y, 1.0, 2.0)); vec3 v = vec3(1.0, 2.0, 3.0); vec3 w = v + 2.0 * cross(q.xyz, "
     "cross(q.xyz, "
     "v) + q.w * v); r = w.x + w.y - w.z;"},
    {"SphereHit",
     "vec3 o = vec3(x * 0.1, y * 0.1, -4.0), d = vec3(0.0, 0.0, 1.0); float b = dot(o, d), c = dot(o, o) - 4.0, h = b "
     "* b - c; r "
     "= h < 0.0 ? -1.0 : -b - sqrt(h);"},
    {"BoxHit",
     "vec3 o = vec3(x, y, -30.0), d = normalize(vec3(0.1, 0.2, 1.0)); vec3 a = (vec3(-9.0) - o) / d, b = (vec3(9.0) - "
     "o) / d; "
     "vec3 n = min(a, b), f = max(a, b); float t = max(max(n.x, n.y), n.z), u = min(min(f.x, f.y), f.z); r = t > u ? "
     "-1.0 : t;"},
    {"Hsv",
     "vec3 c = vec3(fract(x * 0.13), 0.6, 0.8); vec3 p = abs(fract(c.xxx + vec3(1.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - "
     "3.0); vec3 v = c.z * "
     "mix(vec3(1.0), clamp(p - 1.0, 0.0, 1.0), c.y); r = dot(v, vec3(0.299, 0.587, 0.114));"},
    {"Packing",
     "uint a = packUnorm4x8(vec4(x, y, 0.3, 0.7) * 0.05), b = packSnorm2x16(vec2(x, y) * 0.04), c = "
     "packHalf2x16(vec2(x, y)); "
     "vec4 u = unpackUnorm4x8(a); vec2 s = unpackSnorm2x16(b), h = unpackHalf2x16(c); r = u.x + u.w + s.x * 2.0 + "
     "h.y;"},
    {"Bits",
     "uint b = floatBitsToUint(x); r = uintBitsToFloat((b & 0x7fffffffu)) + float(int(b >> 23 & 255u) - 127) + "
     "intBitsToFloat(floatBitsToInt(y));"},
    {"Exponent",
     "int e; float m = frexp(abs(x) + 0.25, e); float whole; float part = modf(y, whole); r = ldexp(m, e + 1) + whole "
     "* 4.0 + part;"},
    {"Classified",
     "float z = x - x; float a = isnan(z) ? 5.0 : 1.0; float b = isinf(1.0 / (abs(x) + 1.0)) ? 7.0 : 2.0; r = a * 10.0 "
     "+ b;"},
    {"Conversions",
     "int a = int(x); uint b = uint(abs(y)); bool c = bool(a & 1); r = float(a) * 2.0 + float(b) + float(c);"},
    {"Noise",
     "vec2 p = vec2(x, y) * 0.37, c = floor(p), f = fract(p); f = f * f * (3.0 - 2.0 * f); r = mix(mix(lattice(c), "
     "lattice(c + "
     "vec2(1.0, 0.0)), f.x), mix(lattice(c + vec2(0.0, 1.0)), lattice(c + vec2(1.0)), f.x), f.y);",
     "float lattice(vec2 c) { uint h = uint(int(c.x) + 64) * 73856093u ^ uint(int(c.y) + 64) * 19349663u; h ^= h >> "
     "13; h *= 1274126177u; return "
     "float(h >> 8) / 16777216.0; }\n"},
    {"Swizzles",
     "vec4 v = vec4(x, y, 1.0, 2.0); v.zw = v.yx; v.xy *= v.wz + 1.0; vec3 w = v.wzy; w.x += v[i & 3u]; r = w.x + w.y "
     "* 0.5 + w.z;"},
    {"FloatSwitch",
     "switch (int(i % 5u)) { case 0: r = x; break; case 1: r = y * 2.0; break; case 3: r = x - y; default: r += 4.0; "
     "}"},
    {"StructOfVectors",
     "Ray ray = Ray(vec3(x, 0.0, 1.0), vec3(0.0, y, 1.0)); ray = moved(ray, 0.5); r = dot(ray.at, vec3(1.0, 2.0, "
     "3.0));",
     "struct Ray { vec3 at, along; };\nRay moved(Ray v, float t) { v.at += v.along * t; return v; }\n"},
    {"Median", "float a = x, b = y, c = float(i & 31u) - 9.0; r = max(min(a, b), min(max(a, b), c));"},
    {"Erosion",
     "float low = x; for (int k = -2; k <= 2; ++k) low = min(low, first[uint(int(i) + k) & 255u]); r = low;"},
    {"Convolution",
     "const float w[5] = float[](0.0625, 0.25, 0.375, 0.25, 0.0625); r = 0.0; for (int k = 0; k < 5; ++k) r += w[k] * "
     "first[(i + uint(k) + 254u) & 255u];"},
    {"Newton3",
     "float v = 1.0; for (int k = 0; k < 20; ++k) { float f = v * v * v - abs(x) - 1.0; v -= f / (3.0 * v * v); if "
     "(abs(f) < 1e-6) "
     "break; } r = v;"},
};

/// In shared memory of `kLocal` elements; "own" is the invocation's number in its group. `x` is its element.
const Body kShared[] = {
    {"Reduce",
     "cells[own] = x; barrier(); for (uint k = kLocal / 2u; k > 0u; k >>= 1) { if (own < k) cells[own] += cells[own + "
     "k]; barrier(); } r "
     "= cells[0];"},
    {"Maximum",
     "cells[own] = x; barrier(); for (uint k = kLocal / 2u; k > 0u; k >>= 1) { if (own < k) cells[own] = "
     "max(cells[own], cells[own + k]); "
     "barrier(); } r = cells[0];"},
    {"PrefixSum",
     "cells[own] = x; barrier(); for (uint k = 1u; k < kLocal; k <<= 1) { T v = own >= k ? cells[own - k] : T(0); "
     "barrier(); cells[own] += "
     "v; barrier(); } r = cells[own];"},
    {"Reverse", "cells[own] = x; barrier(); r = cells[kLocal - 1u - own];"},
    {"Rotate",
     "cells[own] = x; barrier(); T v = cells[(own + 5u) % kLocal]; barrier(); cells[own] = v; barrier(); r = "
     "cells[(own + 3u) % kLocal];"},
    {"Stencil",
     "cells[own] = x; barrier(); T l = cells[own == 0u ? 0u : own - 1u], h = cells[min(own + 1u, kLocal - 1u)]; r = l "
     "+ h + cells[own] * "
     "T(2);"},
    {"Transpose", "cells[own] = x; barrier(); r = cells[(own % 8u) * (kLocal / 8u) + own / 8u];"},
    {"RankSort",
     "cells[own] = x; barrier(); uint rank = 0u; for (uint k = 0u; k < kLocal; ++k) if (cells[k] < x || (cells[k] == x "
     "&& k < own)) ++rank; "
     "barrier(); cells[rank] = x; barrier(); r = cells[own];"},
    {"BitonicSort",
     "cells[own] = x; barrier(); for (uint k = 2u; k <= kLocal; k <<= 1) for (uint j = k >> 1; j > 0u; j >>= 1) { uint "
     "o = own ^ j; T a = "
     "cells[own], b = cells[o]; barrier(); bool up = (own & k) == 0u, first = own < o; cells[own] = (first == up) ? "
     "min(a, b) : max(a, b); "
     "barrier(); } r = cells[own];"},
    {"Doubling",
     "cells[own] = x; for (int n = 0; n < 3; ++n) { barrier(); T v = cells[(own * 2u + 1u) % kLocal]; barrier(); "
     "cells[own] = v + T(1); } r = "
     "cells[own];"},
};

/// Counters and flags of shared memory, of integers alone.
const Body kSharedIntegers[] = {
    {"SharedHistogram",
     "cells[own] = T(0); barrier(); atomicAdd(cells[uint(x) & 15u], T(1)); barrier(); r = cells[own & 15u];"},
    {"SharedExtremes",
     "cells[own] = T(0); if (own == 1u) cells[own] = T(0x7fffffff); barrier(); atomicMax(cells[0], x & T(0x7fffffff)); "
     "atomicMin(cells[1], x & T(0x7fffffff)); atomicOr(cells[2], x); atomicXor(cells[3], x); barrier(); r = cells[own "
     "& 3u];"},
    {"SharedCount",
     "if (own < 2u) cells[own] = T(0); barrier(); if ((uint(x) & 3u) == 1u) atomicAdd(cells[0], T(1)); else "
     "atomicAdd(cells[1], x & T(255)); "
     "barrier(); r = cells[0] * T(1000) + cells[1];"},
};

struct Type {
  const char *element, *scalar;
  unsigned components;
};

std::string header(const Type& t, unsigned local) {
  return fmt::format(
      "#version 450\n#define T {0}\n#define S {1}\nlayout(local_size_x = {2}) in;\nconst uint kLocal = {2}u;\n"
      "layout(std430, binding = 0) readonly buffer First {{ T first[]; }};\n"
      "layout(std430, binding = 1) readonly buffer Second {{ T second[]; }};\n"
      "layout(std430, binding = 2) buffer Third {{ T third[]; }};\n",
      t.element, t.scalar, local);
}

ComputeProgram program_of(const Body& b, const Type& t, const std::string& prefix, unsigned local, bool shares) {
  ComputeProgram p;
  p.name = fmt::format("{}{}Of{}By{}", prefix, b.name, t.element, local);
  p.glsl = header(t, local) + (shares ? "shared T cells[kLocal];\n" : "") + b.functions +
           "void main() {\n  uint i = gl_GlobalInvocationID.x, own = gl_LocalInvocationID.x;\n"
           "  T x = first[i], y = second[i], r = T(0);\n  " +
           b.code + "\n  third[i] = r;\n}\n";
  p.floats = std::string(t.scalar) == "float";
  p.visible = t.components;
  p.words = t.components == 3 ? 4 : t.components;
  p.local_size = local;
  return p;
}

/// `code` makes "vec4 c" of "vec2 p", from 0 to 1 over the picture, and "ivec2 at", the pixel.
const Body kPictures[] = {
    {"Gradient", "c = vec4(p, p.x * p.y, 1.0);"},
    {"Checker",
     "bool on = ((at.x / 3 + at.y / 2) & 1) == 0; c = on ? vec4(1.0, 0.5, 0.25, 1.0) : vec4(0.0, 0.125, 0.5, 1.0);"},
    {"Circle", "float d = length(p - 0.5) - 0.3; c = vec4(d, d < 0.0 ? 1.0 : 0.0, d * d, 1.0);"},
    {"Rings", "float d = distance(p, vec2(0.3, 0.6)); c = vec4(vec3(0.5 + 0.5 * sin(d * 20.0)), d);"},
    {"Mandelbrot",
     "vec2 z = vec2(0.0), k = p * 2.5 - vec2(1.8, 1.23); int n = 0; for (; n < 32; ++n) { z = vec2(z.x * z.x - z.y * "
     "z.y, 2.0 * z.x * z.y) + "
     "k; if (dot(z, z) > 4.0) break; } c = vec4(float(n < 8 ? n : 8), 0.0, 0.0, 1.0);"},
    {"Stripes",
     "c = vec4(at.x % 4 == 0 ? 1.0 : 0.0, at.y % 3 == 1 ? 1.0 : 0.0, float(at.x ^ at.y), float(at.x & at.y));"},
    {"Derivatives", "float f = p.x * p.x + p.y * 3.0; c = vec4(dFdxFine(f), dFdyFine(f), 0.0, 1.0);"},
    {"CoarseDerivatives", "vec2 f = vec2(p.x * 2.0 - p.y, p.y * 5.0 + 1.0); c = vec4(dFdx(f), dFdy(f));"},
    {"Width", "c = vec4(fwidth(p.x * 3.0), fwidth(p.y), fwidth(p.x + p.y), 1.0);"},
    {"Discarded", "if (((at.x + at.y) & 3) == 0) discard; c = vec4(p, 0.5, 1.0);"},
    {"DiscardInLoop",
     "int n = 0; for (int k = 0; k < 6; ++k) { n += at.x * k; if (n > 40 && (at.y & 1) != 0) discard; } c = "
     "vec4(float(n));"},
    {"Value", "c = vec4(hash(at.x * 31 + at.y), hash(at.x), hash(at.y), 1.0);",
     "float hash(int n) { uint h = uint(n) * 747796405u + 2891336453u; h = ((h >> ((h >> 28) + 4u)) ^ h) * 277803737u; "
     "return float(h >> 8) / 16777216.0; }\n"},
    {"Lambert",
     "vec2 q = (p - 0.5) * 2.2; float h = 1.0 - dot(q, q); if (h > 0.0) { vec3 n = vec3(q, sqrt(h)); c = "
     "vec4(vec3(max(dot(n, normalize(vec3(1.0, 1.0, "
     "2.0))), 0.0)), 1.0); } else c = vec4(0.1, 0.1, 0.1, 0.0);"},
    {"Phong",
     "vec3 n = normalize(vec3(p - 0.5, 0.6)), l = normalize(vec3(0.5, 0.8, 1.0)), e = vec3(0.0, 0.0, 1.0); float d = "
     "max(dot(n, l), 0.0), s = "
     "pow(max(dot(reflect(-l, n), e), 0.0) + 0.001, 8.0); c = vec4(vec3(0.1) + d * vec3(0.7, 0.5, 0.3) + s, 1.0);"},
    {"Boxes",
     "vec2 d = abs(p - 0.5) - vec2(0.2, 0.35); float o = length(max(d, 0.0)) + min(max(d.x, d.y), 0.0); c = vec4(o, "
     "step(0.0, o), 0.0, 1.0);"},
    {"Union",
     "float a = length(p - vec2(0.3, 0.4)) - 0.2, b = length(p - vec2(0.6, 0.5)) - 0.25; c = vec4(min(a, b), max(a, "
     "b), max(a, -b), 1.0);"},
    {"Rotated",
     "float t = 0.7; vec2 q = mat2(cos(t), sin(t), -sin(t), cos(t)) * (p - 0.5); c = vec4(q, abs(q.x) + abs(q.y), "
     "1.0);"},
    {"Dither",
     "const int bayer[16] = int[](0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5); float t = (float(bayer[(at.y "
     "& 3) * 4 + (at.x & 3)]) + 0.5) / "
     "16.0; c = vec4(step(t, p.x), step(t, p.y), t, 1.0);"},
    {"Palette", "vec3 v = 0.5 + 0.5 * cos(6.28318 * (vec3(1.0) * p.x + vec3(0.0, 0.33, 0.67))); c = vec4(v, 1.0);"},
    {"March",
     "float t = 0.0; int n = 0; vec3 o = vec3(p * 2.0 - 1.0, -2.0); for (int k = 0; k < 8; ++k) { float d = length(o + "
     "vec3(0.0, 0.0, t)) - 0.8; t += d; ++n; } c "
     "= vec4(min(t, 9.0) * 0.1, float(n), 0.0, 1.0);"},
    {"Voronoi",
     "float best = 9.0; for (int k = 0; k < 7; ++k) { vec2 q = vec2(fract(float(k) * 0.618 + 0.1), fract(float(k) * "
     "0.382 + 0.2)); best = min(best, distance(p, "
     "q)); } c = vec4(best, best * best, 0.0, 1.0);"},
    {"Bricks",
     "vec2 q = p * vec2(4.0, 6.0); if ((int(floor(q.y)) & 1) != 0) q.x += 0.5; vec2 f = fract(q + 0.01); c = f.x < "
     "0.12 || f.y < 0.2 ? vec4(0.7) : vec4(0.6, 0.2, "
     "0.1, 1.0);"},
    {"Switched",
     "switch ((at.x >> 1) & 3) { case 0: c = vec4(1.0, 0.0, 0.0, 1.0); break; case 1: c = vec4(p, 0.0, 1.0); case 2: c "
     "+= vec4(0.25); break; default: c = vec4(-1.0); }"},
    {"PixelNumber", "c = vec4(gl_FragCoord.xy, gl_FragCoord.z + gl_FragCoord.w, gl_FrontFacing ? 1.0 : 1.0);"},
    {"Integers",
     "uint h = uint(at.x) * 2654435761u ^ uint(at.y); c = vec4(float(h >> 24), float(h & 255u), float(bitCount(h)), "
     "float(findMSB(h)));"},
    {"Arrays",
     "vec3 list[4]; for (int k = 0; k < 4; ++k) list[k] = vec3(p * float(k), float(k)); c = vec4(list[at.x & 3] + "
     "list[at.y & 3], 1.0);"},
    {"Luminance",
     "vec3 v = vec3(p, 1.0 - p.x); float l = dot(v, vec3(0.2126, 0.7152, 0.0722)); c = vec4(mix(vec3(l), v, 0.4), l);"},
    {"Kernel",
     "float sum = 0.0; for (int y = -1; y <= 1; ++y) for (int x = -1; x <= 1; ++x) sum += float((at.x + x) * (at.y + "
     "y) & 7) * (x == 0 ? 2.0 : 1.0) * (y == 0 ? 2.0 : "
     "1.0); c = vec4(sum / 16.0);"},
    {"Spiral",
     "vec2 q = p - 0.47; float a = atan(q.y, q.x), d = length(q); c = vec4(sin(a * 3.0 + d * 9.0), cos(a), d, 1.0);"},
    {"Ellipse",
     "vec2 q = (p - 0.5) / vec2(0.4, 0.25); float d = dot(q, q); c = vec4(smoothstep(0.5, 1.5, d), d, exp(-d), 1.0);"},
};

/// What fragments of a subgroup learn of each other, where it does not depend on which ones are together.
const Body kSubgroupPictures[] = {
    {"Votes",
     "bool none = subgroupAny(at.x < 0), every = subgroupAll(at.x >= 0), same = subgroupAllEqual(at.x >> 4), some = "
     "false; if (at.y > at.x) { some = subgroupAny(at.y > at.x) && !subgroupAll(at.y < 0); } c = vec4(none ? 1.0 : "
     "0.0, "
     "every ? 1.0 : 0.0, same ? 1.0 : 0.0, some ? 1.0 : 0.0);"},
    {"Elections",
     "float n = subgroupAdd(1.0), chosen = subgroupAdd(subgroupElect() ? 1.0 : 0.0); if (at.x > at.y) { chosen += 10.0 "
     "* "
     "subgroupAdd(subgroupElect() ? 1.0 : 0.0); } c = vec4(subgroupAdd(2.5) / n, chosen, n == "
     "float(subgroupBallotBitCount(subgroupBallot(true))) ? 1.0 : 0.0, subgroupMax(1.5));"},
};

}  // namespace

std::vector<ComputeProgram> compute_programs() {
  constexpr Type kUint{"uint", "uint", 1}, kInt{"int", "int", 1}, kFloat{"float", "float", 1};
  std::vector<ComputeProgram> list;
  for (const Body& b : kIntegers)
    for (const Type& t : {kUint, kInt}) list.push_back(program_of(b, t, "", 64, false));
  for (const Body& b : kIntegerVectors)
    for (const Type& t : {Type{"uvec2", "uint", 2}, Type{"ivec3", "int", 3}, Type{"uvec4", "uint", 4}})
      list.push_back(program_of(b, t, "", 32, false));
  for (const Body& b : kFloats)
    for (const Type& t : {kFloat, Type{"vec3", "float", 3}}) list.push_back(program_of(b, t, "", 64, false));
  for (const Body& b : kScalarFloats) list.push_back(program_of(b, kFloat, "", 64, false));
  for (const Body& b : kShared)
    for (const Type& t : {kUint, kInt, kFloat})
      list.push_back(program_of(b, t, "Shared", t.element[0] == 'u' ? 128 : 32, true));
  for (const Body& b : kSharedIntegers)
    for (const Type& t : {kUint, kInt}) list.push_back(program_of(b, t, "", 64, true));
  return list;
}

std::vector<PictureProgram> picture_programs() {
  std::vector<PictureProgram> list;
  const auto add = [&](const Body& b, const std::string& extensions) {
    list.push_back({b.name, "#version 450\n" + extensions + "layout(location = 0) out vec4 color;\n" + b.functions +
                                "void main() {\n  ivec2 at = ivec2(gl_FragCoord.xy);\n  vec2 p = gl_FragCoord.xy / "
                                "16.0;\n  vec4 c = vec4(0.0);\n  " +
                                b.code + "\n  color = c;\n}\n"});
  };
  for (const Body& b : kPictures) add(b, "");
  for (const Body& b : kSubgroupPictures)
    add(b,
        "#extension GL_KHR_shader_subgroup_vote : require\n#extension GL_KHR_shader_subgroup_ballot : require\n"
        "#extension GL_KHR_shader_subgroup_arithmetic : require\n");
  return list;
}

}  // namespace heddle::test
