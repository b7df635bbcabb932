#include "clock.h"

#include <sys/timerfd.h>
#include <time.h>

#include "fail.h"

#define SECOND_NS 1000000000ull
#define GRAIN_NS 256

uint64_t clock_now(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) < 0)
		fail("clock");
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

uint64_t clock_epoch(void)
{
	struct timespec now;
	uint64_t before = clock_now();

	/* Each reading costs one grain of the clock. */
	if (clock_gettime(CLOCK_REALTIME, &now) < 0)
		fail("clock");
	return now.tv_sec * SECOND_NS + now.tv_nsec - before - GRAIN_NS;
}

int clock_timer(void)
{
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (timer < 0)
		fail("timerfd");
	return timer;
}

void clock_arm(int timer, uint64_t at_ns)
{
	const struct itimerspec at = { .it_value = { .tv_sec = at_ns / SECOND_NS, .tv_nsec = at_ns % SECOND_NS } };

	if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL) < 0)
		fail("timerfd");
}
