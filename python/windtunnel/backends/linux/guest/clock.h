/* The guest's clock: virtual, in nanoseconds since boot. */
#ifndef WINDTUNNEL_CLOCK_H
#define WINDTUNNEL_CLOCK_H

#include <stdint.h>

uint64_t clock_now(void);

/* The wall clock less that of the guest, in nanoseconds: what the kernel stamps on packets is of the former. */
uint64_t clock_epoch(void);

/* A timer for epoll. */
int clock_timer(void);

/* The timer expires at this moment, and nowhere before. */
void clock_arm(int timer, uint64_t at_ns);

#endif
