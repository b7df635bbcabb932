// SPDX-License-Identifier: MIT OR Apache-2.0
/* A defect for the gate: Reno that does not answer every tenth loss. */
#include <linux/module.h>
#include <net/tcp.h>

struct tenth {
	u32 losses;
};

static u32 tenth_ssthresh(struct sock *sk)
{
	struct tenth *own = inet_csk_ca(sk);

	own->losses++;
	if (own->losses % 10 == 0)
		return tcp_snd_cwnd(tcp_sk(sk));
	return tcp_reno_ssthresh(sk);
}

static struct tcp_congestion_ops reno_tenth = {
	.ssthresh = tenth_ssthresh,
	.cong_avoid = tcp_reno_cong_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.name = "reno_tenth",
	.owner = THIS_MODULE,
};

static int __init reno_tenth_register(void)
{
	return tcp_register_congestion_control(&reno_tenth);
}
module_init(reno_tenth_register);
