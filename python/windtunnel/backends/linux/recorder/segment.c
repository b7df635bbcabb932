#include "segment.h"

#include <arpa/inet.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <string.h>

#define OPTION_MSS 2
#define OPTION_SCALE 3
#define OPTION_SELECTIVE 4
#define OPTION_BLOCKS 5
#define OPTION_STAMPS 8
#define NOTHING 1
#define PEER_SEQ 1000000u

static uint32_t stamp_in(const uint8_t *option, const uint8_t *end)
{
	uint32_t stamp;

	while (option < end && *option) {
		if (*option == NOTHING) {
			option++;
		} else if (*option == OPTION_STAMPS) {
			memcpy(&stamp, option + 2, sizeof(stamp));
			return ntohl(stamp);
		} else {
			option += option[1];
		}
	}
	return 0;
}

bool segment_read(const uint8_t *bytes, ssize_t size, struct sent_segment *segment)
{
	const struct iphdr *ip = (const struct iphdr *)bytes;
	const struct tcphdr *tcp = (const struct tcphdr *)(bytes + sizeof(*ip));

	if (size < (ssize_t)(sizeof(*ip) + sizeof(*tcp)) || ip->version != 4 || ip->ihl != 5 || ip->protocol != IPPROTO_TCP)
		return false;
	segment->port = ntohs(tcp->source);
	segment->seq = ntohl(tcp->seq);
	segment->payload = ntohs(ip->tot_len) - sizeof(*ip) - tcp->doff * 4;
	segment->stamp = stamp_in((const uint8_t *)(tcp + 1), (const uint8_t *)tcp + tcp->doff * 4);
	segment->is_syn = tcp->syn;
	segment->has_reduced = tcp->cwr;
	segment->is_capable = ip->tos & 3;
	return true;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
	value = htonl(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static uint8_t *put_syn(uint8_t *at, const struct answer *answer)
{
	const uint8_t scale[] = { NOTHING, OPTION_SCALE, 3, WINDOW_SCALE };
	const uint8_t selective[] = { NOTHING, NOTHING, OPTION_SELECTIVE, 2 };

	*at++ = OPTION_MSS;
	*at++ = 4;
	*at++ = answer->mss >> 8;
	*at++ = answer->mss & 0xff;
	memcpy(at, scale, sizeof(scale));
	at += sizeof(scale);
	if (answer->is_selective) {
		memcpy(at, selective, sizeof(selective));
		at += sizeof(selective);
	}
	return at;
}

static uint8_t *put_options(uint8_t *at, const struct answer *answer)
{
	unsigned i;

	if (answer->is_syn)
		at = put_syn(at, answer);
	if (answer->has_stamps) {
		*at++ = NOTHING;
		*at++ = NOTHING;
		*at++ = OPTION_STAMPS;
		*at++ = 10;
		at = put32(put32(at, answer->stamp), answer->echo);
	}
	if (answer->blocks) {
		*at++ = NOTHING;
		*at++ = NOTHING;
		*at++ = OPTION_BLOCKS;
		*at++ = 2 + 8 * answer->blocks;
		for (i = 0; i < answer->blocks; i++)
			at = put32(put32(at, answer->left[i]), answer->right[i]);
	}
	return at;
}

static uint32_t added(uint32_t sum, const void *data, size_t size)
{
	const uint8_t *byte = data;
	size_t i;

	for (i = 0; i < size; i++)
		sum += i & 1 ? byte[i] : byte[i] << 8;
	return sum;
}

static uint16_t folded(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons(~sum);
}

static uint16_t window_field(const struct answer *answer)
{
	const uint32_t unit = answer->is_syn ? 1 : 1 << WINDOW_SCALE;
	const uint32_t units = (answer->window + unit - 1) / unit;

	return htons(units < 65535 ? units : 65535);
}

size_t segment_make(const struct answer *answer, uint8_t *bytes)
{
	struct iphdr ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_TCP, .saddr = htonl(PEER_ADDRESS),
			    .daddr = htonl(KERNEL_ADDRESS) };
	struct tcphdr tcp = { .source = htons(PEER_PORT), .dest = htons(answer->port), .ack = 1, .syn = answer->is_syn,
			      .ece = answer->echoes_marks, .seq = htonl(PEER_SEQ + !answer->is_syn), .ack_seq = htonl(answer->ack),
			      .window = window_field(answer) };
	uint8_t *options = bytes + sizeof(ip) + sizeof(tcp);
	const size_t header = sizeof(tcp) + (put_options(options, answer) - options);

	tcp.doff = header / 4;
	ip.tot_len = htons(sizeof(ip) + header);
	ip.check = folded(added(0, &ip, sizeof(ip)));
	memcpy(bytes, &ip, sizeof(ip));
	memcpy(bytes + sizeof(ip), &tcp, sizeof(tcp));
	tcp.check = folded(added(added(IPPROTO_TCP + header, &ip.saddr, 8), bytes + sizeof(ip), header));
	memcpy(bytes + sizeof(ip), &tcp, sizeof(tcp));
	return sizeof(ip) + header;
}
