/*
 * The first process of a self-test's guest: says what the kernel is, moves one megabyte over a loopback of 10 ms round trip, halts.
 *
 * Everything it says goes into the file /records, a key and a value per line. The file /first is made when the first segment of data leaves,
 * so that its time on the host is the time the boot took.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 5001, BYTES = 1000000, DELAY_TICKS = 5000000 / 64, LIMIT_PACKETS = 10000, MTU_BYTES = 1500 };

static FILE *records;

static void halt(void)
{
	fflush(records);
	fsync(fileno(records));
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}

/* A failure is a record too: the host sees that `end` is missing, and why. */
static void need(int fine, const char *what)
{
	if (fine)
		return;
	fprintf(records, "failed %s: %s\n", what, strerror(errno));
	halt();
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void say_file(const char *key, const char *path)
{
	char text[4096] = "";
	FILE *file = fopen(path, "r");

	need(file != NULL && fgets(text, sizeof(text), file) != NULL, path);
	fclose(file);
	text[strcspn(text, "\n")] = 0;
	fprintf(records, "%s %s\n", key, text);
}

static void say_machine(void)
{
	struct utsname names;
	struct timespec tick, start;
	unsigned char random[16];
	size_t i;

	uname(&names);
	fprintf(records, "release %s\n", names.release);
	/* The coarse clock's resolution is the tick. */
	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	fprintf(records, "tick_ns %ld\n", tick.tv_nsec);
	clock_gettime(CLOCK_REALTIME, &start);
	fprintf(records, "start %lld.%09ld\n", (long long)start.tv_sec, start.tv_nsec);
	need(getrandom(random, sizeof(random), 0) == sizeof(random), "getrandom");
	fprintf(records, "random ");
	for (i = 0; i < sizeof(random); i++)
		fprintf(records, "%02x", random[i]);
	fprintf(records, "\nstack %p\n", (void *)&names);
	say_file("algorithms", "/proc/sys/net/ipv4/tcp_available_congestion_control");
	say_file("default", "/proc/sys/net/ipv4/tcp_congestion_control");
}

static void append(struct nlmsghdr *message, int type, const void *data, size_t bytes)
{
	struct rtattr *attribute = (struct rtattr *)((char *)message + NLMSG_ALIGN(message->nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = RTA_LENGTH(bytes);
	memcpy(RTA_DATA(attribute), data, bytes);
	message->nlmsg_len = NLMSG_ALIGN(message->nlmsg_len) + RTA_ALIGN(attribute->rta_len);
}

/* 5 ms of netem on the loopback, which a segment and its acknowledgement both pass. */
static void delay_loopback(int index)
{
	struct {
		struct nlmsghdr header;
		struct tcmsg body;
		char room[256];
	} request = { .header = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct tcmsg)), .nlmsg_type = RTM_NEWQDISC,
				  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE },
		      .body = { .tcm_family = AF_UNSPEC, .tcm_ifindex = index, .tcm_parent = TC_H_ROOT } };
	struct tc_netem_qopt options = { .latency = DELAY_TICKS, .limit = LIMIT_PACKETS };
	char answer[1024];
	struct nlmsghdr *reply = (struct nlmsghdr *)answer;
	int link = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	need(link >= 0, "netlink");
	append(&request.header, TCA_KIND, "netem", sizeof("netem"));
	append(&request.header, TCA_OPTIONS, &options, sizeof(options));
	need(send(link, &request, request.header.nlmsg_len, 0) > 0, "send to netlink");
	need(recv(link, answer, sizeof(answer), 0) > 0, "answer of netlink");
	need(reply->nlmsg_type == NLMSG_ERROR, "kind of answer");
	errno = -((struct nlmsgerr *)NLMSG_DATA(reply))->error;
	need(errno == 0, "netem on the loopback");
	close(link);
}

static void raise_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int any = socket(AF_INET, SOCK_DGRAM, 0), index;

	need(any >= 0 && ioctl(any, SIOCGIFINDEX, &request) == 0, "index of the loopback");
	index = request.ifr_ifindex;
	request.ifr_mtu = MTU_BYTES;
	need(ioctl(any, SIOCSIFMTU, &request) == 0, "packet size of the loopback");
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	need(ioctl(any, SIOCSIFFLAGS, &request) == 0, "loopback up");
	close(any);
	delay_loopback(index);
}

static void say_state(int sender, long received)
{
	struct tcp_info info;
	socklen_t bytes = sizeof(info);

	need(getsockopt(sender, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0, "TCP_INFO");
	fprintf(records, "at %lld received %ld cwnd %u rtt_us %u unacked %u\n", now_ns(), received, info.tcpi_snd_cwnd, info.tcpi_rtt,
		info.tcpi_unacked);
}

static void mark_first(void)
{
	int mark = open("/first", O_CREAT | O_WRONLY, 0644);

	need(mark >= 0 && write(mark, "1", 1) == 1 && fsync(mark) == 0, "mark of the first segment");
	close(mark);
}

static void transfer(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0), sender = socket(AF_INET, SOCK_STREAM, 0), receiver;
	static char data[65536];
	long sent = 0, received = 0;
	struct tcp_info info;
	socklen_t bytes = sizeof(info);

	need(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 1) == 0, "listen");
	need(connect(sender, (struct sockaddr *)&address, sizeof(address)) == 0, "connect");
	receiver = accept(listener, NULL, NULL);
	need(receiver >= 0, "accept");
	fcntl(sender, F_SETFL, O_NONBLOCK);
	fcntl(receiver, F_SETFL, O_NONBLOCK);
	while (received < BYTES) {
		struct pollfd ends[2] = { { .fd = receiver, .events = POLLIN }, { .fd = sent < BYTES ? sender : -1, .events = POLLOUT } };
		long count;

		need(poll(ends, 2, 10000) > 0, "progress");
		if (ends[1].revents) {
			count = send(sender, data, BYTES - sent < (long)sizeof(data) ? (size_t)(BYTES - sent) : sizeof(data), 0);
			need(count > 0, "send");
			if (sent == 0)
				mark_first();
			sent += count;
		}
		if (ends[0].revents) {
			count = recv(receiver, data, sizeof(data), 0);
			need(count > 0, "receive");
			received += count;
			say_state(sender, received);
		}
	}
	need(getsockopt(sender, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0, "TCP_INFO");
	fprintf(records, "min_rtt_us %u\n", info.tcpi_min_rtt);
	fprintf(records, "transferred %ld\n", received);
}

int main(void)
{
	records = fopen("/records", "w");
	if (records == NULL)
		reboot(RB_POWER_OFF);
	need(mount("proc", "/proc", "proc", 0, NULL) == 0, "mount of /proc");
	say_machine();
	raise_loopback();
	transfer();
	fprintf(records, "end %lld\n", now_ns());
	halt();
	return 0;
}
