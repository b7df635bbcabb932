/* The peer's dice: splitmix64 (Vigna, public domain), seeded by the script. */
#ifndef WINDTUNNEL_DRAWS_H
#define WINDTUNNEL_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

struct draws {
	uint64_t state;
};

/* True in `ppm` of a million cases. No draw is made where that is never. */
bool draws_happens(struct draws *draws, uint32_t ppm);

#endif
