// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * Part of every module that is made of a user's file: the congestion control is registered under the module's name, whatever the file
 * calls it, so that several sets of parameters of one file are there side by side, and none is taken for one that the kernel has.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <net/tcp.h>

int windtunnel_register(struct tcp_congestion_ops *ops);

int windtunnel_register(struct tcp_congestion_ops *ops)
{
	memset(ops->name, 0, sizeof(ops->name));
	memcpy(ops->name, THIS_MODULE->name, min(strlen(THIS_MODULE->name), sizeof(ops->name) - 1));
	return tcp_register_congestion_control(ops);
}

/* Of this part. A file that names a licence of its own is judged by that as well. */
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("a congestion controller from a file");
