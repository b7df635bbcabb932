#define _GNU_SOURCE
#include "capture.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cables.h"
#include "fail.h"

#define SECOND_NS 1000000000ull
#define ROOM_BYTES (32 << 20)
#define ROWS_WAITING 1024

static int file = -1;
static int *tap;
static int taps;
static int waiting;
static struct seen rows[ROWS_WAITING];

static void flush(void)
{
	const char *at = (const char *)rows;
	size_t left = waiting * sizeof(rows[0]);

	while (left > 0) {
		ssize_t written = write(file, at, left);

		if (written <= 0)
			fail("packets");
		at += written;
		left -= written;
	}
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

void capture_listen(int namespace)
{
	const int yes = 1, room = ROOM_BYTES;

	namespace_enter(namespace);
	tap = realloc(tap, (taps + 1) * sizeof(*tap));
	if (!tap)
		fail("no memory for %d captures", taps + 1);
	/* What goes out is shown to those only who ask for every protocol. */
	tap[taps] = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ALL));
	if (tap[taps] < 0 || setsockopt(tap[taps], SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) < 0 ||
	    setsockopt(tap[taps], SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes)) < 0)
		fail("a packet socket");
	taps++;
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

static void drain(int socket)
{
	for (;;) {
		uint8_t bytes[SNAP_BYTES], control[CMSG_SPACE(sizeof(struct timespec))];
		struct sockaddr_ll from;
		struct iovec piece = { .iov_base = bytes, .iov_len = sizeof(bytes) };
		struct msghdr message = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &piece, .msg_iovlen = 1,
					  .msg_control = control, .msg_controllen = sizeof(control) };
		const ssize_t length = recvmsg(socket, &message, MSG_TRUNC);
		struct seen *seen;

		if (length < 0)
			return;
		if (from.sll_protocol != htons(ETH_P_IP))
			continue;
		seen = row();
		seen->t_ns = stamp_of(&message);
		seen->length = length;
		seen->kept = length < SNAP_BYTES ? length : SNAP_BYTES;
		memcpy(seen->bytes, bytes, seen->kept);
	}
}

void capture_drain(void)
{
	int i;

	for (i = 0; i < taps; i++)
		drain(tap[i]);
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

		if (getsockopt(tap[i], SOL_PACKET, PACKET_STATISTICS, &counted, &size) < 0)
			fail("a packet socket");
		if (counted.tp_drops)
			fail("%u packets had no room in the capture", counted.tp_drops);
	}
	flush();
	if (fsync(file) < 0 || close(file) < 0)
		fail("packets");
}
