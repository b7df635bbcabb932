#define _GNU_SOURCE
#include "reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/socket.h>

#include "cables.h"
#include "fail.h"

#define SECOND_NS 1000000000ull
#define NEVER_FULL_BYTES 1073741824ull

void reader_init(struct reader *reader, const struct receiver_plan *plan)
{
	*reader = (struct reader){ .is_reading = plan->reading == READS_AT_ONCE };
}

/* Bytes that the rate has made by the end of so many turns. */
static uint64_t made(const struct receiver_plan *plan, uint64_t turns)
{
	return (unsigned __int128)plan->rate_bps * plan->every_ns * turns / (8 * SECOND_NS);
}

uint64_t reader_turn(struct reader *reader, const struct receiver_plan *plan, uint64_t *bytes)
{
	const uint64_t turn = reader->turns++;

	if (plan->reading == READS_ON_OFF) {
		reader->is_reading = turn % 2 == 0;
		*bytes = reader->is_reading ? NEVER : 0;
		return reader->is_reading ? plan->on_ns : plan->off_ns;
	}
	/* The first read is one interval after the start. */
	*bytes = turn ? made(plan, turn) - made(plan, turn - 1) : 0;
	return plan->every_ns;
}

/* What is allowed to grow, and to what, is the namespace's; a socket takes its first size from there when it is made. */
static void write_sizes(uint64_t first, uint64_t most)
{
	char text[64];

	snprintf(text, sizeof(text), "4096 %" PRIu64 " %" PRIu64, first, most);
	write_file("/proc/sys/net/ipv4/tcp_rmem", text);
}

void reader_before_listening(const struct receiver_plan *plan)
{
	if (!plan->most_bytes)
		return;
	write_file("/proc/sys/net/ipv4/tcp_moderate_rcvbuf", "1");
	write_sizes(plan->buffer_bytes, plan->most_bytes);
}

void reader_after_listening(const struct receiver_plan *plan)
{
	if (plan->most_bytes)
		write_sizes(NEVER_FULL_BYTES, plan->most_bytes);
}

void reader_fix_buffer(int listener, const struct receiver_plan *plan)
{
	/* The kernel doubles what it is asked for. */
	const int half = plan->buffer_bytes / 2;

	if (!plan->most_bytes && setsockopt(listener, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof(half)) < 0)
		fail("SO_RCVBUFFORCE");
}
