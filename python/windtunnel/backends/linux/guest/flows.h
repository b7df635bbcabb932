/* One TCP connection, from its listener to its last sample. */
#ifndef WINDTUNNEL_FLOWS_H
#define WINDTUNNEL_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "application.h"
#include "client.h"
#include "counters.h"
#include "plan.h"
#include "reader.h"
#include "topology.h"

enum flow_state {
	FLOW_WAITING,	/* its time has not come */
	FLOW_CONNECTING,
	FLOW_RUNNING,
	FLOW_DONE,	/* everything acknowledged, or the connection failed */
};

/* What is known of a flow at one moment. */
struct reading {
	struct tcp_info info;
	struct snmp snmp;
};

struct session;

struct flow {
	const struct flow_plan *plan;
	uint32_t index;
	enum flow_state state;
	bool has_started;
	bool has_finished;	/* nothing more will be written */
	uint64_t zero_ns;	/* when the flow's clock began, in the guest's */
	uint64_t to_write;	/* bytes left, NEVER for no end */
	struct application application;
	struct reader reader;
	struct client client;	/* of a flow that is asked for what it sends */
	struct station host;
	int snmp;
	int listener, receiver, sender;	/* sockets, -1 when closed */
	uint64_t received;	/* data packets that reached the receiver, once its socket is closed */
	struct reading at_start, latest;
	uint32_t algorithm[CC_WORDS];
	uint64_t connect_at, warm_at, watch_at, turn_at, read_at, stop_at, end_at;	/* in the guest's clock, NEVER when over */
	uint64_t watched;	/* looks so far, from the flow's time zero */
	bool was_slow_start;
	struct session *session;	/* whose object it is, NULL for none */
	uint64_t mark_episodes;	/* answers to congestion marks */
};

/* What epoll hands back: which of a flow's sockets has news. */
enum role { ROLE_SENDER, ROLE_RECEIVER, ROLE_LISTENER, ROLE_TIMER };

/* Makes the sockets; the flow connects later. */
void flow_open(struct flow *flow, const struct topology *topology, int epoll);

/* Starts the connection. */
void flow_connect(struct flow *flow, int epoll);

/* A socket of the flow has news. */
void flow_on_event(struct flow *flow, enum role role, uint32_t events, int epoll);

/* The application begins or ceases to write, or has a chunk. */
void flow_turn(struct flow *flow);

/* The receiver's application reads, or begins or ceases to. */
void flow_read(struct flow *flow);

/* The client at its receiver has thought. */
void flow_ask(struct flow *flow);

/* Nothing new is written any more. */
void flow_stop(struct flow *flow);

/* Ends the connection at once; what is under way still reaches the receiver. */
void flow_abort(struct flow *flow);

/* Reads how many data packets reached the receiver. */
void flow_count_received(struct flow *flow);

#endif
