/* SPDX-License-Identifier: MIT */
#pragma once
/* Operations of prctl that no system has, between a counted program and qemu_count.c: the next argument of the second is its number. */
#define HEDDLE_COUNT_BEGIN 0x68650001
#define HEDDLE_COUNT_END 0x68650002
/* The third comes before both, for bench/scaling/qemu_machine.c: threads take turns from here on. */
#define HEDDLE_COUNT_WARM 0x68650003
