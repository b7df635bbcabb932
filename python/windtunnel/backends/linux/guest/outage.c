#define _GNU_SOURCE
#include "outage.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "datagrams.h"
#include "fail.h"

#define PORT 999	/* of nobody's packets: below those of flows */
#define SECOND_NS 1000000000ull
#define ROOM_BYTES (1 << 30)

static char data[1 << 16];

void outages_prepare(struct outages *outages, const struct outage_place *place)
{
	const struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(place->address) };
	const int room = ROOM_BYTES, first = place->first;

	namespace_enter(place->to->namespace);
	refusing_socket(&address);
	namespace_enter(place->from->namespace);
	outages->sender = udp_socket();
	if (setsockopt(outages->sender, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) < 0)
		fail("SO_SNDBUFFORCE");
	if (setsockopt(outages->sender, SOL_SOCKET, SO_PRIORITY, &first, sizeof(first)) < 0)
		fail("SO_PRIORITY");
	if (connect(outages->sender, (const struct sockaddr *)&address, sizeof(address)) < 0)
		fail("connect");
}

/* As many bytes as the link would carry, in packets of nearly one size. */
void outage_begin(const struct outages *outages, uint64_t length_ns)
{
	uint64_t bytes = length_ns / SECOND_NS * outages->rate_bytes + length_ns % SECOND_NS * outages->rate_bytes / SECOND_NS;
	uint64_t packets = (bytes + outages->largest_bytes - 1) / outages->largest_bytes, size;

	for (; packets; packets--, bytes -= size) {
		size = (bytes + packets - 1) / packets;
		if (size < UDP_HEADER_BYTES)
			return;
		if (send(outages->sender, data, size - UDP_HEADER_BYTES, MSG_DONTWAIT) < 0)
			fail("an outage's packets");
	}
}
