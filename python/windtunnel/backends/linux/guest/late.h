/* Packets that take longer than the others and are overtaken: `count` of `size` on average. */
#ifndef WINDTUNNEL_LATE_H
#define WINDTUNNEL_LATE_H

#include <stdint.h>

struct late {
	uint64_t by_ns;	/* 0 where none is */
	int size, count;
};

#endif
