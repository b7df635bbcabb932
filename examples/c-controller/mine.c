/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A congestion controller to begin with: the longer there was no loss, the faster the window grows. */
#include <linux/module.h>
#include <net/tcp.h>

static unsigned int add = 1;
module_param(add, uint, 0644);
MODULE_PARM_DESC(add, "segments a round trip in the first second after a loss");

static unsigned int keep = 70;
module_param(keep, uint, 0644);
MODULE_PARM_DESC(keep, "percent of the window that is left after a loss");

/* What one connection remembers. */
struct mine {
	u32 last_loss; /* when the window was last cut, in ticks of a millisecond */
};

static void mine_init(struct sock *sk)
{
	struct mine *ca = inet_csk_ca(sk);

	ca->last_loss = tcp_jiffies32;
}

/* A loss: the window that is left. */
static u32 mine_ssthresh(struct sock *sk)
{
	struct mine *ca = inet_csk_ca(sk);

	ca->last_loss = tcp_jiffies32;
	return max(tcp_snd_cwnd(tcp_sk(sk)) * keep / 100, 2U);
}

/* An ACK without trouble: the window grows by a segment whenever `every` of them have been acknowledged. */
static void mine_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct mine *ca = inet_csk_ca(sk);
	u32 seconds, step, every;

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	seconds = (tcp_jiffies32 - ca->last_loss) / HZ;
	step = max(add * (1 + seconds), 1U);
	every = max(tcp_snd_cwnd(tp) / step, 1U);
	tcp_cong_avoid_ai(tp, every, acked);
}

static struct tcp_congestion_ops mine = {
	.init = mine_init,
	.ssthresh = mine_ssthresh,
	.cong_avoid = mine_cong_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.name = "mine",
	.owner = THIS_MODULE,
};

static int __init mine_register(void)
{
	return tcp_register_congestion_control(&mine);
}
module_init(mine_register);

MODULE_DESCRIPTION("the longer there was no loss, the faster the window grows");
