typedef struct { float v[12]; int n; } Stack;
void push(Stack* s, float x) { s->v[s->n % 12] = x; s->n++; }
float sum(Stack* s, int k) { float t = 0; for (int i = 0; i < k; i++) t += s->v[(i * 5) % 12]; return t; }
__kernel void privstack(__global float* o, __global int* idx, int n) {
  Stack a, b; a.n = 0; b.n = 3;
  for (int i = 0; i < 12; i++) { a.v[i] = 0; b.v[i] = i; }
  int g = get_global_id(0);
  Stack* p = (idx[g % n] & 1) ? &a : &b;
  for (int i = 0; i < n; i++) push(p, idx[i] + g);
  o[g] = sum(&a, 7) - 2.0f * sum(&b, 9) + p->n;
}
