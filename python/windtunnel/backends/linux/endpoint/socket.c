// SPDX-License-Identifier: GPL-2.0
/*
 * The application of a kernel that is an endpoint: the client writes zeros, the server reads them. It runs in the kernel, with softirqs off:
 * there a reading of the clock costs no virtual time.
 */
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "windtunnel_endpoint.h"
#include "windtunnel_socket.h"

#define UNSENT_BYTES (128 * 1024)	/* kept waiting in the socket: more than one ACK ever releases */
#define UNSENT_BYTES_ON_OFF (16 * 1024)	/* of an application that falls silent, for they are still sent */
#define READ_AT_BYTES (256 * 1024)	/* the reader sleeps until so much has come */
#define CHUNK_BYTES (64 * 1024)

bool windtunnel_is_server;

static struct task_struct *application;
static bool has_news;
static struct socket *own;	/* the client's, or the one that listens */
static struct socket *accepted;
static struct sockaddr_in peer;
static u64 window_bytes;

static u32 command;
static u64 command_bytes;
static u64 to_write;	/* bytes; NEVER for no end */
static bool ends, has_shut, is_last;

/* As it was when the machine was idle before. */
static struct {
	u32 delivered_ce, ssthresh;
	u8 state;
} seen;
static u32 mark_episodes;

static void wake(void)
{
	has_news = true;
	wake_up_process(application);
}

static void on_change(struct sock *sk)
{
	wake();
}

/* As sk_stream_write_space(): when half of what may wait unsent has left. */
static void on_space(struct sock *sk)
{
	if (!__sk_stream_is_writeable(sk, 1) || !sk->sk_socket)
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	wake();
}

void windtunnel_command(u32 what, u64 bytes)
{
	command = what;
	command_bytes = bytes;
	wake();
}

static int set_tcp(struct socket *socket, int option, int value)
{
	return socket->ops->setsockopt(socket, SOL_TCP, option, KERNEL_SOCKPTR(&value), sizeof(value));
}

/* No history of earlier connections, and buffers that never limit a window. */
static void configure(void)
{
	struct netns_ipv4 *ipv4 = &init_net.ipv4;

	ipv4->sysctl_tcp_nometrics_save = 1;
	ipv4->sysctl_tcp_moderate_rcvbuf = 0;
	ipv4->sysctl_tcp_rmem[1] = ipv4->sysctl_tcp_rmem[2] = 1 << 30;
	ipv4->sysctl_tcp_wmem[1] = 64 << 20;
	ipv4->sysctl_tcp_wmem[2] = 1 << 30;
	sysctl_tcp_mem[0] = 4000000;
	sysctl_tcp_mem[1] = 8000000;
	sysctl_tcp_mem[2] = 16000000;
}

int windtunnel_socket(const struct windtunnel_open *open, __be32 client, __be32 server)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	char name[16];
	struct sock *sk;
	int error;

	application = current;
	window_bytes = open->window_bytes;
	configure();
	error = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &own);
	if (error)
		return error;
	sk = own->sk;
	address.sin_addr.s_addr = windtunnel_is_server ? server : client;
	address.sin_port = htons(windtunnel_is_server ? WINDTUNNEL_SERVER_PORT : WINDTUNNEL_CLIENT_PORT);
	peer = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = server, .sin_port = htons(WINDTUNNEL_SERVER_PORT) };
	strscpy(name, open->algorithm, sizeof(name));
	/* Some ask something of the receiver too: DCTCP's answers each mark in its own way. */
	error = own->ops->setsockopt(own, SOL_TCP, TCP_CONGESTION, KERNEL_SOCKPTR(name), strlen(name)) ?:
		kernel_bind(own, (struct sockaddr *)&address, sizeof(address));
	if (error)
		return error;
	sk->sk_state_change = sk->sk_data_ready = sk->sk_error_report = on_change;
	sk->sk_write_space = on_space;
	if (!windtunnel_is_server)
		return set_tcp(own, TCP_NOTSENT_LOWAT, UNSENT_BYTES);
	sk->sk_rcvlowat = READ_AT_BYTES;
	return set_tcp(own, TCP_WINDOW_CLAMP, min_t(u64, window_bytes, INT_MAX)) ?: kernel_listen(own, 1);
}

static void obey(void)
{
	const u32 what = command;

	command = WINDTUNNEL_GO_ON;
	switch (what) {
	case WINDTUNNEL_CONNECT:
		kernel_connect(own, (struct sockaddr *)&peer, sizeof(peer), O_NONBLOCK);
		break;
	case WINDTUNNEL_ENDLESS:
		to_write = WINDTUNNEL_NEVER;
		break;
	case WINDTUNNEL_LAST:
		is_last = ends = true;
		fallthrough;
	case WINDTUNNEL_BYTES:
		to_write += command_bytes;
		break;
	case WINDTUNNEL_STOP:
		to_write = 0;
		ends = true;
		break;
	case WINDTUNNEL_PAUSE:
		to_write = 0;
		set_tcp(own, TCP_NOTSENT_LOWAT, UNSENT_BYTES_ON_OFF);
		break;
	}
}

static void write_data(void)
{
	static u8 zeros[CHUNK_BYTES];
	const u8 state = own->sk->sk_state;

	if (state != TCP_ESTABLISHED && state != TCP_CLOSE_WAIT)
		return;
	while (to_write) {
		struct msghdr message = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
		struct kvec piece = { .iov_base = zeros, .iov_len = min_t(u64, to_write, CHUNK_BYTES) };
		const int taken = kernel_sendmsg(own, &message, &piece, 1, piece.iov_len);

		if (taken <= 0)
			return;
		if (to_write != WINDTUNNEL_NEVER)
			to_write -= taken;
	}
	if (ends && !has_shut) {
		has_shut = true;
		kernel_sock_shutdown(own, SHUT_WR);
	}
}

static void limit_window(void)
{
	/* Kernels since 6.6 forget the limit when they learn how much memory a segment takes. */
	set_tcp(accepted, TCP_WINDOW_CLAMP, min_t(u64, window_bytes, INT_MAX));
}

static void read_data(void)
{
	int size;

	if (!accepted) {
		if (kernel_accept(own, &accepted, O_NONBLOCK) < 0)
			return;
		limit_window();
	}
	do {
		/* Nothing is copied: the bytes are thrown away. */
		struct msghdr message = { 0 };
		struct kvec piece = { 0 };

		size = kernel_recvmsg(accepted, &message, &piece, 1, 1 << 24, MSG_DONTWAIT | MSG_TRUNC);
	} while (size > 0);
	if (size == -EAGAIN) {
		limit_window();
	} else if (!has_shut) {
		/* Who has everything says so at once. */
		has_shut = true;
		kernel_sock_shutdown(accepted, SHUT_WR);
	}
}

void windtunnel_serve(void)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (!has_news) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		has_news = false;
		local_bh_disable();
		obey();
		if (windtunnel_is_server)
			read_data();
		else
			write_data();
		local_bh_enable();
	}
}

static u32 counted(int counter)
{
	return snmp_fold_field((void __percpu *)init_net.mib.net_statistics, counter);
}

/* Answers to congestion marks, which no counter tells of: the state does, and a new ssthresh. */
static void note_marks(const struct tcp_sock *tp, u8 state)
{
	if (state == TCP_CA_CWR && tp->delivered_ce != seen.delivered_ce && (seen.state != TCP_CA_CWR || tp->snd_ssthresh != seen.ssthresh))
		mark_episodes++;
	seen.delivered_ce = tp->delivered_ce;
	seen.ssthresh = tp->snd_ssthresh;
	seen.state = state;
}

void windtunnel_tell(struct windtunnel_said *said)
{
	struct sock *sk = windtunnel_is_server && accepted ? accepted->sk : own->sk;
	const struct tcp_sock *tp = tcp_sk(sk);
	const u8 state = inet_csk(sk)->icsk_ca_state;
	const u32 min_rtt = tcp_min_rtt(tp);

	note_marks(tp, state);
	said->cwnd = tp->snd_cwnd;
	said->ssthresh = tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH ? WINDTUNNEL_NEVER : tp->snd_ssthresh;
	said->in_flight = tcp_packets_in_flight(tp);
	said->retransmitted = tp->total_retrans;
	said->loss_episodes = mark_episodes + counted(LINUX_MIB_TCPRENORECOVERY) + counted(LINUX_MIB_TCPSACKRECOVERY) +
			      counted(LINUX_MIB_TCPLOSSPROBERECOVERY);
	said->timeouts = counted(LINUX_MIB_TCPTIMEOUTS);
	said->srtt_us = tp->srtt_us ? tp->srtt_us >> 3 : WINDTUNNEL_NEVER;
	said->min_rtt_us = min_rtt == ~0U ? WINDTUNNEL_NEVER : min_rtt;
	said->pacing = sk->sk_pacing_rate == ~0UL || !tp->srtt_us ? WINDTUNNEL_NEVER : sk->sk_pacing_rate;
	said->mss = tp->mss_cache;
	/* A FIN counts there as a byte. */
	said->received = tp->bytes_received - !!(sk->sk_shutdown & RCV_SHUTDOWN);
	said->state = state;
	said->is_connected = sk->sk_state != TCP_CLOSE && sk->sk_state != TCP_LISTEN && sk->sk_state != TCP_SYN_SENT;
	said->is_finished = is_last && has_shut && (sk->sk_state == TCP_FIN_WAIT2 || sk->sk_state == TCP_TIME_WAIT || sk->sk_state == TCP_CLOSE);
	said->error = sk->sk_err;
}
