#include "client.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "clock.h"
#include "counters.h"
#include "fail.h"
#include "records.h"

#define WAKE_AT_BYTES (256 * 1024)	/* it sleeps until so much of a response has come, or all of it */

static char request[64 * 1024];

void client_schedule(struct client *client, const struct flow_plan *flow, uint64_t zero_ns, uint64_t end_at)
{
	const uint64_t stop_at = flow->stop_ns == NEVER ? NEVER : zero_ns + flow->stop_ns;

	client->zero_ns = zero_ns;
	/* Nothing begins at the end. */
	client->stop_at = stop_at < end_at ? stop_at : end_at - 1;
	client->is_due = flow->opens;
	client->ask_at = flow->opens ? NEVER : zero_ns + flow->start_ns;
}

void client_on_connected(struct client *client, const struct flow_plan *flow, int socket)
{
	const int on = 1;

	/* All packets of a request leave at once. */
	if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
		fail("TCP_NODELAY");
	if (client->is_due)
		client_ask(client, flow, socket);
}

static uint32_t sent_again(int socket)
{
	struct tcp_info info;

	counters_info(socket, &info);
	return info.tcpi_total_retrans;
}

/*
 * The first segment of all wakes it alone: kernels since 6.6 forget the limit of its window with that, and whoever reads sets it again.
 */
static void wake_for(const struct client *client, bool is_first, int socket)
{
	const int bytes = is_first ? 1 : client->missing < WAKE_AT_BYTES ? client->missing : WAKE_AT_BYTES;

	if (setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)) < 0)
		fail("SO_RCVLOWAT");
}

void client_ask(struct client *client, const struct flow_plan *flow, int socket)
{
	const struct asks_plan *plan = &flow->asks;
	const struct exchange_plan *exchange;

	client->ask_at = NEVER;
	client->is_due = socket < 0;
	if (client->is_due || clock_now() > client->stop_at)
		return;
	if (client->asked == plan->exchanges) {
		errno = 0;
		fail("a client came further than the %d exchanges that were drawn for it", plan->exchanges);
	}
	exchange = &plan->exchange[client->asked++];
	client->asked_at = clock_now();
	client->missing = exchange->response_bytes;
	client->unread = exchange->request_bytes;
	client->repeated = sent_again(socket);
	wake_for(client, client->asked == 1, socket);
	if (send(socket, request, exchange->request_bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)exchange->request_bytes)
		fail("a request");
}

static void write_down(const struct client *client, uint64_t completion_ns, uint64_t repeats)
{
	struct row *row = records_row(ROW_EXCHANGE, client->flow, client->asked_at - client->zero_ns);

	row->value[0] = client->asked - 1;
	row->value[1] = completion_ns;
	row->value[2] = repeats;
}

void client_on_read(struct client *client, const struct flow_plan *flow, int socket, uint64_t bytes)
{
	const struct asks_plan *plan = &flow->asks;

	if (!client->missing || !bytes)
		return;
	client->missing -= bytes;
	if (client->missing) {
		wake_for(client, false, socket);
		return;
	}
	write_down(client, clock_now() - client->asked_at, sent_again(socket) - client->repeated);
	if ((uint64_t)client->asked == plan->count)
		return;
	/* The thoughts that are not drawn come after the end. */
	client->ask_at = client->asked < plan->exchanges ? clock_now() + plan->exchange[client->asked].think_ns : NEVER;
	if (client->ask_at > client->stop_at)
		client->ask_at = NEVER;
}

uint64_t client_on_request(struct client *client, const struct flow_plan *flow, uint64_t bytes)
{
	client->unread -= bytes;
	if (client->unread || client->answered == client->asked)
		return 0;
	return flow->asks.exchange[client->answered++].response_bytes;
}

bool client_is_content(const struct client *client, const struct flow_plan *flow)
{
	return (uint64_t)client->answered == flow->asks.count;
}

void client_end(struct client *client)
{
	client->ask_at = NEVER;
	if (client->missing)
		write_down(client, NEVER, 0);
	client->missing = 0;
}
