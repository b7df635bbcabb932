#ifndef WINDTUNNEL_BURST_H
#define WINDTUNNEL_BURST_H

#include <stdint.h>

/* Loss by a good and a bad state: probabilities, of 2^32; all zero for none. */
struct burst {
	uint32_t to_bad, to_good;	/* that the state turns, per packet */
	uint32_t loss_bad, loss_good;	/* that a packet is lost */
};

#endif
