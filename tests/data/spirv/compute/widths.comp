#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Numbers of 8, 16, 32 and 64 bits: arithmetic, conversions, loads and stores.
layout(local_size_x = 16) in;
layout(std430, set = 0, binding = 0) readonly buffer In { float16_t halves[16]; float singles[16]; double doubles[16]; int16_t shorts[16]; int64_t longs[16]; int8_t bytes[16]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { float16_t half_of[16]; float single_of[16]; double double_of[16]; uint64_t long_of[16]; int narrow_of[16]; };
void main() {
  uint i = gl_LocalInvocationID.x;
  float16_t h = halves[i] * float16_t(0.5) + float16_t(singles[i]);
  half_of[i] = max(h, float16_t(0.0));
  single_of[i] = float(doubles[i]) / singles[i] + float(h);
  double_of[i] = doubles[i] * 3.0lf + double(longs[i]);
  long_of[i] = uint64_t(longs[i] * 5l - int64_t(shorts[i])) >> 3;
  narrow_of[i] = int(shorts[i]) % 7 + int(bytes[i]);
}
