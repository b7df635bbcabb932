#define _GNU_SOURCE
#include "source.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/net_tstamp.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "datagrams.h"
#include "fail.h"
#include "records.h"
#include "sampling.h"

#define PORT 1000
#define ROOM_BYTES (1 << 30)	/* of packets that wait */
#define BATCH 256
#define AHEAD_NS 1000000000ull	/* fq takes packets for the next ten seconds */

static char data[1 << 16];

static int clocked_socket(const struct sockaddr_in *address)
{
	const struct sock_txtime times = { .clockid = CLOCK_MONOTONIC };
	const int room = ROOM_BYTES;
	int udp = udp_socket();

	if (setsockopt(udp, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) < 0)
		fail("SO_SNDBUFFORCE");
	if (setsockopt(udp, SOL_SOCKET, SO_TXTIME, &times, sizeof(times)) < 0)
		fail("SO_TXTIME");
	if (connect(udp, (const struct sockaddr *)address, sizeof(*address)) < 0)
		fail("connect");
	return udp;
}

void source_open(struct source *source, const struct topology *topology, int clockwork)
{
	const enum direction direction = source->plan->direction;
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = htons(PORT + source->index),
					     .sin_addr.s_addr = htonl(topology_receiver(direction, &source->plan->stretch)) };

	namespace_enter(topology_receiving(topology, direction, &source->plan->stretch));
	source->receiver = refusing_socket(&address);
	namespace_enter(clockwork);
	source->sender = clocked_socket(&address);
	source->pace.plan = source->plan;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void source_schedule(struct source *source, const struct plan *plan, uint64_t zero_ns)
{
	const uint64_t start_ns = source->plan->start_ns, sample_ns = plan->sample_ns;

	source->zero_ns = zero_ns;
	source->due_at = zero_ns + start_ns;
	source->sample_at = sample_ns ? zero_ns + (start_ns + sample_ns - 1) / sample_ns * sample_ns : NEVER;
	source->warm_at = zero_ns + later(plan->warmup_ns, start_ns);
	source->end_at = zero_ns + plan->duration_ns;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t source_next(const struct source *source)
{
	return sooner(sooner(source->due_at, source->sample_at), sooner(source->warm_at, source->end_at));
}

static void count(struct source *source)
{
	uint32_t memory[SK_MEMINFO_VARS];
	socklen_t size = sizeof(memory);

	if (getsockopt(source->receiver, SOL_SOCKET, SO_MEMINFO, memory, &size) < 0)
		fail("SO_MEMINFO");
	/* The kernel's counter has 32 bits. */
	source->arrived += (uint32_t)(memory[SK_MEMINFO_DROPS] - (uint32_t)source->arrived);
}

/* A packet's one control message: when it leaves. */
union control {
	char bytes[CMSG_SPACE(sizeof(uint64_t))];
	struct cmsghdr aligned;
};

static struct mmsghdr packet[BATCH];
static union control control[BATCH];

static void put_packet(int place, struct iovec *payload, uint64_t leaves_at)
{
	struct msghdr *header = &packet[place].msg_hdr;
	struct cmsghdr *time;

	*header = (struct msghdr){ .msg_iov = payload, .msg_iovlen = 1, .msg_control = &control[place], .msg_controllen = sizeof(control[place]) };
	time = CMSG_FIRSTHDR(header);
	time->cmsg_level = SOL_SOCKET;
	time->cmsg_type = SCM_TXTIME;
	time->cmsg_len = CMSG_LEN(sizeof(leaves_at));
	memcpy(CMSG_DATA(time), &leaves_at, sizeof(leaves_at));
}

static uint64_t following(struct source *source, const struct plan *plan)
{
	const uint64_t begin_at = source->zero_ns + source->plan->start_ns;
	const uint64_t end_at = source->zero_ns + sooner(source->plan->stop_ns, plan->duration_ns);
	const uint64_t next_at = begin_at + pace_next(&source->pace, source->due_at - begin_at);

	return next_at < end_at ? next_at : NEVER;
}

/* Those of the time to come, but for what is counted apart: the measurement window's. */
static void send_packets(struct source *source, const struct plan *plan)
{
	const uint64_t until = sooner(source->due_at + AHEAD_NS, source->warm_at);
	struct iovec payload = { .iov_base = data, .iov_len = source->plan->packet_bytes - UDP_HEADER_BYTES };
	int packets = 0, taken, more;

	for (; packets < BATCH && source->due_at < until; packets++) {
		put_packet(packets, &payload, source->due_at);
		source->due_at = following(source, plan);
	}
	/* A packet that its link's queue refuses is sent, as far as a socket knows. */
	for (taken = 0; taken < packets; taken += more) {
		more = sendmmsg(source->sender, packet + taken, packets - taken, MSG_DONTWAIT);
		if (more <= 0)
			fail("a source's packets");
	}
	source->sent += packets;
}

static struct row *totals(const struct source *source, enum window_end end, uint64_t t_ns)
{
	struct row *row = records_row(ROW_SOURCE_TOTALS, source->index, t_ns);

	row->value[0] = end;
	row->value[2] = source->sent;
	return row;
}

void source_run(struct source *source, const struct plan *plan, uint64_t at)
{
	const uint64_t t_ns = at - source->zero_ns;

	if (sooner(source->sample_at, sooner(source->warm_at, source->end_at)) <= at)
		count(source);
	if (source->sample_at <= at) {
		records_row(ROW_SOURCE, source->index, t_ns)->value[0] = source->arrived;
		source->sample_at += plan->sample_ns;
		if (source->sample_at > source->end_at)
			source->sample_at = NEVER;
	}
	if (source->warm_at <= at) {
		totals(source, WINDOW_BEGINS, t_ns)->value[1] = source->arrived;
		source->warm_at = NEVER;
	}
	if (source->end_at <= at) {
		source->arrived_in_time = source->arrived;
		source->end_at = NEVER;
	}
	if (source->due_at <= at)
		send_packets(source, plan);
}

void source_close(struct source *source, const struct plan *plan)
{
	struct row *row;

	count(source);
	row = totals(source, WINDOW_ENDS, plan->duration_ns);
	row->value[1] = source->arrived_in_time;
	row->value[3] = source->sent - source->arrived;
}
