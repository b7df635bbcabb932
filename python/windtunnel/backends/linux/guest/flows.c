#define _GNU_SOURCE
#include "flows.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "sampling.h"

#define PORT 1000
#define UNSENT_BYTES (128 * 1024)	/* kept waiting in the socket: more than one ACK ever releases, little when a flow stops */
#define UNSENT_BYTES_ON_OFF (16 * 1024)	/* of an application that falls silent, for they are still sent */
#define READ_AT_BYTES (256 * 1024)	/* the reader sleeps until so much has come */
#define PACED_AT_MOST (1ull << 62)	/* bytes per second: asks for the kernel's pacing and never limits it */
#define CHUNK_BYTES (64 * 1024)
#define WHOLE_SEGMENTS 45	/* at a time: who pauses leaves no part of a segment behind */
#define TCP_IP_BYTES 40

static char data[CHUNK_BYTES];

static void set(int socket, int level, int name, int value)
{
	if (setsockopt(socket, level, name, &value, sizeof(value)) < 0)
		fail("setsockopt %d", name);
}

static int tcp_socket(void)
{
	int tcp = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (tcp < 0)
		fail("socket");
	return tcp;
}

static struct sockaddr_in receiver_of(const struct flow *flow)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons(PORT + flow->index),
				     .sin_addr.s_addr = htonl(flow->host.receiver) };
}

static void watch(const struct flow *flow, int epoll, int socket, enum role role, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u64 = (uint64_t)role << 32 | flow->index };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) < 0)
		fail("epoll");
}

/* Fails with the list of what this kernel has, if it lacks the flow's algorithm. */
static void choose_algorithm(const struct flow *flow, int socket)
{
	const char *name = flow->plan->algorithm;
	char known[512] = "";
	FILE *file;

	if (setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, strlen(name)) == 0)
		return;
	file = fopen("/proc/sys/net/ipv4/tcp_available_congestion_control", "r");
	if (file && fgets(known, sizeof(known), file))
		known[strcspn(known, "\n")] = '\0';
	errno = 0;
	fail("this kernel has no congestion control '%s'; it has: %s", name, known);
}

/* Kernels since 6.6 forget the limit of a window when they learn how much memory a segment takes: from the first, and for good. */
static void limit_window(const struct flow *flow, int socket)
{
	set(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP, flow->plan->window_bytes);
}

/* A receiver offers what its flow sends, whatever its device could take: its window grows by that. */
static void listen_for(struct flow *flow, int epoll, bool has_other_sizes)
{
	struct sockaddr_in address = receiver_of(flow);

	reader_before_listening(&flow->plan->receiver);
	flow->listener = tcp_socket();
	reader_after_listening(&flow->plan->receiver);
	/* Some ask something of the receiver too: DCTCP's answers each mark in its own way. */
	choose_algorithm(flow, flow->listener);
	if (flow->plan->receiver.buffer_bytes) {
		reader_fix_buffer(flow->listener, &flow->plan->receiver);
	} else {
		set(flow->listener, SOL_SOCKET, SO_RCVLOWAT, READ_AT_BYTES);
		limit_window(flow, flow->listener);
	}
	if (has_other_sizes)
		set(flow->listener, IPPROTO_TCP, TCP_MAXSEG, flow->plan->packet_bytes - TCP_IP_BYTES);
	if (bind(flow->listener, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(flow->listener, 1) < 0)
		fail("listen");
	watch(flow, epoll, flow->listener, ROLE_LISTENER, EPOLLIN);
}

/* Of a host that several flows share, the address that is this flow's: ACKs to it have a way of their own. The port is chosen later. */
static void speak_as(int socket, uint32_t own)
{
	const struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(own) };

	if (!own)
		return;
	set(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
	if (bind(socket, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fail("bind");
}

void flow_open(struct flow *flow, const struct topology *topology, int epoll)
{
	const uint64_t pacing = PACED_AT_MOST;

	namespace_enter(flow->host.receiving);
	listen_for(flow, epoll, topology->largest_bytes != FULL_PACKET_BYTES || flow->plan->packet_bytes != FULL_PACKET_BYTES);
	namespace_enter(flow->host.namespace);
	/* Who shares a host shares the counters there. */
	flow->snmp = flow->plan->is_transfer || flow->plan->device.machine >= 0 ? -1 : snmp_open();
	flow->receiver = -1;
	flow->sender = tcp_socket();
	choose_algorithm(flow, flow->sender);
	set(flow->sender, IPPROTO_TCP, TCP_NOTSENT_LOWAT,
	    flow->plan->writes.writing == WRITES_ON_OFF ? UNSENT_BYTES_ON_OFF : UNSENT_BYTES);
	/*
	 * The last ACK of a handshake before the start leaves with the first data: alone it would take a packet's place in the queue. A client
	 * needs it before it asks.
	 */
	if (!flow->plan->opens && !flow->plan->asks.exchanges)
		set(flow->sender, IPPROTO_TCP, TCP_QUICKACK, 0);
	if (flow->plan->paced && setsockopt(flow->sender, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing, sizeof(pacing)) < 0)
		fail("SO_MAX_PACING_RATE");
	speak_as(flow->sender, flow->host.address);
	flow->to_write = flow->plan->bytes;
	application_init(&flow->application, flow->plan);
	reader_init(&flow->reader, &flow->plan->receiver);
}

void flow_connect(struct flow *flow, int epoll)
{
	struct sockaddr_in address = receiver_of(flow);

	flow->connect_at = NEVER;
	if (flow->state != FLOW_WAITING)
		return;
	flow->state = FLOW_CONNECTING;
	if (connect(flow->sender, (struct sockaddr *)&address, sizeof(address)) < 0 && errno != EINPROGRESS)
		fail("connect");
	/* Not earlier: a socket that is not connected has news of its end. */
	watch(flow, epoll, flow->sender, ROLE_SENDER, EPOLLOUT | EPOLLRDHUP | EPOLLET | (flow->plan->asks.exchanges ? EPOLLIN : 0));
}

static void close_socket(int *socket)
{
	if (*socket >= 0)
		close(*socket);
	*socket = -1;
}

/* The receiver shall close when it has everything. Once only: shutdown() wakes whoever waits for the socket. */
static void finish_writing(struct flow *flow)
{
	flow->to_write = 0;
	if (!flow->has_finished)
		shutdown(flow->sender, SHUT_WR);
	flow->has_finished = true;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static size_t whole_segments(const struct flow_plan *plan)
{
	const size_t payload = plan->packet_bytes - HEADER_BYTES, most = CHUNK_BYTES / payload;

	return payload * smaller(most, WHOLE_SEGMENTS);
}

static void write_data(struct flow *flow)
{
	const size_t most = flow->plan->writes.writing == WRITES_ALWAYS ? CHUNK_BYTES : whole_segments(flow->plan);

	while (flow->to_write) {
		const size_t asked = smaller(smaller(flow->to_write, flow->application.offered), most);
		ssize_t taken;

		if (!asked)
			return;
		taken = send(flow->sender, data, asked, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (taken < 0 && (errno == EAGAIN || errno == EPIPE || errno == ECONNRESET || errno == ETIMEDOUT))
			return;
		if (taken < 0)
			fail("send");
		if (flow->to_write != NEVER)
			flow->to_write -= taken;
		if (flow->application.offered != NEVER)
			flow->application.offered -= taken;
	}
	finish_writing(flow);
}

/* What its client asks for is written as soon as the whole request is there. */
static void answer(struct flow *flow)
{
	const ssize_t size = recv(flow->sender, data, sizeof(data), MSG_TRUNC | MSG_DONTWAIT);

	if (size <= 0)
		return;
	flow->application.offered += client_on_request(&flow->client, flow->plan, size);
	if (client_is_content(&flow->client, flow->plan))
		flow->to_write = flow->application.offered;
	if (!flow->has_finished)
		write_data(flow);
}

static void done(struct flow *flow)
{
	if (flow->has_started)
		sampling_on_done(flow, clock_now() - flow->zero_ns);
	flow->state = FLOW_DONE;
	close_socket(&flow->sender);
}

/* In the flow's clock. That of a client has its connection before it starts. */
static uint64_t started_ns(const struct flow *flow)
{
	const uint64_t now = clock_now(), start_at = flow->zero_ns + flow->plan->start_ns;

	return flow->plan->asks.exchanges && now < start_at ? flow->plan->start_ns : now - flow->zero_ns;
}

static void on_sender(struct flow *flow, uint32_t events)
{
	if (flow->state == FLOW_CONNECTING && !(events & (EPOLLERR | EPOLLHUP)) && (events & EPOLLOUT)) {
		flow->state = FLOW_RUNNING;
		flow->has_started = true;
		sampling_on_started(flow, started_ns(flow));
	}
	/* The receiver closes when it has everything: with its FIN came the last ACK. */
	if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP))
		done(flow);
	else if (flow->state == FLOW_RUNNING && (events & EPOLLIN))
		answer(flow);
	else if (flow->state == FLOW_RUNNING && (events & EPOLLOUT))
		write_data(flow);
}

/* The application reads so much at most. */
static void read_data(struct flow *flow, uint64_t most)
{
	ssize_t size;
	size_t asked;

	/* Nothing is copied: MSG_TRUNC throws the bytes away. */
	do {
		asked = smaller(most, 1 << 24);
		if (!asked)
			return;
		size = recv(flow->receiver, data, asked, MSG_TRUNC | MSG_DONTWAIT);
		if (size > 0 && most != NEVER)
			most -= size;
		if (size > 0)
			client_on_read(&flow->client, flow->plan, flow->receiver, size);
	} while (size == (ssize_t)asked);
	if (size > 0 || (size < 0 && errno == EAGAIN)) {
		if (!flow->plan->receiver.buffer_bytes)
			limit_window(flow, flow->receiver);
		return;
	}
	flow_count_received(flow);
	close_socket(&flow->receiver);
}

static void on_receiver(struct flow *flow, uint32_t events)
{
	/* Who has everything says so at once, however late it is read. */
	if ((events & EPOLLRDHUP) && flow->plan->receiver.reading != READS_AT_ONCE)
		shutdown(flow->receiver, SHUT_WR);
	if (events & (EPOLLERR | EPOLLHUP))
		read_data(flow, NEVER);
	else if (flow->reader.is_reading)
		read_data(flow, NEVER);
}

static void on_listener(struct flow *flow, int epoll)
{
	flow->receiver = accept4(flow->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (flow->receiver < 0)
		fail("accept");
	if (!flow->plan->receiver.buffer_bytes)
		limit_window(flow, flow->receiver);
	/* Who leaves data unread must not be told of them again and again. */
	watch(flow, epoll, flow->receiver, ROLE_RECEIVER,
	      EPOLLIN | EPOLLRDHUP | (flow->plan->receiver.reading == READS_AT_ONCE ? 0 : EPOLLET));
	close_socket(&flow->listener);
	if (flow->plan->asks.exchanges)
		client_on_connected(&flow->client, flow->plan, flow->receiver);
}

void flow_on_event(struct flow *flow, enum role role, uint32_t events, int epoll)
{
	if (role == ROLE_SENDER && flow->sender >= 0)
		on_sender(flow, events);
	else if (role == ROLE_RECEIVER && flow->receiver >= 0)
		on_receiver(flow, events);
	else if (role == ROLE_LISTENER && flow->listener >= 0)
		on_listener(flow, epoll);
}

void flow_turn(struct flow *flow)
{
	const uint64_t wait_ns = application_turn(&flow->application, flow->plan);

	flow->turn_at = wait_ns == NEVER ? NEVER : flow->turn_at + wait_ns;
	if (flow->state == FLOW_RUNNING)
		write_data(flow);
}

void flow_read(struct flow *flow)
{
	uint64_t bytes = 0;
	const uint64_t wait_ns = reader_turn(&flow->reader, &flow->plan->receiver, &bytes);

	flow->read_at += wait_ns;
	if (flow->receiver >= 0)
		read_data(flow, bytes);
}

void flow_ask(struct flow *flow)
{
	client_ask(&flow->client, flow->plan, flow->receiver);
}

void flow_stop(struct flow *flow)
{
	flow->stop_at = flow->turn_at = NEVER;
	if (flow->state == FLOW_RUNNING)
		finish_writing(flow);
	else if (flow->state != FLOW_DONE)
		done(flow);
}

void flow_abort(struct flow *flow)
{
	const struct linger at_once = { .l_onoff = 1 };

	if (flow->sender < 0)
		return;
	setsockopt(flow->sender, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close_socket(&flow->sender);
}

void flow_count_received(struct flow *flow)
{
	struct tcp_info info;

	if (flow->receiver < 0)
		return;
	counters_info(flow->receiver, &info);
	flow->received = info.tcpi_data_segs_in;
}
