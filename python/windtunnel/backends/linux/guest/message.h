/* A netlink message: made of attributes, sent and acknowledged; and an answer's attributes. */
#ifndef WINDTUNNEL_MESSAGE_H
#define WINDTUNNEL_MESSAGE_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>

#define ETHERNET_BYTES 14

struct message {
	struct nlmsghdr header;
	char body[40 * 1024];	/* a table of netem's has 32 kB */
};

/* Begins a message; returns its family header of `size` bytes, zeroed. */
void *message_begin(struct message *message, int type, int flags, size_t size);

struct rtattr *message_put(struct message *message, int type, const void *data, size_t size);
void message_put_u32(struct message *message, int type, uint32_t value);
void message_put_text(struct message *message, int type, const char *text);

/* Makes the root qdisc and those below it count IP bytes: without the Ethernet header. */
void message_put_ip_sizes(struct message *message);

/* Everything put since `attribute` was lies within it. */
void message_nest(struct message *message, struct rtattr *attribute);

/* Sends a message and waits for its acknowledgement; fails with `what` otherwise. */
void message_ask(int netlink, struct message *message, const char *what);

/* The attribute of a type among those of an answer; NULL where there is none, or a failure. */
const struct rtattr *message_seek(const struct rtattr *attribute, int left, int type);
const struct rtattr *message_find(const struct rtattr *attribute, int left, int type);

#endif
