#define _GNU_SOURCE
#include "capture.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cables.h"
#include "fail.h"
#include "whole.h"

#define SECOND_NS 1000000000ull
#define ROOM_BYTES (32 << 20)
#define ROWS_WAITING 1024
#define IP_SOURCE 12
#define IP_DESTINATION 16
#define INSTRUCTIONS_MOST 8

struct tap {
	int socket;
	enum place_of_capture place;
};

static int file = -1;
static struct tap *tap;
static int taps;
static int waiting;
static struct seen rows[ROWS_WAITING];

static void flush(void)
{
	write_whole(file, rows, waiting * sizeof(rows[0]), "packets");
	waiting = 0;
}

static struct seen *row(void)
{
	if (waiting == ROWS_WAITING)
		flush();
	memset(&rows[waiting], 0, sizeof(rows[0]));
	return &rows[waiting++];
}

void capture_open(const char *path, uint64_t zero_ns)
{
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (file < 0)
		fail("%s", path);
	row()->t_ns = zero_ns;
}

/* The rest of a filter: whether the word at `offset` is the address. */
static int compare(struct sock_filter *at, uint32_t offset, uint32_t address)
{
	at[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset);
	at[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, address, 0, 1);
	at[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	at[3] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	return 4;
}

/* Which packets wait in a tap's socket: what leaves is told from what comes before any address is looked at. */
static void filter(int socket, const struct tap_plan *plan)
{
	struct sock_filter program[2 + INSTRUCTIONS_MOST] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + SKF_AD_PKTTYPE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 0, 4),
	};
	const uint32_t nobody = 0;
	struct sock_fprog whole = { .filter = program, .len = 2 };

	if (plan->seen == ALL_THERE)
		return;
	whole.len += compare(program + whole.len, IP_SOURCE, plan->seen == COMING ? nobody : plan->address);
	whole.len += compare(program + whole.len, IP_DESTINATION, plan->seen == LEAVING ? nobody : plan->address);
	if (setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &whole, sizeof(whole)) < 0)
		fail("the filter of a packet socket");
}

void capture_listen(const struct tap_plan *plan)
{
	const int yes = 1, room = ROOM_BYTES;
	/* What goes out is shown to those only who ask for every protocol. */
	struct sockaddr_ll where = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = plan->device };
	int made;

	namespace_enter(plan->namespace);
	tap = realloc(tap, (taps + 1) * sizeof(*tap));
	if (!tap)
		fail("no memory for %d captures", taps + 1);
	made = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (made < 0 || setsockopt(made, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) < 0 ||
	    setsockopt(made, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes)) < 0)
		fail("a packet socket");
	filter(made, plan);
	if (bind(made, (struct sockaddr *)&where, sizeof(where)) < 0)
		fail("a packet socket");
	tap[taps++] = (struct tap){ .socket = made, .place = plan->place };
}

static uint64_t stamp_of(struct msghdr *message)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(message);
	struct timespec at;

	if (!part || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SO_TIMESTAMPNS)
		fail("a packet without its time");
	memcpy(&at, CMSG_DATA(part), sizeof(at));
	return at.tv_sec * SECOND_NS + at.tv_nsec;
}

static void drain(const struct tap *tap)
{
	for (;;) {
		uint8_t bytes[SNAP_BYTES], control[CMSG_SPACE(sizeof(struct timespec))];
		struct sockaddr_ll from;
		struct iovec piece = { .iov_base = bytes, .iov_len = sizeof(bytes) };
		struct msghdr message = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &piece, .msg_iovlen = 1,
					  .msg_control = control, .msg_controllen = sizeof(control) };
		const ssize_t length = recvmsg(tap->socket, &message, MSG_TRUNC);
		struct seen *seen;

		if (length < 0)
			return;
		if (from.sll_protocol != htons(ETH_P_IP))
			continue;
		seen = row();
		seen->t_ns = stamp_of(&message);
		seen->length = length;
		seen->kept = length < SNAP_BYTES ? length : SNAP_BYTES;
		seen->place = tap->place;
		memcpy(seen->bytes, bytes, seen->kept);
	}
}

void capture_drain(void)
{
	int i;

	for (i = 0; i < taps; i++)
		drain(&tap[i]);
}

void capture_close(void)
{
	int i;

	if (!taps)
		return;
	capture_drain();
	for (i = 0; i < taps; i++) {
		struct tpacket_stats counted;
		socklen_t size = sizeof(counted);

		if (getsockopt(tap[i].socket, SOL_PACKET, PACKET_STATISTICS, &counted, &size) < 0)
			fail("a packet socket");
		if (counted.tp_drops)
			fail("%u packets had no room in the capture", counted.tp_drops);
	}
	flush();
	if (fsync(file) < 0 || close(file) < 0)
		fail("packets");
}
