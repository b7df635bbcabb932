#include "message.h"

#include <errno.h>
#include <linux/pkt_sched.h>
#include <string.h>
#include <sys/socket.h>

#include "fail.h"

void *message_begin(struct message *message, int type, int flags, size_t size)
{
	memset(message, 0, sizeof(message->header) + NLMSG_ALIGN(size));
	message->header.nlmsg_len = NLMSG_LENGTH(size);
	message->header.nlmsg_type = type;
	message->header.nlmsg_flags = NLM_F_REQUEST | flags;
	return NLMSG_DATA(&message->header);
}

struct rtattr *message_put(struct message *message, int type, const void *data, size_t size)
{
	size_t at = NLMSG_ALIGN(message->header.nlmsg_len);
	struct rtattr *attribute = (struct rtattr *)((char *)message + at);

	if (at + RTA_SPACE(size) > sizeof(*message))
		fail("netlink: a message of more than %zu bytes", sizeof(*message));
	attribute->rta_type = type;
	attribute->rta_len = RTA_LENGTH(size);
	if (size)
		memcpy(RTA_DATA(attribute), data, size);
	message->header.nlmsg_len = at + RTA_SPACE(size);
	return attribute;
}

void message_put_u32(struct message *message, int type, uint32_t value)
{
	message_put(message, type, &value, sizeof(value));
}

void message_put_text(struct message *message, int type, const char *text)
{
	message_put(message, type, text, strlen(text) + 1);
}

void message_put_ip_sizes(struct message *message)
{
	const struct tc_sizespec sizes = { .overhead = -ETHERNET_BYTES, .linklayer = TC_LINKLAYER_ETHERNET };
	struct rtattr *stab = message_put(message, TCA_STAB, NULL, 0);

	message_put(message, TCA_STAB_BASE, &sizes, sizeof(sizes));
	message_nest(message, stab);
}

void message_nest(struct message *message, struct rtattr *attribute)
{
	attribute->rta_len = (char *)message + message->header.nlmsg_len - (char *)attribute;
}

void message_ask(int netlink, struct message *message, const char *what)
{
	struct nlmsgerr *error;

	message->header.nlmsg_flags |= NLM_F_ACK;
	if (send(netlink, message, message->header.nlmsg_len, 0) < 0)
		fail("netlink: %s", what);
	if (recv(netlink, message, sizeof(*message), 0) < 0 || message->header.nlmsg_type != NLMSG_ERROR)
		fail("netlink: %s: no answer", what);
	error = NLMSG_DATA(&message->header);
	errno = -error->error;
	if (errno)
		fail("netlink: %s", what);
}

const struct rtattr *message_seek(const struct rtattr *attribute, int left, int type)
{
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		if ((attribute->rta_type & NLA_TYPE_MASK) == type)
			return attribute;
	return NULL;
}

const struct rtattr *message_find(const struct rtattr *attribute, int left, int type)
{
	const struct rtattr *found = message_seek(attribute, left, type);

	if (!found) {
		errno = 0;
		fail("netlink: the kernel's answer lacks attribute %d", type);
	}
	return found;
}
