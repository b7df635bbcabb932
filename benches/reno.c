// SPDX-License-Identifier: MIT OR Apache-2.0
/* Reno as a file: what `benches/foreign.py` counts beside the built-in one. */
#include <linux/module.h>
#include <net/tcp.h>

static struct tcp_congestion_ops reno_file = {
	.ssthresh = tcp_reno_ssthresh,
	.cong_avoid = tcp_reno_cong_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.name = "reno_file",
	.owner = THIS_MODULE,
};

static int __init reno_file_register(void)
{
	return tcp_register_congestion_control(&reno_file);
}
module_init(reno_file_register);
