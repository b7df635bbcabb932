#define _GNU_SOURCE
#include "datagrams.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include "fail.h"

int udp_socket(void)
{
	int udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (udp < 0)
		fail("socket");
	return udp;
}

int refusing_socket(const struct sockaddr_in *address)
{
	struct sock_filter none = BPF_STMT(BPF_RET | BPF_K, 0);
	const struct sock_fprog filter = { .len = 1, .filter = &none };
	int udp = udp_socket();

	if (setsockopt(udp, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0)
		fail("SO_ATTACH_FILTER");
	if (bind(udp, (const struct sockaddr *)address, sizeof(*address)) < 0)
		fail("bind");
	return udp;
}
