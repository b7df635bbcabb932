#include "discipline.h"

#include <errno.h>
#include <linux/pkt_sched.h>
#include <string.h>
#include <sys/socket.h>

#include "cables.h"
#include "fail.h"
#include "message.h"
#include "netlink.h"

#define SLACK_TICKS 16	/* of 64 ns: how late a timer may be before the link loses time */
#define SLACK_OF_SECOND 1000000	/* the same, in parts of a second */
#define STAB_CELLS 256
#define SHIFT_MOST 31
#define IN_TIN SIZE_MAX	/* marks are among the attributes of CAKE's one tin */

static void begin_traffic(struct message *message, int type, int flags, unsigned device, uint32_t parent, uint32_t handle)
{
	struct tcmsg *body = message_begin(message, type, flags, sizeof(*body));

	body->tcm_family = AF_UNSPEC;
	body->tcm_ifindex = device;
	body->tcm_parent = parent;
	body->tcm_handle = handle;
}

static void begin_qdisc(struct message *message, unsigned device, uint32_t parent, uint32_t handle)
{
	begin_traffic(message, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, device, parent, handle);
}

/* Begins a qdisc of a kind; in the root of a device it counts IP bytes, and so do those below it. */
static struct rtattr *begin_kind(struct message *message, const struct place *place, const char *kind)
{
	begin_qdisc(message, place->device, place->parent, place->handle);
	message_put_text(message, TCA_KIND, kind);
	if (place->parent == TC_H_ROOT)
		message_put_ip_sizes(message);
	return message_put(message, TCA_OPTIONS, NULL, 0);
}

static struct tc_ratespec ratespec(uint64_t rate_bytes)
{
	return (struct tc_ratespec){ .rate = rate_bytes > UINT32_MAX ? UINT32_MAX : rate_bytes, .linklayer = TC_LINKLAYER_ETHERNET };
}

/* The one class of an HTB, new or changed. */
static void put_htb_class(const struct place *place, uint64_t rate_bytes, int flags)
{
	const struct tc_ratespec spec = ratespec(rate_bytes);
	const struct tc_htb_opt class = { .rate = spec, .ceil = spec, .buffer = SLACK_TICKS, .cbuffer = SLACK_TICKS, .quantum = FULL_PACKET_BYTES };
	struct message message;
	struct rtattr *options;

	begin_traffic(&message, RTM_NEWTCLASS, flags, place->device, place->handle, place->handle | 1);
	message_put_text(&message, TCA_KIND, "htb");
	options = message_put(&message, TCA_OPTIONS, NULL, 0);
	message_put(&message, TCA_HTB_PARMS, &class, sizeof(class));
	if (rate_bytes > UINT32_MAX) {
		message_put(&message, TCA_HTB_RATE64, &rate_bytes, sizeof(rate_bytes));
		message_put(&message, TCA_HTB_CEIL64, &rate_bytes, sizeof(rate_bytes));
	}
	message_nest(&message, options);
	message_ask(place->netlink, &message, "htb class");
}

static uint32_t add_htb(const struct place *place, uint64_t rate_bytes)
{
	const struct tc_htb_glob glob = { .version = 3, .rate2quantum = 1, .defcls = 1 };
	struct message message;
	struct rtattr *options = begin_kind(&message, place, "htb");

	message_put(&message, TCA_HTB_INIT, &glob, sizeof(glob));
	message_nest(&message, options);
	message_ask(place->netlink, &message, "htb");

	put_htb_class(place, rate_bytes, NLM_F_CREATE | NLM_F_EXCL);
	return place->handle | 1;
}

void discipline_change_rate(const struct place *place, uint64_t rate_bytes)
{
	put_htb_class(place, rate_bytes, 0);
}

/* TBF with a bucket of one packet, and below it a netem that passes on whether there is one. */
static uint32_t add_tbf(const struct place *place, uint64_t rate_bytes)
{
	const uint32_t bucket = FULL_PACKET_BYTES + 1 + rate_bytes / SLACK_OF_SECOND, next = place->handle + TC_H_MAKE(1 << 16, 0);
	const struct tc_tbf_qopt parameters = { .rate = ratespec(rate_bytes), .limit = FULL_PACKET_BYTES };
	struct message message;
	struct rtattr *options = begin_kind(&message, place, "tbf");

	message_put(&message, TCA_TBF_PARMS, &parameters, sizeof(parameters));
	message_put_u32(&message, TCA_TBF_BURST, bucket);
	if (rate_bytes > UINT32_MAX)
		message_put(&message, TCA_TBF_RATE64, &rate_bytes, sizeof(rate_bytes));
	message_nest(&message, options);
	message_ask(place->netlink, &message, "tbf");
	netlink_add_netem(place->netlink, place->device, &(struct netem){ .parent = place->handle | 1, .handle = next, .limit = INT32_MAX });
	return next | 1;
}

/* Options that are plain numbers, each under its attribute. */
static void put_numbers(struct message *message, const int *attribute, const uint64_t *value, int values)
{
	int i;

	for (i = 0; i < values; i++)
		message_put_u32(message, attribute[i], value[i]);
}

static void put_codel(struct message *message, const uint64_t *value)
{
	static const int attribute[] = { TCA_CODEL_LIMIT, TCA_CODEL_TARGET, TCA_CODEL_INTERVAL };

	put_numbers(message, attribute, value, 3);
	message_put_u32(message, TCA_CODEL_ECN, 1);
}

static void put_fq_codel(struct message *message, const uint64_t *value)
{
	static const int attribute[] = { TCA_FQ_CODEL_LIMIT, TCA_FQ_CODEL_TARGET, TCA_FQ_CODEL_INTERVAL, TCA_FQ_CODEL_QUANTUM, TCA_FQ_CODEL_FLOWS };

	put_numbers(message, attribute, value, 5);
	message_put_u32(message, TCA_FQ_CODEL_ECN, 1);
	/* Packets are what is limited. */
	message_put_u32(message, TCA_FQ_CODEL_MEMORY_LIMIT, INT32_MAX);
}

/* Without the pacing: what it forwards has no sender's rate. */
static void put_fq(struct message *message, const uint64_t *value)
{
	static const int attribute[] = { TCA_FQ_PLIMIT, TCA_FQ_FLOW_PLIMIT, TCA_FQ_QUANTUM, TCA_FQ_INITIAL_QUANTUM, TCA_FQ_ORPHAN_MASK };

	put_numbers(message, attribute, value, 5);
	message_put_u32(message, TCA_FQ_RATE_ENABLE, 0);
}

static void put_pie(struct message *message, const uint64_t *value)
{
	static const int attribute[] = { TCA_PIE_LIMIT, TCA_PIE_TARGET, TCA_PIE_TUPDATE, TCA_PIE_ALPHA, TCA_PIE_BETA };

	put_numbers(message, attribute, value, 5);
	message_put_u32(message, TCA_PIE_ECN, 1);
}

static void put_fq_pie(struct message *message, const uint64_t *value)
{
	static const int attribute[] = { TCA_FQ_PIE_LIMIT, TCA_FQ_PIE_TARGET,	TCA_FQ_PIE_TUPDATE, TCA_FQ_PIE_ALPHA,
					 TCA_FQ_PIE_BETA,  TCA_FQ_PIE_ECN_PROB, TCA_FQ_PIE_QUANTUM, TCA_FQ_PIE_FLOWS };

	put_numbers(message, attribute, value, 8);
	message_put_u32(message, TCA_FQ_PIE_ECN, 1);
	message_put_u32(message, TCA_FQ_PIE_MEMORY_LIMIT, INT32_MAX);
}

/* Without tins, told apart by flow, as the link's own shaper a little faster than the link. Sizes are those of the root: of IP. */
static void put_cake(struct message *message, const uint64_t *value)
{
	static const int attribute[] = { TCA_CAKE_TARGET, TCA_CAKE_RTT };

	message_put_u32(message, TCA_CAKE_MEMORY, value[0]);
	message_put(message, TCA_CAKE_BASE_RATE64, &value[1], sizeof(value[1]));
	put_numbers(message, attribute, value + 2, 2);
	message_put_u32(message, TCA_CAKE_DIFFSERV_MODE, CAKE_DIFFSERV_BESTEFFORT);
	message_put_u32(message, TCA_CAKE_FLOW_MODE, CAKE_FLOW_FLOWS);
	message_put_u32(message, TCA_CAKE_ACK_FILTER, CAKE_ACK_NONE);
}

/*
 * Bytes: limit, thresholds. Then the logarithms of the average's weight and of a cell of idle time, what such a cell takes off the average
 * (a shift, of 2^16), the probability at the upper threshold (of 2^32), and flags.
 */
static void put_red(struct message *message, const uint64_t *value)
{
	const struct tc_red_qopt parameters = { .limit = value[0], .qth_min = value[1], .qth_max = value[2], .Wlog = value[3], .Scell_log = value[4] };
	const struct nla_bitfield32 flags = { .value = value[7], .selector = TC_RED_ECN | TC_RED_HARDDROP | TC_RED_NODROP };
	unsigned char shift[STAB_CELLS];
	int cell;

	for (cell = 0; cell < STAB_CELLS; cell++) {
		const uint64_t rounded = (cell * value[5] + (1 << 15)) >> 16;

		shift[cell] = rounded < SHIFT_MOST ? rounded : SHIFT_MOST;
	}
	message_put(message, TCA_RED_PARMS, &parameters, sizeof(parameters));
	message_put(message, TCA_RED_STAB, shift, sizeof(shift));
	message_put_u32(message, TCA_RED_MAX_P, value[6]);
	message_put(message, TCA_RED_FLAGS, &flags, sizeof(flags));
}

static const struct kind {
	const char *name;	/* in the plan */
	const char *qdisc;
	int values;
	void (*put)(struct message *message, const uint64_t *value);	/* NULL: the limit alone */
	size_t marks_at;	/* in its statistics, 0 for none */
	uint32_t (*add_rate)(const struct place *place, uint64_t rate_bytes);
} kinds[] = {
	{ "bfifo", "bfifo", 1, NULL, 0, add_htb },
	{ "pfifo", "pfifo", 1, NULL, 0, add_htb },
	{ "pfifo_head_drop", "pfifo_head_drop", 1, NULL, 0, add_htb },
	{ "red", "red", 8, put_red, offsetof(struct tc_red_xstats, marked), add_tbf },
	/* Without a memory RED need not know when it is idle. */
	{ "step", "red", 8, put_red, offsetof(struct tc_red_xstats, marked), add_htb },
	{ "codel", "codel", 3, put_codel, offsetof(struct tc_codel_xstats, ecn_mark), add_htb },
	{ "fq", "fq", 5, put_fq, 0, add_htb },
	{ "fq_codel", "fq_codel", 5, put_fq_codel, offsetof(struct tc_fq_codel_xstats, qdisc_stats.ecn_mark), add_htb },
	{ "pie", "pie", 5, put_pie, offsetof(struct tc_pie_xstats, ecn_mark), add_htb },
	{ "fq_pie", "fq_pie", 8, put_fq_pie, offsetof(struct tc_fq_pie_xstats, ecn_mark), add_htb },
	{ "cake", "cake", 4, put_cake, IN_TIN, add_htb },
};

static const struct kind *kind_of(const struct discipline_plan *discipline)
{
	const struct kind *kind;

	for (kind = kinds; kind < kinds + sizeof(kinds) / sizeof(*kinds); kind++)
		if (strcmp(kind->name, discipline->kind) == 0 && kind->values == discipline->values)
			return kind;
	errno = 0;
	fail("plan: no discipline '%s' of %d values", discipline->kind, discipline->values);
}

static uint32_t beside(const struct place *place)
{
	return place->handle + TC_H_MAKE(1 << 16, 0);
}

uint32_t discipline_first(const struct place *place)
{
	return beside(place) | 1;
}

/* Two queues, of which the first is always served before the second; where a packet says nothing else it is for the second. */
static uint32_t add_first_queue(const struct place *place, uint32_t parent)
{
	const struct tc_fifo_qopt room = { .limit = ROOM };
	struct tc_prio_qopt bands = { .bands = 2 };
	struct message message;

	memset(bands.priomap, 1, sizeof(bands.priomap));
	begin_qdisc(&message, place->device, parent, beside(place));
	message_put_text(&message, TCA_KIND, "prio");
	message_put(&message, TCA_OPTIONS, &bands, sizeof(bands));
	message_ask(place->netlink, &message, "prio");
	begin_qdisc(&message, place->device, discipline_first(place), 0);
	message_put_text(&message, TCA_KIND, "pfifo");
	message_put(&message, TCA_OPTIONS, &room, sizeof(room));
	message_ask(place->netlink, &message, "pfifo");
	return beside(place) | 2;
}

uint32_t discipline_build(const struct place *place, uint64_t rate_bytes, const struct discipline_plan *discipline, bool has_outages)
{
	const struct kind *kind = kind_of(discipline);
	const struct tc_fifo_qopt fifo = { .limit = discipline->value[0] };
	uint32_t parent = kind->add_rate(place, rate_bytes);
	struct message message;
	struct rtattr *options;

	if (has_outages)
		parent = add_first_queue(place, parent);
	begin_qdisc(&message, place->device, parent, 0);
	message_put_text(&message, TCA_KIND, kind->qdisc);
	if (kind->put) {
		options = message_put(&message, TCA_OPTIONS | NLA_F_NESTED, NULL, 0);
		kind->put(&message, discipline->value);
		message_nest(&message, options);
	} else {
		message_put(&message, TCA_OPTIONS, &fifo, sizeof(fifo));
	}
	message_ask(place->netlink, &message, kind->qdisc);
	return parent;
}

void discipline_change_limit(const struct place *place, const struct discipline_plan *discipline, uint32_t limit)
{
	const struct kind *kind = kind_of(discipline);
	const struct tc_fifo_qopt fifo = { .limit = limit };
	struct message message;

	if (kind->put)
		fail("plan: a %s has no limit that changes", discipline->kind);
	begin_traffic(&message, RTM_NEWQDISC, 0, place->device, place->parent, 0);
	message_put_text(&message, TCA_KIND, kind->qdisc);
	message_put(&message, TCA_OPTIONS, &fifo, sizeof(fifo));
	message_ask(place->netlink, &message, kind->qdisc);
}

/* Of CAKE, whose statistics are attributes within attributes. */
static uint32_t marks_in_tin(const void *statistics, size_t bytes)
{
	const struct rtattr *tins = message_find(statistics, bytes, TCA_CAKE_STATS_TIN_STATS);
	const struct rtattr *tin = message_find(RTA_DATA(tins), RTA_PAYLOAD(tins), 1);
	uint32_t marks;

	memcpy(&marks, RTA_DATA(message_find(RTA_DATA(tin), RTA_PAYLOAD(tin), TCA_CAKE_TIN_STATS_ECN_MARKED_PACKETS)), sizeof(marks));
	return marks;
}

uint64_t discipline_marks(const struct discipline_plan *discipline, const void *statistics, size_t bytes)
{
	const size_t at = kind_of(discipline)->marks_at;
	uint32_t marks;

	if (!at)
		return 0;
	if (at == IN_TIN)
		return marks_in_tin(statistics, bytes);
	if (at + sizeof(marks) > bytes) {
		errno = 0;
		fail("netlink: %s has no statistics", discipline->kind);
	}
	memcpy(&marks, (const char *)statistics + at, sizeof(marks));
	return marks;
}
