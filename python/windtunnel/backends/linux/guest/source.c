#include "source.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "fail.h"
#include "records.h"
#include "sampling.h"

#define PORT 1000
#define HEADER_BYTES 28
#define ROOM_BYTES (1 << 30)	/* of packets that wait at the link */

static char data[FULL_PACKET_BYTES];

static int udp_socket(void)
{
	int udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (udp < 0)
		fail("socket");
	return udp;
}

/* The receiver refuses every packet: the kernel counts them, and nobody has to fetch them. */
static int refusing_socket(const struct sockaddr_in *address)
{
	struct sock_filter none = BPF_STMT(BPF_RET | BPF_K, 0);
	const struct sock_fprog filter = { .len = 1, .filter = &none };
	int udp = udp_socket();

	if (setsockopt(udp, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0)
		fail("SO_ATTACH_FILTER");
	if (bind(udp, (const struct sockaddr *)address, sizeof(*address)) < 0)
		fail("bind");
	return udp;
}

void source_open(struct source *source, const struct topology *topology)
{
	const enum direction direction = source->plan->direction;
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = htons(PORT + source->index),
					     .sin_addr.s_addr = htonl(topology_receiver(direction)) };
	const int room = ROOM_BYTES;

	namespace_enter(topology_receiving(topology, direction));
	source->receiver = refusing_socket(&address);
	namespace_enter(topology->router[direction]);
	source->sender = udp_socket();
	if (setsockopt(source->sender, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) < 0)
		fail("SO_SNDBUFFORCE");
	if (connect(source->sender, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fail("connect");
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

static void send_packet(struct source *source, const struct plan *plan)
{
	const uint64_t begin_ns = source->zero_ns + source->plan->start_ns;
	const uint64_t end_ns = sooner(source->plan->stop_ns, plan->duration_ns);
	const uint64_t next_ns = pace_next(&source->pace, source->due_at - begin_ns) + source->plan->start_ns;

	/* A packet that its link's queue refuses is sent, as far as a socket knows. */
	if (send(source->sender, data, source->plan->packet_bytes - HEADER_BYTES, MSG_DONTWAIT) < 0)
		fail("a source's packet");
	source->sent++;
	source->due_at = next_ns < end_ns ? source->zero_ns + next_ns : NEVER;
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
		send_packet(source, plan);
}

void source_close(struct source *source, const struct plan *plan)
{
	struct row *row;

	count(source);
	row = totals(source, WINDOW_ENDS, plan->duration_ns);
	row->value[1] = source->arrived_in_time;
	row->value[3] = source->sent - source->arrived;
}
