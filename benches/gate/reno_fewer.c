// SPDX-License-Identifier: MIT OR Apache-2.0
/* A defect for the gate: Reno that counts one segment less than a delayed ACK acknowledges. */
#include <linux/module.h>
#include <net/tcp.h>

static void fewer_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked > 1 ? acked - 1 : acked);
}

static struct tcp_congestion_ops reno_fewer = {
	.ssthresh = tcp_reno_ssthresh,
	.cong_avoid = fewer_cong_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.name = "reno_fewer",
	.owner = THIS_MODULE,
};

static int __init reno_fewer_register(void)
{
	return tcp_register_congestion_control(&reno_fewer);
}
module_init(reno_fewer_register);
