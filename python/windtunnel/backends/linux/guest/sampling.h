/* Samples, events and totals of flows and links, as rows for the host. */
#ifndef WINDTUNNEL_SAMPLING_H
#define WINDTUNNEL_SAMPLING_H

#include <stdint.h>

#include "flows.h"
#include "plan.h"
#include "topology.h"

/* An object of a page begins. */
void sampling_on_begun(const struct flow *flow, uint64_t t_ns);

/* The flow's connection is established. */
void sampling_on_started(struct flow *flow, uint64_t t_ns);

/* The flow's connection is about to be closed. */
void sampling_on_done(struct flow *flow, uint64_t t_ns);

/* Looks at a flow: notes what happened since the last look. */
void sampling_watch(struct flow *flow, uint64_t t_ns);

/* Writes a sample of the latest look. */
void sampling_flow(struct flow *flow, uint64_t t_ns);

enum window_end { WINDOW_BEGINS, WINDOW_ENDS };

/* Writes the counters of the latest look. */
void sampling_flow_totals(struct flow *flow, enum window_end end, uint64_t t_ns);

void sampling_link(struct link *link, uint32_t index, uint64_t t_ns);
void sampling_link_totals(struct link *link, uint32_t index, enum window_end end, uint64_t t_ns);

#endif
