/*
 * A link whose queue is one of the kernel's disciplines.
 *
 * The rate is HTB's, with one class that owes for the packet on the wire before it takes the next: a packet stays in the discipline until the
 * link is free, and leaves it when its transmission begins. TBF would take it out one transmission earlier (it looks at the head of its
 * child, and a discipline decides as it gives a packet away), and netem takes every packet at once.
 */
#ifndef WINDTUNNEL_DISCIPLINE_H
#define WINDTUNNEL_DISCIPLINE_H

#include <stddef.h>
#include <stdint.h>

#include "plan.h"

/* Hangs HTB at a rate in bytes per second from `parent`; a discipline goes to its only class, `handle` with the minor number 1. */
void discipline_add_rate(int netlink, unsigned device, uint32_t parent, uint32_t handle, uint64_t rate_bytes);

/* Hangs a discipline from `parent`; fails where the plan's words are not its own. */
void discipline_add(int netlink, unsigned device, uint32_t parent, const struct discipline_plan *discipline);

/* The congestion marks in the discipline's own statistics, 0 where it never marks. */
uint64_t discipline_marks(const struct discipline_plan *discipline, const void *statistics, size_t bytes);

#endif
