/* SPDX-License-Identifier: MIT */
/* A plugin of qemu-user (qemu 7.2, interface 1): a model of a machine with as many processors as the program has threads. Threads take
 * turns of kTurn instructions, the one that is furthest behind first, so that all go on alike, on one processor of this machine. Each
 * processor has a cache without limits; a line of 64 bytes that another thread wrote is handed over before it is read, and one that
 * others hold before it is written. Handing over, waking and system calls take time by the constants below; time is counted in
 * instructions. From the mark HEDDLE_COUNT_WARM on threads take turns and lines have owners, between HEDDLE_COUNT_BEGIN and
 * HEDDLE_COUNT_END (qemu_mark.h) all is counted and written to the file of the argument out=FILE. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>

#include "../quick/qemu_mark.h"

/* What it takes of qemu's interface, of which Debian packs no header. */
typedef uint64_t Id;
typedef struct Block Block;
typedef struct Instruction Instruction;
typedef void (*OnBlock)(Id id, Block* block);
typedef void (*OnRun)(unsigned processor, void* data);
typedef void (*OnMemory)(unsigned processor, uint32_t what, uint64_t address, void* data);
typedef void (*OnProcessor)(Id id, unsigned processor);
typedef void (*OnCall)(Id id, unsigned processor, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                       uint64_t a6, uint64_t a7, uint64_t a8);
typedef void (*OnReturn)(Id id, unsigned processor, int64_t number, int64_t result);
extern void qemu_plugin_register_vcpu_tb_trans_cb(Id id, OnBlock call);
extern void qemu_plugin_register_vcpu_init_cb(Id id, OnProcessor call);
extern void qemu_plugin_register_vcpu_exit_cb(Id id, OnProcessor call);
extern void qemu_plugin_register_vcpu_syscall_cb(Id id, OnCall call);
extern void qemu_plugin_register_vcpu_syscall_ret_cb(Id id, OnReturn call);
extern void qemu_plugin_register_vcpu_tb_exec_cb(Block* block, OnRun call, int flags, void* data);
extern void qemu_plugin_register_vcpu_mem_cb(Instruction* instruction, OnMemory call, int flags, int reads_or_writes, void* data);
extern size_t qemu_plugin_tb_n_insns(const Block* block);
extern Instruction* qemu_plugin_tb_get_insn(const Block* block, size_t index);
extern const void* qemu_plugin_insn_data(const Instruction* instruction);
extern size_t qemu_plugin_insn_size(const Instruction* instruction);
extern uint64_t qemu_plugin_insn_vaddr(const Instruction* instruction);
extern unsigned qemu_plugin_mem_size_shift(uint32_t what);
extern bool qemu_plugin_mem_is_store(uint32_t what);

enum { kVersion = 1, kBothWays = 3 };
int qemu_plugin_version = kVersion;

/* Two instructions a cycle at 3 GHz: 6 of them take a nanosecond. */
enum {
  kTransfer = 300,   /* a line from another processor's cache: 50 ns */
  kStreamed = 30,    /* the next one of a row of lines, which processors fetch ahead */
  kPause = 60,       /* the instruction of loops that wait */
  kCall = 600,       /* any system call but for the time */
  kClock = 60,
  kWaker = 6000,     /* one that wakes a thread */
  kSleeper = 30000,  /* until the thread that was woken runs */
  kTurn = 1000,
  kProcessors = 512,
  kLine = 64,
  kPlaces = 1 << 14,
  kShown = 12,       /* lines */
  kPlacesShown = 400
};

enum State { Gone, Away, Waiting, Running };  /* Away: in a system call that may take long */

struct Processor {
  uint64_t clock, turn_began, deadline;
  enum State state;
  bool granted;
  uint64_t futex;          /* that it waits for */
  uint64_t line;           /* that it was handed last */
  uint64_t arrivals;       /* when its call that wakes others began */
  uint64_t instructions, transfers, sleeps, wakes, yields;  /* between the marks */
  pthread_cond_t turn;
};
static struct Processor processors[kProcessors];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int holder = -1;            /* the processor whose turn it is */
static _Atomic bool modeling;      /* threads take turns */
static bool counting;
static uint64_t begin_clock, latest, arrivals, stolen;
static uint64_t alone;  /* time in which one thread ran and all others slept */
static char output[4096];

/* --- lines --- */

/* A block of instructions. */
struct Code {
  uint64_t address, cost;
};
struct Place {  /* an instruction, and how many lines it fetched from others, or for how long it ran alone */
  uint64_t address, count;
};
struct Line {
  uint64_t holders[kProcessors / 64];
  uint64_t last, busy;     /* until when it is being handed over, counted from `last` */
  uint32_t transfers, writer;  /* one more than the processor that wrote it last; 0: nobody */
  uint64_t place;          /* the instruction of the last transfer */
};
enum { kPageBits = 12, kPages = 1 << 20 };
struct Page {
  uint64_t number;
  struct Page* next;
  struct Line lines[(1 << kPageBits) / kLine];
};
static struct Page* pages[kPages];
static struct Place places[kPlaces], alone_places[kPlaces];

static struct Page* page_of(uint64_t number) {
  static struct Page* last;
  if (last != NULL && last->number == number) return last;
  struct Page** const chain = &pages[(number ^ number >> 20) % kPages];
  for (struct Page* page = *chain; page != NULL; page = page->next)
    if (page->number == number) return last = page;
  struct Page* const page = calloc(1, sizeof *page);
  page->number = number;
  page->next = *chain;
  *chain = page;
  return last = page;
}

static void count_place(struct Place* table, uint64_t address, uint64_t count) {
  for (uint64_t at = address * 0x9e3779b97f4a7c15u >> 40, k = 0; k < kPlaces; ++k, ++at) {
    struct Place* const place = &table[at % kPlaces];
    if (place->address == 0) place->address = address;
    if (place->address != address) continue;
    place->count += count;
    return;
  }
}

/* The line is handed over, behind those who asked for it before. */
static void hand_over(struct Processor* p, struct Line* line, uint64_t number, uint64_t place) {
  const uint64_t passed = p->clock > line->last ? p->clock - line->last : 0;
  line->busy = line->busy > passed ? line->busy - passed : 0;
  if (p->clock > line->last) line->last = p->clock;
  line->busy += number == p->line + 1 ? kStreamed : kTransfer;
  p->line = number;
  p->clock += line->busy;
  if (!counting) return;
  ++p->transfers;
  ++line->transfers;
  line->place = place;
  count_place(places, place, 1);
}

static void touch(unsigned number, uint64_t address, bool writes, uint64_t place) {
  struct Line* const line = &page_of(address >> kPageBits)->lines[address % (1 << kPageBits) / kLine];
  const uint64_t bit = (uint64_t)1 << number % 64;
  uint64_t* const word = &line->holders[number / 64];
  const bool has = (*word & bit) != 0;
  if (!writes) {
    if (has) return;
    if (line->writer != 0 && line->writer != number + 1) hand_over(&processors[number], line, address / kLine, place);
    *word |= bit;
    return;
  }
  if (has && line->writer == number + 1) {
    bool alone = true;
    for (int k = 0; k < kProcessors / 64; ++k) alone = alone && line->holders[k] == ((unsigned)k == number / 64 ? bit : 0);
    if (alone) return;
  }
  bool others = line->writer != 0 && line->writer != number + 1 && !has;
  for (int k = 0; k < kProcessors / 64; ++k) {
    others = others || (line->holders[k] & ~((unsigned)k == number / 64 ? bit : 0)) != 0;
    line->holders[k] = 0;
  }
  if (others) hand_over(&processors[number], line, address / kLine, place);
  *word = bit;
  line->writer = number + 1;
}

/* Memory that is given back and taken anew is nobody's. */
static void forget(uint64_t address, uint64_t bytes) {
  for (uint64_t number = address >> kPageBits; number < (address + bytes) >> kPageBits; ++number)
    for (struct Page* page = pages[(number ^ number >> 20) % kPages]; page != NULL; page = page->next)
      if (page->number == number) memset(page->lines, 0, sizeof page->lines);
}

/* --- turns; all under `lock` --- */

static void grant(int to) {
  holder = to;
  if (to < 0) return;
  processors[to].state = Running;
  processors[to].granted = true;
  pthread_cond_signal(&processors[to].turn);
}

static int furthest_behind(void) {
  int found = -1;
  for (int k = 0; k < kProcessors; ++k)
    if (processors[k].state == Waiting && (found < 0 || processors[k].clock < processors[found].clock)) found = k;
  return found;
}

static void set_deadline(struct Processor* p) {
  const int next = furthest_behind();
  p->turn_began = p->clock;
  p->deadline = p->clock + kTurn;
  if (next >= 0 && processors[next].clock + kTurn < p->deadline) p->deadline = processors[next].clock + kTurn;
  if (p->deadline <= p->clock) p->deadline = p->clock + 1;
}

/* Until it is this one's turn. Who has it may wait for something that the model doesn't know (qemu itself stops all processors now
 * and then): where nothing goes on for a while it is taken away. */
static void wait_for_turn(unsigned number) {
  struct Processor* const p = &processors[number];
  p->state = Waiting;
  p->granted = false;
  if (holder < 0) grant(furthest_behind());
  int seen_holder = holder;
  uint64_t seen = holder >= 0 ? processors[holder].clock : 0;
  while (!p->granted && atomic_load(&modeling)) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    if (pthread_cond_timedwait(&p->turn, &lock, &until) == 0 || p->granted) continue;
    if (holder == seen_holder && (holder < 0 || processors[holder].clock == seen)) {
      if (holder >= 0) processors[holder].state = Away;
      ++stolen;
      grant(furthest_behind());
    }
    seen_holder = holder;
    seen = holder >= 0 ? processors[holder].clock : 0;
  }
  p->state = Running;
  set_deadline(p);
}

static void give_up_turn(unsigned number, enum State state) {
  processors[number].state = state;
  if (holder == (int)number) grant(furthest_behind());
}

static void come_back(unsigned number, uint64_t not_before) {
  struct Processor* const p = &processors[number];
  if (p->clock < not_before) p->clock = not_before;
  ++arrivals;
  wait_for_turn(number);
}

static void end_turn(unsigned number, uint64_t address) {
  struct Processor* const p = &processors[number];
  pthread_mutex_lock(&lock);
  if (p->clock > latest) latest = p->clock;
  if (holder != (int)number) {  /* a new thread, or one whose turn was taken away */
    come_back(number, holder >= 0 ? processors[holder].clock : latest);
  } else {
    const int next = furthest_behind();
    if (counting && next < 0 && p->clock - p->turn_began <= 16 * kTurn) {
      alone += p->clock - p->turn_began;
      count_place(alone_places, address, p->clock - p->turn_began);
    }
    if (next >= 0 && processors[next].clock < p->clock) {
      p->state = Waiting;
      grant(next);
      wait_for_turn(number);
    } else {
      set_deadline(p);
    }
  }
  pthread_mutex_unlock(&lock);
}

static void on_run(unsigned number, void* data) {
  if (!atomic_load_explicit(&modeling, memory_order_relaxed)) return;
  const struct Code* const code = data;
  struct Processor* const p = &processors[number];
  p->clock += code->cost;
  if (counting) p->instructions += code->cost;
  if (p->clock >= p->deadline || holder != (int)number) end_turn(number, code->address);
}

static void on_memory(unsigned number, uint32_t what, uint64_t address, void* place) {
  if (!atomic_load_explicit(&modeling, memory_order_relaxed)) return;
  if (holder != (int)number) end_turn(number, 0);
  const bool writes = qemu_plugin_mem_is_store(what);
  const uint64_t last = address + ((uint64_t)1 << qemu_plugin_mem_size_shift(what)) - 1;
  touch(number, address, writes, (uintptr_t)place);
  if (last / kLine != address / kLine) touch(number, last, writes, (uintptr_t)place);
}

/* Copies or fills bytes one after another, and is executed for each of them: processors do 64 at once. */
static bool is_string(const uint8_t* bytes, size_t size) {
  if (size < 2 || bytes[0] != 0xf3) return false;
  const size_t at = (bytes[1] & 0xf0) == 0x40 ? 2 : 1;
  return at < size && (bytes[at] == 0xa4 || bytes[at] == 0xa5 || bytes[at] == 0xaa || bytes[at] == 0xab);
}

static void on_block(Id id, Block* block) {
  (void)id;
  const size_t count = qemu_plugin_tb_n_insns(block);
  size_t cost = count;
  for (size_t k = 0; k < count; ++k) {
    Instruction* const one = qemu_plugin_tb_get_insn(block, k);
    const uint8_t* const bytes = qemu_plugin_insn_data(one);
    const size_t size = qemu_plugin_insn_size(one);
    if (size == 2 && bytes[0] == 0xf3 && bytes[1] == 0x90) cost += kPause;
    if (is_string(bytes, size)) --cost;
    qemu_plugin_register_vcpu_mem_cb(one, on_memory, 0, kBothWays, (void*)(uintptr_t)qemu_plugin_insn_vaddr(one));
  }
  struct Code* const code = malloc(sizeof *code); /* lives as long as the block, which is until the end */
  *code = (struct Code){qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)), cost};
  qemu_plugin_register_vcpu_tb_exec_cb(block, on_run, 0, code);
}

/* --- threads and system calls --- */

static void on_begin(Id id, unsigned number) {
  (void)id;
  pthread_mutex_lock(&lock);
  struct Processor* const p = &processors[number % kProcessors];
  const uint64_t clock = holder >= 0 ? processors[holder].clock : latest;
  memset(p, 0, offsetof(struct Processor, turn));
  pthread_cond_init(&p->turn, NULL);
  p->clock = clock + kSleeper;
  p->state = Away;
  pthread_mutex_unlock(&lock);
}
static void on_exit_of(Id id, unsigned number) {
  (void)id;
  pthread_mutex_lock(&lock);
  give_up_turn(number, Gone);
  pthread_mutex_unlock(&lock);
}

static int by_count(const void* a, const void* b) {
  const uint64_t x = ((const struct Place*)a)->count, y = ((const struct Place*)b)->count;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void write_places(FILE* file, const char* word, struct Place* table) {
  qsort(table, kPlaces, sizeof table[0], by_count);
  for (int k = 0; k < kPlacesShown && table[k].count != 0; ++k)
    fprintf(file, "%s %" PRIx64 " %" PRIu64 "\n", word, table[k].address, table[k].count);
}

static void begin_counting(unsigned number) {
  for (size_t k = 0; k < kPages; ++k)
    for (struct Page* page = pages[k]; page != NULL; page = page->next)
      for (size_t l = 0; l < sizeof page->lines / sizeof page->lines[0]; ++l) page->lines[l].transfers = 0;
  memset(places, 0, sizeof places);
  memset(alone_places, 0, sizeof alone_places);
  for (int k = 0; k < kProcessors; ++k) {
    struct Processor* const p = &processors[k];
    p->instructions = p->transfers = p->sleeps = p->wakes = p->yields = 0;
  }
  stolen = alone = 0;
  begin_clock = processors[number].clock;
  counting = true;
}

static void end_counting(unsigned number) {
  counting = false;
  FILE* const file = fopen(output, "a");
  if (file == NULL) return;
  uint64_t instructions = 0, most = 0, transfers = 0, sleeps = 0, wakes = 0, yields = 0;
  int worked = 0;
  for (int k = 0; k < kProcessors; ++k) {
    const struct Processor* const p = &processors[k];
    instructions += p->instructions;
    transfers += p->transfers;
    sleeps += p->sleeps;
    wakes += p->wakes;
    yields += p->yields;
    if (p->instructions > most) most = p->instructions;
    if (p->instructions > 0) ++worked;
  }
  fprintf(file, "elapsed %" PRIu64 " instructions %" PRIu64 " most %" PRIu64 " worked %d transfers %" PRIu64 " sleeps %" PRIu64
                " wakes %" PRIu64 " yields %" PRIu64 " stolen %" PRIu64 " alone %" PRIu64 "\n",
          processors[number].clock - begin_clock, instructions, most, worked, transfers, sleeps, wakes, yields, stolen, alone);
  static struct Place hot[kShown];
  memset(hot, 0, sizeof hot);
  static uint64_t by[kShown];
  for (size_t k = 0; k < kPages; ++k)
    for (struct Page* page = pages[k]; page != NULL; page = page->next)
      for (size_t l = 0; l < sizeof page->lines / sizeof page->lines[0]; ++l) {
        int at = kShown;
        while (at > 0 && page->lines[l].transfers > hot[at - 1].count) --at;
        if (at == kShown) continue;
        memmove(&hot[at + 1], &hot[at], sizeof hot[0] * (size_t)(kShown - 1 - at));
        memmove(&by[at + 1], &by[at], sizeof by[0] * (size_t)(kShown - 1 - at));
        hot[at] = (struct Place){(page->number << kPageBits) + l * kLine, page->lines[l].transfers};
        by[at] = page->lines[l].place;
      }
  for (int k = 0; k < kShown && hot[k].count != 0; ++k)
    fprintf(file, "line %" PRIx64 " %" PRIu64 " %" PRIx64 "\n", hot[k].address, hot[k].count, by[k]);
  write_places(file, "place", places);
  write_places(file, "alone", alone_places);
  fclose(file);
}

static bool may_take_long(int64_t number, uint64_t what) {
  switch (number) {
    case SYS_futex:
      what &= FUTEX_CMD_MASK;
      return what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET || what == FUTEX_LOCK_PI;
    case SYS_read:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_recvmsg:
    case SYS_recvfrom:
    case SYS_accept4:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_exit:
    case SYS_exit_group:
    case SYS_flock:
      return true;
    default:
      return false;
  }
}
static bool wakes(int64_t number, uint64_t what) {
  what &= FUTEX_CMD_MASK;
  return number == SYS_futex && (what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET || what == FUTEX_REQUEUE || what == FUTEX_WAKE_OP ||
                                 what == FUTEX_CMP_REQUEUE);
}

/* Who woke those that waited for a futex, and when. */
enum { kWoken = 64 };
static struct {
  uint64_t futex, clock;
} woken[kWoken];
static unsigned next_woken;

static void on_call(Id id, unsigned number, int64_t call, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                    uint64_t a7, uint64_t a8) {
  (void)id, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
  struct Processor* const p = &processors[number];
  if (call == SYS_prctl && (uint32_t)a1 == HEDDLE_COUNT_WARM) {
    pthread_mutex_lock(&lock);
    p->clock = latest;
    atomic_store(&modeling, true);
    holder = (int)number;
    p->state = Running;
    set_deadline(p);
    pthread_mutex_unlock(&lock);
    return;
  }
  if (!atomic_load(&modeling)) return;
  if (holder != (int)number) end_turn(number, 0);
  pthread_mutex_lock(&lock);
  if (call == SYS_prctl && (uint32_t)a1 == HEDDLE_COUNT_BEGIN) begin_counting(number);
  if (call == SYS_prctl && (uint32_t)a1 == HEDDLE_COUNT_END) {
    end_counting(number);
    atomic_store(&modeling, false);
    for (int k = 0; k < kProcessors; ++k) pthread_cond_broadcast(&processors[k].turn);
    pthread_mutex_unlock(&lock);
    return;
  }
  p->clock += call == SYS_clock_gettime ? kClock : kCall; /* which is no call where there is no qemu */
  p->futex = 0;
  if (call == SYS_munmap || call == SYS_madvise) forget(a1, a2);
  if (call == SYS_sched_yield) ++p->yields;
  if (wakes(call, a2)) {
    ++p->wakes;
    p->arrivals = arrivals;
    woken[next_woken].futex = a1;
    woken[next_woken].clock = p->clock;
    next_woken = (next_woken + 1) % kWoken;
  }
  if (may_take_long(call, a2)) {
    if (call == SYS_futex) ++p->sleeps, p->futex = a1;
    if (p->clock > latest) latest = p->clock;
    give_up_turn(number, Away);
  }
  pthread_mutex_unlock(&lock);
}

static void on_return(Id id, unsigned number, int64_t call, int64_t result) {
  (void)id;
  if (!atomic_load(&modeling)) return;
  struct Processor* const p = &processors[number];
  pthread_mutex_lock(&lock);
  if (p->state == Away) {
    uint64_t since = holder >= 0 ? processors[holder].clock : latest;
    if (p->futex != 0 && result == 0) {
      for (size_t k = 0; k < kWoken; ++k) {
        const size_t at = (next_woken + kWoken - 1 - k) % kWoken;
        if (woken[at].futex != p->futex) continue;
        since = woken[at].clock;
        break;
      }
      since += kSleeper;
    }
    come_back(number, since);
  } else if (call == SYS_futex && result > 0 && p->arrivals <= arrivals && holder == (int)number) {
    /* Those that it woke come back before it goes on: they are as far as it is, and this machine may be slow. */
    p->clock += kWaker;
    const uint64_t enough = p->arrivals + (uint64_t)result;
    for (int look = 0; look < 2500 && arrivals < enough; ++look) {
      pthread_mutex_unlock(&lock);
      usleep(look < 10 ? 20 : 200);
      pthread_mutex_lock(&lock);
    }
    p->arrivals = UINT64_MAX;
    set_deadline(p);
  }
  pthread_mutex_unlock(&lock);
}

int qemu_plugin_install(Id id, const void* information, int count, char** arguments) {
  (void)information;
  for (int k = 0; k < count; ++k)
    if (strncmp(arguments[k], "out=", 4) == 0) snprintf(output, sizeof output, "%s", arguments[k] + 4);
  if (output[0] == 0) {
    fprintf(stderr, "qemu_machine: out=FILE is missing\n");
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
  qemu_plugin_register_vcpu_init_cb(id, on_begin);
  qemu_plugin_register_vcpu_exit_cb(id, on_exit_of);
  qemu_plugin_register_vcpu_syscall_cb(id, on_call);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
  return 0;
}
