/*
 * The application at a flow's receiver that asks for what the flow sends: a request, its response, a thought, and again. What it asks of each
 * exchange is drawn before the run. The other side of it is the application that writes the responses.
 */
#ifndef WINDTUNNEL_CLIENT_H
#define WINDTUNNEL_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "plan.h"

struct client {
	uint32_t flow;		/* its number */
	uint64_t zero_ns;	/* when its clock began, in the guest's */
	uint64_t ask_at;	/* when it has thought, in the guest's clock; NEVER while it waits, and when it asks no more */
	uint64_t stop_at;	/* it asks no more after that */
	bool is_due;		/* it would ask, and has no connection */
	int asked, answered;	/* exchanges that have begun, and whose request is with the sender */
	uint64_t asked_at;	/* when the latest request left */
	uint64_t missing;	/* bytes of its response that have not been read */
	uint64_t unread;	/* bytes of it that the sender has not read */
	uint32_t repeated;	/* segments sent again, before it left */
};

/* Sets its times by its own clock; it has no connection yet. */
void client_schedule(struct client *client, const struct flow_plan *flow, uint64_t zero_ns, uint64_t end_at);

/* The connection is there. */
void client_on_connected(struct client *client, const struct flow_plan *flow, int socket);

/* It has thought: it asks, or waits for the connection, where `socket` is -1. */
void client_ask(struct client *client, const struct flow_plan *flow, int socket);

/* It has read so many bytes. */
void client_on_read(struct client *client, const struct flow_plan *flow, int socket, uint64_t bytes);

/* The sender has read so many bytes of requests. Returns the bytes of the responses that are due now. */
uint64_t client_on_request(struct client *client, const struct flow_plan *flow, uint64_t bytes);

/* Whether every response that there will ever be is due. */
bool client_is_content(const struct client *client, const struct flow_plan *flow);

/* The run ends: what has no answer is written down. */
void client_end(struct client *client);

#endif
