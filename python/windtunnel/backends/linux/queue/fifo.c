// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * A link with a queue that is limited in time, or in bytes with the packet on the wire among them, whatever sizes its packets have. No qdisc
 * of the kernel's has either: netem counts packets, and a bfifo does not know the packet that its shaper has taken. As in the simulator a packet's
 * departure is known when it comes: when those before it have left, and its own transmission after that.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <net/pkt_sched.h>

/* What it is made with; guest/netlink.c has the same. */
struct parameters {
	u64 rate_bytes;		/* per second */
	u64 limit_ns;		/* a packet is taken while those before it need at most so long; U64_MAX for no limit */
	u64 limit_bytes;	/* all packets that have not left; U64_MAX for no limit */
	u32 header_bytes;	/* of a packet's length, that take no time */
	u32 unused;
};

struct fifo {
	struct parameters given;
	u64 free_at;		/* when all that is there has left */
	u64 rest;		/* of that, in parts of a nanosecond */
	u64 bytes;
	struct qdisc_watchdog watchdog;
};

struct departure {
	u64 at;
};

static struct departure *departure(struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct departure));
	return (struct departure *)qdisc_skb_cb(skb)->data;
}

static u32 bytes_of(const struct fifo *fifo, const struct sk_buff *skb)
{
	return qdisc_pkt_len(skb) - fifo->given.header_bytes;
}

static int fifo_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct fifo *fifo = qdisc_priv(sch);
	const u64 now = ktime_get_ns();
	const u32 bytes = bytes_of(fifo, skb);

	if (fifo->free_at < now) {
		fifo->free_at = now;
		fifo->rest = 0;
	}
	if (fifo->free_at - now > fifo->given.limit_ns || fifo->bytes + bytes > fifo->given.limit_bytes)
		return qdisc_drop(skb, sch, to_free);
	fifo->free_at += div64_u64_rem((u64)bytes * NSEC_PER_SEC + fifo->rest, fifo->given.rate_bytes, &fifo->rest);
	fifo->bytes += bytes;
	departure(skb)->at = fifo->free_at;
	return qdisc_enqueue_tail(skb, sch);
}

static struct sk_buff *fifo_dequeue(struct Qdisc *sch)
{
	struct fifo *fifo = qdisc_priv(sch);
	struct sk_buff *skb = qdisc_peek_head(sch);

	if (!skb)
		return NULL;
	if (departure(skb)->at > ktime_get_ns()) {
		qdisc_watchdog_schedule_ns(&fifo->watchdog, departure(skb)->at);
		return NULL;
	}
	skb = qdisc_dequeue_head(sch);
	fifo->bytes -= bytes_of(fifo, skb);
	return skb;
}

static int fifo_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct fifo *fifo = qdisc_priv(sch);

	qdisc_watchdog_init(&fifo->watchdog, sch);
	if (!opt || nla_len(opt) != sizeof(fifo->given))
		return -EINVAL;
	memcpy(&fifo->given, nla_data(opt), sizeof(fifo->given));
	return fifo->given.rate_bytes ? 0 : -EINVAL;
}

static void fifo_reset(struct Qdisc *sch)
{
	struct fifo *fifo = qdisc_priv(sch);

	qdisc_reset_queue(sch);
	fifo->bytes = 0;
	qdisc_watchdog_cancel(&fifo->watchdog);
}

static void fifo_destroy(struct Qdisc *sch)
{
	struct fifo *fifo = qdisc_priv(sch);

	qdisc_watchdog_cancel(&fifo->watchdog);
}

static struct Qdisc_ops fifo_ops = {
	.id = "windtunnel_fifo",
	.priv_size = sizeof(struct fifo),
	.enqueue = fifo_enqueue,
	.dequeue = fifo_dequeue,
	.peek = qdisc_peek_dequeued,
	.init = fifo_init,
	.reset = fifo_reset,
	.destroy = fifo_destroy,
	.owner = THIS_MODULE,
};

static int __init windtunnel_fifo_begin(void)
{
	return register_qdisc(&fifo_ops);
}

static void __exit windtunnel_fifo_end(void)
{
	unregister_qdisc(&fifo_ops);
}

module_init(windtunnel_fifo_begin);
module_exit(windtunnel_fifo_end);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("a link whose queue is limited in time or in bytes");
