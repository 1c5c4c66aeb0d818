#version 450
// Atomic operations on a buffer and on shared memory: 64 invocations each add, take the extreme, exchange.
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer In { int values[]; };
layout(std430, set = 0, binding = 1) buffer Totals { int sum; uint most; int least; uint mask_and; uint mask_or; uint mask_xor; int last; uint count; int difference; } totals;
layout(std430, set = 0, binding = 2) buffer Out { uint old[]; };
shared uint tickets;
shared int shared_sum;
shared int shared_least;
shared uint slots[64];
void main() {
  uint i = gl_GlobalInvocationID.x, n = gl_LocalInvocationIndex;
  if (n == 0u) {
    tickets = 0u;
    shared_sum = 0;
    shared_least = 2147483647;
  }
  slots[n] = 0u;
  barrier();
  int v = values[i];
  atomicAdd(totals.sum, v);
  atomicMax(totals.most, uint(v));
  atomicMin(totals.least, v);
  atomicAnd(totals.mask_and, uint(v));
  atomicOr(totals.mask_or, uint(v));
  atomicXor(totals.mask_xor, uint(v));
  atomicExchange(totals.last, 77);
  uint ticket = 0u;
  if ((v & 1) != 0) {  // some lanes only
    ticket = atomicAdd(tickets, 1u) + 1u;
    atomicAdd(totals.count, 1u);
  }
  atomicAdd(shared_sum, v);
  atomicMin(shared_least, v);
  // One of all that ask for a slot gets it.
  uint got = atomicCompSwap(slots[uint(v) % 8u], 0u, n + 1u);
  barrier();
  old[i * 5u] = ticket;
  old[i * 5u + 1u] = uint(shared_sum);
  old[i * 5u + 2u] = got;
  old[i * 5u + 3u] = slots[uint(v) % 8u];
  old[i * 5u + 4u] = uint(shared_least);
}
