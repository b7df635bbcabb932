#include "sampling.h"

#include <string.h>

#include "records.h"

/* As in linux/tcp.h, from where user space does not get it. */
enum { OPEN, DISORDER, CWR, RECOVERY, LOSS };

static void note(const struct flow *flow, enum event_kind kind, uint64_t t_ns, uint64_t value, uint64_t value2)
{
	struct row *row = records_row(ROW_EVENT, flow->index, t_ns);

	row->value[0] = kind;
	row->value[1] = value;
	row->value[2] = value2;
}

static void note_each(const struct flow *flow, enum event_kind kind, uint64_t times, uint64_t t_ns, uint64_t value, uint64_t value2)
{
	while (times--)
		note(flow, kind, t_ns, value, value2);
}

static bool is_slow_start(const struct tcp_info *info)
{
	return info->tcpi_snd_cwnd < info->tcpi_snd_ssthresh;
}

/* The namespace's counters cost a formatted file: they are read only when they can have moved. */
static bool may_have_moved(const struct tcp_info *before, const struct tcp_info *now)
{
	return before->tcpi_ca_state != OPEN || now->tcpi_ca_state != OPEN || before->tcpi_total_retrans != now->tcpi_total_retrans;
}

/*
 * No counter tells of an answer to congestion marks, but the state and a new ssthresh do. A probe that repaired a loss leads into the same
 * state: there a counter moved.
 */
static bool has_answered_marks(const struct reading *before, const struct reading *now)
{
	return now->info.tcpi_ca_state == CWR && now->info.tcpi_delivered_ce != before->info.tcpi_delivered_ce &&
	       (before->info.tcpi_ca_state != CWR || now->info.tcpi_snd_ssthresh != before->info.tcpi_snd_ssthresh) &&
	       now->snmp.loss_episodes == before->snmp.loss_episodes;
}

void sampling_watch(struct flow *flow, uint64_t t_ns)
{
	const struct reading before = flow->latest;
	struct reading *now = &flow->latest;

	if (flow->sender < 0)
		return;
	counters_info(flow->sender, &now->info);
	if (flow->plan->is_transfer)
		return;
	if (flow->snmp >= 0 && may_have_moved(&before.info, &now->info))
		snmp_read(flow->snmp, &now->snmp);
	note_each(flow, EVENT_LOSS_EPISODE, now->snmp.loss_episodes - before.snmp.loss_episodes, t_ns, before.info.tcpi_snd_cwnd,
		  now->info.tcpi_snd_ssthresh);
	if (has_answered_marks(&before, now)) {
		flow->mark_episodes++;
		note(flow, EVENT_LOSS_EPISODE, t_ns, before.info.tcpi_snd_cwnd, now->info.tcpi_snd_ssthresh);
	}
	note_each(flow, EVENT_TIMEOUT, now->snmp.timeouts - before.snmp.timeouts, t_ns, before.info.tcpi_snd_cwnd, NEVER);
	note_each(flow, EVENT_UNDO, now->snmp.undos - before.snmp.undos, t_ns, now->info.tcpi_snd_cwnd, NEVER);
	/* Slow start that ends by a loss is no exit, but the episode's. */
	if (now->info.tcpi_ca_state >= CWR)
		flow->was_slow_start = false;
	else if (flow->was_slow_start && !is_slow_start(&now->info))
		note(flow, EVENT_SLOW_START_EXIT, t_ns, now->info.tcpi_snd_cwnd, NEVER);
	flow->was_slow_start = now->info.tcpi_ca_state < CWR && is_slow_start(&now->info);
}

void sampling_on_begun(const struct flow *flow, uint64_t t_ns)
{
	note(flow, EVENT_BEGIN, t_ns, NEVER, NEVER);
}

void sampling_on_started(struct flow *flow, uint64_t t_ns)
{
	counters_info(flow->sender, &flow->latest.info);
	if (flow->snmp >= 0)
		snmp_read(flow->snmp, &flow->latest.snmp);
	flow->at_start = flow->latest;
	/* A SYN without an answer in time is a timeout of the flow's, with which the kernel's counts in its namespace began. */
	flow->at_start.snmp.timeouts = 0;
	flow->was_slow_start = true;
	note(flow, EVENT_START, t_ns, NEVER, NEVER);
}

void sampling_on_done(struct flow *flow, uint64_t t_ns)
{
	sampling_watch(flow, t_ns);
	counters_algorithm(flow->sender, flow->algorithm);
	note(flow, EVENT_STOP, t_ns, NEVER, NEVER);
}

static uint64_t in_flight(const struct tcp_info *info)
{
	return info->tcpi_unacked - info->tcpi_sacked - info->tcpi_lost + info->tcpi_retrans;
}

static uint64_t retransmitted(const struct flow *flow)
{
	return flow->latest.info.tcpi_total_retrans - flow->at_start.info.tcpi_total_retrans;
}

static uint64_t delivered(const struct flow *flow)
{
	const uint64_t acknowledged = flow->latest.info.tcpi_delivered - flow->at_start.info.tcpi_delivered;
	const uint64_t data = flow->latest.info.tcpi_data_segs_out - retransmitted(flow);

	/* A FIN that travels alone is acknowledged like data. */
	return flow->has_finished && data < acknowledged ? data : acknowledged;
}

void sampling_flow(struct flow *flow, uint64_t t_ns)
{
	const struct tcp_info *info = &flow->latest.info;
	struct row *row;
	int word;

	if (!flow->has_started)
		return;
	if (flow->sender >= 0)
		counters_algorithm(flow->sender, flow->algorithm);
	row = records_row(ROW_FLOW, flow->index, t_ns);
	row->value[0] = info->tcpi_snd_cwnd;
	row->value[1] = info->tcpi_snd_ssthresh;
	row->value[2] = info->tcpi_rtt;
	row->value[3] = info->tcpi_min_rtt;
	row->value[4] = flow->sender < 0 ? 0 : in_flight(info);
	row->value[5] = delivered(flow);
	row->value[6] = retransmitted(flow);
	row->value[7] = info->tcpi_pacing_rate;
	row->value[8] = info->tcpi_ca_state;
	for (word = 0; word < CC_WORDS; word++)
		row->value[9 + word] = flow->algorithm[word];
}

/* Packets that found no room at the flow's own device; of a device that several share nobody knows whose they were. */
static uint64_t refused(struct flow *flow)
{
	if (!flow->host.device.device || flow->plan->device.machine >= 0)
		return 0;
	link_read(&flow->host.device);
	return flow->host.device.counters.drops;
}

void sampling_flow_totals(struct flow *flow, enum window_end end, uint64_t t_ns)
{
	const struct reading *now = &flow->latest, *first = &flow->at_start;
	struct row *row;

	if (!flow->has_started)
		return;
	row = records_row(ROW_FLOW_TOTALS, flow->index, t_ns);
	row->value[0] = end;
	row->value[1] = delivered(flow);
	row->value[2] = now->info.tcpi_data_segs_out;
	row->value[3] = retransmitted(flow);
	row->value[4] = now->snmp.loss_episodes - first->snmp.loss_episodes + flow->mark_episodes;
	row->value[5] = now->snmp.timeouts - first->snmp.timeouts;
	row->value[6] = now->snmp.undos - first->snmp.undos;
	row->value[7] = flow->received;
	row->value[8] = now->info.tcpi_busy_time;
	row->value[9] = now->info.tcpi_rwnd_limited;
	row->value[10] = now->info.tcpi_sndbuf_limited;
	row->value[11] = now->info.tcpi_snd_mss;
	row->value[12] = now->info.tcpi_segs_in;
	row->value[13] = refused(flow);
}

static struct row *link_row(struct link *link, enum row_kind kind, uint32_t index, uint64_t t_ns)
{
	struct row *row = records_row(kind, index, t_ns);

	link_read(link);
	row->value[1] = link->counters.queue_packets;
	row->value[2] = link->counters.queue_ip_bytes;
	row->value[3] = link->counters.ip_bytes;
	row->value[4] = link->counters.drops;
	row->value[5] = link->all.drops - link->counters.drops;
	row->value[6] = link->counters.packets;
	row->value[7] = link->marks;
	return row;
}

void sampling_link(struct link *link, uint32_t index, uint64_t t_ns)
{
	link_row(link, ROW_LINK, index, t_ns);
}

void sampling_link_totals(struct link *link, uint32_t index, enum window_end end, uint64_t t_ns)
{
	link_row(link, ROW_LINK_TOTALS, index, t_ns)->value[0] = end;
}
