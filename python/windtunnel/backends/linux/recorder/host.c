#define _GNU_SOURCE
#include "host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/inet_diag.h>
#include <linux/rtnetlink.h>
#include <linux/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "message.h"
#include "netlink.h"

#define SECOND_NS 1000000000ull
#define BUFFER_BYTES (256 << 20)
#define TOO_OLD "the kernel knows no %s: it was built by an older windtunnel; build it again: windtunnel kernel build"

static void write_file(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);

	if (file < 0 || write(file, text, strlen(text)) < 0)
		fail("%s = %s", path, text);
	close(file);
}

static void write_number(const char *path, unsigned value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	write_file(path, text);
}

/* No history, and buffers that never limit; then what the script asks for. */
static void configure(const struct script *script)
{
	write_file("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
	write_file("/proc/sys/net/ipv4/tcp_wmem", "4096 67108864 1073741824");
	write_number("/proc/sys/net/ipv4/tcp_sack", script->sack);
	write_number("/proc/sys/net/ipv4/tcp_timestamps", script->timestamps);
	write_number("/proc/sys/net/ipv4/tcp_ecn", script->ecn ? 1 : 0);
	write_number("/proc/sys/net/ipv4/tcp_early_retrans", script->probe ? 3 : 0);
	write_number("/proc/sys/net/ipv4/tcp_frto", script->frto ? 2 : 0);
	write_number("/proc/sys/net/ipv4/tcp_slow_start_after_idle", script->idle);
	if (strcmp(script->algorithm, "cubic") == 0)
		write_number("/sys/module/tcp_cubic/parameters/hystart", script->hystart);
}

static void open_tunnel(struct host *host, struct ifreq *request)
{
	host->tunnel = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (host->tunnel < 0)
		fail(TOO_OLD, "TUN device");
	*request = (struct ifreq){ .ifr_flags = IFF_TUN | IFF_NO_PI };
	strcpy(request->ifr_name, "peer");
	if (ioctl(host->tunnel, TUNSETIFF, request) < 0)
		fail("TUNSETIFF");
}

/* One segment at a time, as it is on the wire. */
static void plug(unsigned device, uint32_t initial_window)
{
	struct message message;
	struct ifinfomsg *body = message_begin(&message, RTM_NEWLINK, 0, sizeof(*body));
	int netlink = netlink_open();

	body->ifi_index = device;
	message_put_u32(&message, IFLA_GSO_MAX_SEGS, 1);
	message_ask(netlink, &message, "one segment at a time");
	netlink_set_up(netlink, device);
	netlink_add_address(netlink, device, KERNEL_ADDRESS);
	netlink_add_route(netlink, &(struct route){ .device = device, .initial_window = initial_window });
	close(netlink);
}

static void open_tap(struct host *host, unsigned device)
{
	const struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = device };
	const int on = 1, bytes = BUFFER_BYTES;

	host->tap = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ALL));
	if (host->tap < 0)
		fail(TOO_OLD, "packet socket");
	if (bind(host->tap, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    setsockopt(host->tap, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) < 0 ||
	    setsockopt(host->tap, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0 ||
	    setsockopt(host->tap, SOL_PACKET, PACKET_IGNORE_OUTGOING, &(int){ 0 }, sizeof(int)) < 0)
		fail("packet socket");
}

static void set(int socket, int level, int name, int value)
{
	if (setsockopt(socket, level, name, &value, sizeof(value)) < 0)
		fail("socket option %d = %d", name, value);
}

static void open_socket(struct host *host, const struct script *script)
{
	const uint64_t pacing = script->pacing;

	host->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (host->socket < 0)
		fail("socket");
	if (setsockopt(host->socket, IPPROTO_TCP, TCP_CONGESTION, script->algorithm, strlen(script->algorithm)) < 0)
		fail("no algorithm %s", script->algorithm);
	set(host->socket, IPPROTO_TCP, TCP_NODELAY, 1);
	set(host->socket, IPPROTO_TCP, TCP_QUICKACK, 0);
	set(host->socket, SOL_SOCKET, SO_SNDBUFFORCE, BUFFER_BYTES);
	if (pacing && setsockopt(host->socket, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing, sizeof(pacing)) < 0)
		fail("SO_MAX_PACING_RATE");
}

void host_open(struct host *host, const struct script *script)
{
	struct ifreq request;
	int plain;

	host->home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (host->home < 0 || unshare(CLONE_NEWNET) < 0)
		fail("namespace");
	configure(script);
	open_tunnel(host, &request);
	plain = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (plain < 0 || ioctl(plain, SIOCGIFINDEX, &request) < 0)
		fail("SIOCGIFINDEX");
	close(plain);
	plug(request.ifr_ifindex, script->initial_window);
	open_tap(host, request.ifr_ifindex);
	open_socket(host, script);
}

void host_close(struct host *host)
{
	const struct linger at_once = { .l_onoff = 1 };

	setsockopt(host->socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(host->socket);
	close(host->tap);
	close(host->tunnel);
	if (setns(host->home, CLONE_NEWNET) < 0)
		fail("setns");
	close(host->home);
}

void host_connect(const struct host *host)
{
	const struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = htons(PEER_PORT), .sin_addr.s_addr = htonl(PEER_ADDRESS) };

	if (connect(host->socket, (const struct sockaddr *)&peer, sizeof(peer)) == 0 || errno != EINPROGRESS)
		fail("connect");
	errno = 0;
}

void host_write(const struct host *host, uint32_t bytes)
{
	static const char nothing[1 << 16];

	while (bytes) {
		const struct iovec piece = { (void *)nothing, sizeof(nothing) };
		struct iovec pieces[64];
		struct msghdr message = { .msg_iov = pieces };
		uint32_t left = bytes;

		/* One call for as much as goes into one: between two the clock moves on. */
		while (left && message.msg_iovlen < 64) {
			pieces[message.msg_iovlen] = piece;
			if (left < sizeof(nothing))
				pieces[message.msg_iovlen].iov_len = left;
			left -= pieces[message.msg_iovlen++].iov_len;
		}
		if (sendmsg(host->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)(bytes - left))
			fail("the socket takes no %u bytes", bytes);
		bytes = left;
	}
}

void host_inject(const struct host *host, const struct answer *answer)
{
	uint8_t bytes[SEGMENT_BYTES_MAX];
	const size_t size = segment_make(answer, bytes);

	if (write(host->tunnel, bytes, size) != (ssize_t)size)
		fail("TUN");
}

static uint64_t moment_in(struct msghdr *message)
{
	struct cmsghdr *control;
	struct timespec moment;

	for (control = CMSG_FIRSTHDR(message); control; control = CMSG_NXTHDR(message, control))
		if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_TIMESTAMPNS) {
			memcpy(&moment, CMSG_DATA(control), sizeof(moment));
			return moment.tv_sec * SECOND_NS + moment.tv_nsec;
		}
	fail("a segment without its time");
}

bool host_take(const struct host *host, struct sent_segment *segment, uint64_t *at_ns)
{
	uint8_t bytes[SEGMENT_BYTES_MAX];
	char control[CMSG_SPACE(sizeof(struct timespec)) + 64];
	struct sockaddr_ll from;
	struct iovec piece = { bytes, sizeof(bytes) };
	ssize_t size;

	for (;;) {
		struct msghdr message = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &piece, .msg_iovlen = 1,
					  .msg_control = control, .msg_controllen = sizeof(control) };

		size = recvmsg(host->tap, &message, 0);
		if (size < 0)
			break;
		if (from.sll_pkttype == PACKET_OUTGOING && segment_read(bytes, size, segment)) {
			*at_ns = moment_in(&message);
			return true;
		}
	}
	if (errno != EAGAIN)
		fail("packet socket");
	/* The same segments, once more. */
	while (read(host->tunnel, bytes, sizeof(bytes)) > 0)
		;
	errno = 0;
	return false;
}

void host_ask(const struct host *host, const struct script *script, struct state *state)
{
	union tcp_cc_info own;
	socklen_t size = sizeof(state->info);

	memset(state, 0, sizeof(*state));
	if (getsockopt(host->socket, IPPROTO_TCP, TCP_INFO, &state->info, &size) < 0)
		fail("TCP_INFO");
	size = sizeof(own);
	if (strcmp(script->algorithm, "bbr") == 0 && getsockopt(host->socket, IPPROTO_TCP, TCP_CC_INFO, &own, &size) == 0)
		state->pacing_gain = own.bbr.bbr_pacing_gain;
	if (strcmp(script->algorithm, "dctcp") == 0 && getsockopt(host->socket, IPPROTO_TCP, TCP_CC_INFO, &own, &size) == 0)
		state->alpha = own.dctcp.dctcp_alpha;
}
