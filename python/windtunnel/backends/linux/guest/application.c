#include "application.h"

#define SECOND_NS 1000000000ull

void application_init(struct application *application, const struct flow_plan *flow)
{
	*application = (struct application){ .offered = flow->writes.writing == WRITES_ALWAYS ? NEVER : 0 };
}

/* Bytes that the rate has made by the end of the chunk under way. */
static uint64_t made(const struct application *application, const struct writes_plan *writes)
{
	const unsigned __int128 bits = (unsigned __int128)writes->rate_bps * writes->every_ns * application->turns / SECOND_NS;

	return bits / 8 < NEVER ? bits / 8 : NEVER;
}

uint64_t application_turn(struct application *application, const struct flow_plan *flow)
{
	const struct writes_plan *writes = &flow->writes;
	const uint64_t payload = flow->packet_bytes - HEADER_BYTES;
	uint64_t bytes, segments;

	application->turns++;
	if (writes->writing == WRITES_ON_OFF) {
		application->offered = application->turns % 2 ? NEVER : 0;
		return application->turns % 2 ? writes->on_ns : writes->off_ns;
	}
	bytes = made(application, writes);
	if (bytes >= flow->bytes) {
		application->offered = NEVER;
		return NEVER;
	}
	/* What fills no segment waits for the next chunk. */
	segments = bytes / payload;
	application->offered += (segments - application->segments) * payload;
	application->segments = segments;
	return writes->every_ns;
}
