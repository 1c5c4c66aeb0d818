/* SPDX-License-Identifier: MIT */
/* A plugin of qemu-user (qemu 7.2, interface 1): instructions that a program of arm64 executes between its marks (qemu_mark.h), of all
 * its threads. Argument out=FILE: gets a line "MARK INSTRUCTIONS" for each end. ./dev bench quick --arm64 builds it. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "qemu_mark.h"

/* What it takes of qemu's interface, of which Debian packs no header. */
typedef uint64_t Id;
typedef struct Block Block;
typedef void (*OnBlock)(Id id, Block* block);
typedef void (*OnRun)(unsigned processor, void* data);
typedef void (*OnCall)(Id id, unsigned processor, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                       uint64_t a6, uint64_t a7, uint64_t a8);
extern void qemu_plugin_register_vcpu_tb_trans_cb(Id id, OnBlock call);
extern size_t qemu_plugin_tb_n_insns(const Block* block);
extern void qemu_plugin_register_vcpu_tb_exec_cb(Block* block, OnRun call, int flags, void* data);
extern void qemu_plugin_register_vcpu_syscall_cb(Id id, OnCall call);

enum { kVersion = 1, kPrctl = 167 };
int qemu_plugin_version = kVersion;

static _Atomic uint64_t executed;
static char output[4096];

static void on_run(unsigned processor, void* instructions) {
  (void)processor;
  atomic_fetch_add_explicit(&executed, (uint64_t)(uintptr_t)instructions, memory_order_relaxed);
}

static void on_block(Id id, Block* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_cb(block, on_run, 0, (void*)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

static void write_count(uint64_t mark) {
  FILE* file = fopen(output, "a");
  if (file == NULL) return;
  fprintf(file, "%" PRIu64 " %" PRIu64 "\n", mark, atomic_load(&executed));
  fclose(file);
}

static void on_call(Id id, unsigned processor, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                    uint64_t a6, uint64_t a7, uint64_t a8) {
  (void)id, (void)processor, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
  if (number != kPrctl) return;
  if ((uint32_t)a1 == HEDDLE_COUNT_BEGIN) atomic_store(&executed, 0);
  if ((uint32_t)a1 == HEDDLE_COUNT_END) write_count(a2);
}

int qemu_plugin_install(Id id, const void* information, int count, char** arguments) {
  (void)information;
  for (int k = 0; k < count; ++k)
    if (strncmp(arguments[k], "out=", 4) == 0) snprintf(output, sizeof output, "%s", arguments[k] + 4);
  if (output[0] == 0) {
    fprintf(stderr, "qemu_count: out=FILE is missing\n");
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
  qemu_plugin_register_vcpu_syscall_cb(id, on_call);
  return 0;
}
