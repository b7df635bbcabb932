/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Between a congestion-control module of the kernel's and the controller interface: one per library. The module's globals are the
 * library's: every run and set of parameters has a copy of it.
 */
#include <stdarg.h>
#include <stddef.h>

#include <windtunnel/tcp.h>
#undef jiffies
#undef min
#undef max
#undef abs
#undef KERNEL_VERSION
#define WT_FIXED_TYPES
#include "windtunnel.h"

#include <stdio.h>
#include <stdlib.h>

unsigned long wt_kernel_jiffies;

/* The module, and what it registers. */
int wt_kernel_init(void) __attribute__((weak));
extern const struct kernel_param __start_wt_kernel_params[] __attribute__((weak, visibility("hidden")));
extern const struct kernel_param __stop_wt_kernel_params[] __attribute__((weak, visibility("hidden")));
extern const struct wt_kernel_doc __start_wt_kernel_docs[] __attribute__((weak, visibility("hidden")));
extern const struct wt_kernel_doc __stop_wt_kernel_docs[] __attribute__((weak, visibility("hidden")));

#define REGISTERED_MAX 4
static struct tcp_congestion_ops *registered[REGISTERED_MAX];
static int registered_count;
static char error[400];

/* A draw that replaces all others, for recordings that tell what was drawn. */
WT_EXPORT s64 wt_kernel_pinned_draw = -1;

#define GUARD 0x57696e6474756e6eULL
#define ALLOCATIONS_MAX 16

/* A connection: the socket comes first. */
struct flow {
	struct tcp_sock tp;
	struct rate_sample rs;
	u64 random;
	u64 now_ns;
	u32 ack_flags;
	u32 peer_ahead_ms; /* by which the peer's timestamps are ahead of ours (RFC 7323 5.4) */
	u64 backward_ns;   /* the last ACK's way back */
	u32 cwr_until;    /* the end of a reduction that the module began */
	bool in_own_cwr;
	bool held_back;
	bool is_new;
	struct { void *at; size_t size; } allocations[ALLOCATIONS_MAX];
};

/* Whose hook runs. */
static struct flow *current;

static const struct tcp_congestion_ops *ops_of(const struct flow *f) { return f->tp.inet_conn.icsk_ca_ops; }
static struct sock *sock_of(struct flow *f) { return (struct sock *)&f->tp; }

/* Messages. */

void wt_kernel_print(const char *format, ...)
{
	va_list given;

	va_start(given, format);
	fprintf(stderr, "[%12.6f] ", current ? current->now_ns / 1e9 : 0.0);
	vfprintf(stderr, format, given);
	va_end(given);
}

void wt_kernel_warn(const char *condition, const char *file, int line)
{
	static int said;

	if (said++ < 10)
		wt_kernel_print("%s:%d: WARN_ON: %s\n", file, line, condition);
}

void wt_kernel_bug(const char *condition, const char *file, int line)
{
	wt_kernel_print("%s:%d: BUG_ON: %s\n", file, line, condition);
	abort();
}

/* Memory belongs to the connection whose hook asks for it: it is copied and freed with it. */

void *wt_kernel_alloc(size_t size)
{
	if (!current)
		return calloc(1, size ? size : 1);
	for (int i = 0; i < ALLOCATIONS_MAX; i++) {
		if (current->allocations[i].at)
			continue;
		current->allocations[i].at = calloc(1, size ? size : 1);
		current->allocations[i].size = size;
		return current->allocations[i].at;
	}
	return NULL;
}

void wt_kernel_free(const void *at)
{
	for (int i = 0; current && i < ALLOCATIONS_MAX; i++) {
		if (current->allocations[i].at == at)
			current->allocations[i].at = NULL;
	}
	free((void *)at);
}

/* Draws: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), of the connection's seed. */

u32 wt_kernel_draw(void)
{
	static u64 of_module;
	u64 *state = current ? &current->random : &of_module;
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (u32)((z ^ (z >> 31)) >> 32);
}

u32 wt_kernel_draw_below(u32 ceiling)
{
	u32 drawn = wt_kernel_draw();

	if (wt_kernel_pinned_draw >= 0)
		return (u32)wt_kernel_pinned_draw % (ceiling ? ceiling : 1);
	return (u32)(((u64)drawn * ceiling) >> 32);
}

u64 wt_kernel_now_ns(void) { return current ? current->now_ns : 0; }

/* Parameters. */

static int set_signed(const char *text, s64 low, s64 high, s64 *value)
{
	char *end;

	*value = strtoll(text, &end, 0);
	return end == text || *end || *value < low || *value > high ? -EINVAL : 0;
}

int kstrtoint(const char *text, unsigned int base, int *value)
{
	s64 wide;
	int bad = set_signed(text, INT_MIN, INT_MAX, &wide);

	(void)base;
	if (!bad)
		*value = (int)wide;
	return bad;
}

int kstrtouint(const char *text, unsigned int base, unsigned int *value)
{
	s64 wide;
	int bad = set_signed(text, 0, UINT_MAX, &wide);

	(void)base;
	if (!bad)
		*value = (unsigned int)wide;
	return bad;
}

int param_set_bool(const char *text, const struct kernel_param *parameter) { *(bool *)parameter->arg = text[0] != '0'; return 0; }
int param_set_int(const char *text, const struct kernel_param *parameter) { return kstrtoint(text, 0, parameter->arg); }
int param_set_uint(const char *text, const struct kernel_param *parameter) { return kstrtouint(text, 0, parameter->arg); }
int param_get_bool(char *text, const struct kernel_param *parameter) { return sprintf(text, "%d\n", *(bool *)parameter->arg); }
int param_get_int(char *text, const struct kernel_param *parameter) { return sprintf(text, "%d\n", *(int *)parameter->arg); }
int param_get_uint(char *text, const struct kernel_param *parameter) { return sprintf(text, "%u\n", *(unsigned int *)parameter->arg); }
const struct kernel_param_ops param_ops_bool = { 0, param_set_bool, param_get_bool, NULL };
const struct kernel_param_ops param_ops_int = { 0, param_set_int, param_get_int, NULL };
const struct kernel_param_ops param_ops_uint = { 0, param_set_uint, param_get_uint, NULL };

#define PARAMETERS_MAX 64
static struct wt_parameter parameters[PARAMETERS_MAX];
static const struct kernel_param *sources[PARAMETERS_MAX];
static u32 parameter_count;
/* The parameter being described: its setter tells its range. */
static struct wt_parameter *described;

int param_set_uint_minmax(const char *text, const struct kernel_param *parameter, unsigned int low, unsigned int high)
{
	unsigned int value;
	int bad = kstrtouint(text, 0, &value);

	if (described) {
		described->min = low;
		described->max = high;
	}
	if (bad || value < low || value > high)
		return -EINVAL;
	*(unsigned int *)parameter->arg = value;
	return 0;
}

static double value_of(const struct kernel_param *p)
{
	switch (p->type) {
	case WT_KERNEL_BOOL: return *(bool *)p->arg;
	case WT_KERNEL_U8: return *(u8 *)p->arg;
	case WT_KERNEL_S16: return *(s16 *)p->arg;
	case WT_KERNEL_U16: return *(u16 *)p->arg;
	case WT_KERNEL_S32: return *(s32 *)p->arg;
	case WT_KERNEL_U32: return *(u32 *)p->arg;
	case WT_KERNEL_S64: return (double)*(s64 *)p->arg;
	default: return (double)*(u64 *)p->arg;
	}
}

static int set(const struct kernel_param *p, double value)
{
	if (p->ops && p->ops->set) {
		char text[32];

		snprintf(text, sizeof(text), "%.0f", value);
		return p->ops->set(text, p);
	}
	switch (p->type) {
	case WT_KERNEL_BOOL: *(bool *)p->arg = value != 0; break;
	case WT_KERNEL_U8: *(u8 *)p->arg = (u8)value; break;
	case WT_KERNEL_S16: *(s16 *)p->arg = (s16)value; break;
	case WT_KERNEL_U16: *(u16 *)p->arg = (u16)value; break;
	case WT_KERNEL_S32: *(s32 *)p->arg = (s32)value; break;
	case WT_KERNEL_U32: *(u32 *)p->arg = (u32)value; break;
	case WT_KERNEL_S64: *(s64 *)p->arg = (s64)value; break;
	default: *(u64 *)p->arg = (u64)value; break;
	}
	return 0;
}

/* What a type holds, whole numbers that a double holds too. */
static void describe_range(struct wt_parameter *shown, enum wt_kernel_type type)
{
	static const double bounds[][2] = {
		[WT_KERNEL_BOOL] = { 0, 1 }, [WT_KERNEL_U8] = { 0, 255 }, [WT_KERNEL_S16] = { -32768, 32767 }, [WT_KERNEL_U16] = { 0, 65535 },
		[WT_KERNEL_S32] = { -2147483648.0, 2147483647.0 }, [WT_KERNEL_U32] = { 0, 4294967295.0 },
		[WT_KERNEL_S64] = { -9007199254740992.0, 9007199254740992.0 }, [WT_KERNEL_U64] = { 0, 9007199254740992.0 },
	};

	shown->min = bounds[type][0];
	shown->max = bounds[type][1];
	shown->is_integer = 1;
	shown->unit = type == WT_KERNEL_BOOL ? "switch" : "1";
}

static bool describe_parameters(void)
{
	const struct kernel_param *first = __start_wt_kernel_params, *last = __stop_wt_kernel_params;

	if (last - first > PARAMETERS_MAX) {
		snprintf(error, sizeof(error), "declares %d parameters; at most %d are understood", (int)(last - first), PARAMETERS_MAX);
		return false;
	}
	for (const struct kernel_param *p = first; p < last; p++) {
		u32 at = parameter_count++;

		/* In the order of the file. */
		for (; at > 0 && sources[at - 1]->line > p->line; at--)
			sources[at] = sources[at - 1];
		sources[at] = p;
	}
	for (u32 i = 0; i < parameter_count; i++) {
		char text[32];

		parameters[i] = (struct wt_parameter){ .name = sources[i]->name, .doc = "", .value = value_of(sources[i]) };
		describe_range(&parameters[i], sources[i]->type);
		for (const struct wt_kernel_doc *d = __start_wt_kernel_docs; d < __stop_wt_kernel_docs; d++) {
			if (!strcmp(d->name, sources[i]->name))
				parameters[i].doc = d->text;
		}
		if (sources[i]->ops && sources[i]->ops->set) {
			described = &parameters[i];
			snprintf(text, sizeof(text), "%.0f", parameters[i].value);
			sources[i]->ops->set(text, sources[i]);
			described = NULL;
		}
	}
	return true;
}

/* What the kernel offers to modules. */

u32 tcp_slow_start(struct tcp_sock *tp, u32 acked)
{
	u32 all = tp->snd_cwnd + acked;
	u32 grown = all < tp->snd_ssthresh ? all : tp->snd_ssthresh;

	tp->snd_cwnd = grown < tp->snd_cwnd_clamp ? grown : tp->snd_cwnd_clamp;
	return all - grown;
}

void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked)
{
	u32 cwnd = tp->snd_cwnd, credit = tp->snd_cwnd_cnt;

	if (credit >= w) {
		cwnd++;
		credit = 0;
	}
	credit += acked;
	if (credit >= w) {
		cwnd += credit / w;
		credit %= w;
	}
	tp->snd_cwnd_cnt = credit;
	tp->snd_cwnd = cwnd < tp->snd_cwnd_clamp ? cwnd : tp->snd_cwnd_clamp;
}

void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	(void)ack;
	if (!tp->is_cwnd_limited)
		return;
	if (tcp_in_slow_start(tp))
		acked = tcp_slow_start(tp, acked);
	if (acked)
		tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

u32 tcp_reno_ssthresh(struct sock *sk)
{
	u32 half = tcp_sk(sk)->snd_cwnd / 2;

	return half > 2 ? half : 2;
}

u32 tcp_reno_undo_cwnd(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

/* The transport has no reduction that an algorithm begins: the window falls at once, and the episode lasts a round trip. */
void tcp_enter_cwr(struct sock *sk)
{
	struct flow *f = (struct flow *)sk;
	const struct tcp_congestion_ops *ops = ops_of(f);

	if (f->tp.inet_conn.icsk_ca_state >= TCP_CA_CWR)
		return;
	f->tp.prior_cwnd = f->tp.snd_cwnd;
	f->tp.snd_cwnd_cnt = 0;
	f->tp.snd_ssthresh = ops->ssthresh(sk);
	if (ops->set_state)
		ops->set_state(sk, TCP_CA_CWR);
	f->tp.inet_conn.icsk_ca_state = TCP_CA_CWR;
	f->tp.snd_cwnd = f->tp.snd_ssthresh;
	f->cwr_until = f->tp.snd_nxt;
	f->in_own_cwr = true;
}

/* The round trip of a reduction that the module began may be over. */
static void settle(struct flow *f)
{
	const struct tcp_congestion_ops *ops = ops_of(f);

	if (likely(!f->in_own_cwr) || before(f->tp.snd_una, f->cwr_until))
		return;
	f->in_own_cwr = false;
	if (ops->cwnd_event)
		ops->cwnd_event(sock_of(f), CA_EVENT_COMPLETE_CWR);
	if (ops->set_state)
		ops->set_state(sock_of(f), TCP_CA_Open);
	f->tp.inet_conn.icsk_ca_state = TCP_CA_Open;
}

/* The best of a window, then the best since that one, then the best since that: each is younger than the one before. */
static u32 minmax_update(struct minmax *m, u32 window, u32 t, u32 measured)
{
	struct minmax_sample now = { .t = t, .v = measured };
	u32 age = t - m->s[0].t;

	if (age > window) {
		/* The best is too old: each other one moves up, and perhaps once more. */
		for (int i = 0; i < 2 && t - m->s[0].t > window; i++) {
			m->s[0] = m->s[1];
			m->s[1] = m->s[2];
			m->s[2] = now;
		}
	} else if (m->s[1].t == m->s[0].t && age > window / 4) {
		m->s[1] = now;
		m->s[2] = now;
	} else if (m->s[2].t == m->s[1].t && age > window / 2) {
		m->s[2] = now;
	}
	return m->s[0].v;
}

u32 minmax_running_max(struct minmax *m, u32 window, u32 t, u32 measured)
{
	if (measured >= m->s[0].v || t - m->s[2].t > window)
		return minmax_reset(m, t, measured);
	for (int i = 1; i < 3; i++) {
		if (measured >= m->s[i].v) {
			for (int j = i; j < 3; j++)
				m->s[j] = (struct minmax_sample){ .t = t, .v = measured };
			break;
		}
	}
	return minmax_update(m, window, t, measured);
}

u32 minmax_running_min(struct minmax *m, u32 window, u32 t, u32 measured)
{
	if (measured <= m->s[0].v || t - m->s[2].t > window)
		return minmax_reset(m, t, measured);
	for (int i = 1; i < 3; i++) {
		if (measured <= m->s[i].v) {
			for (int j = i; j < 3; j++)
				m->s[j] = (struct minmax_sample){ .t = t, .v = measured };
			break;
		}
	}
	return minmax_update(m, window, t, measured);
}

int tcp_register_congestion_control(struct tcp_congestion_ops *ops)
{
	const char *missing = !ops->ssthresh ? "ssthresh" : !ops->undo_cwnd ? "undo_cwnd"
			    : !ops->cong_avoid && !ops->cong_control ? "cong_avoid or cong_control" : NULL;

	if (missing) {
		snprintf(error, sizeof(error), "%.16s: its tcp_congestion_ops has no %s: the kernel demands it", ops->name, missing);
		return -EINVAL;
	}
	if (registered_count < REGISTERED_MAX)
		registered[registered_count] = ops;
	registered_count++;
	return 0;
}

void tcp_unregister_congestion_control(struct tcp_congestion_ops *ops) { (void)ops; }

int tcp_update_congestion_control(struct tcp_congestion_ops *ops, struct tcp_congestion_ops *old) { (void)ops; (void)old; return -EOPNOTSUPP; }

/* Around every hook. */

/* The clock of ticks at the beginning of a run: modules take 0 for a time that is not set. */
#define FIRST_TICK 1

static inline struct flow *enter(void *state, const struct wt_window *w, const struct wt_connection *c)
{
	struct flow *f = state;
	struct tcp_sock *tp = &f->tp;
	u64 us = c->now_ns / 1000;

	current = f;
	f->now_ns = c->now_ns;
	tp->tcp_clock_cache = c->now_ns;
	tp->tcp_wstamp_ns = c->now_ns;
	tp->tcp_mstamp = us;
	wt_kernel_jiffies = FIRST_TICK + us / WT_TICK_US;
	tp->snd_cwnd = (u32)w->cwnd;
	tp->snd_ssthresh = (u32)w->ssthresh;
	tp->snd_cwnd_cnt = w->cnt;
	tp->snd_una = (u32)c->una * c->mss_bytes;
	tp->snd_nxt = (u32)c->nxt * c->mss_bytes;
	tp->delivered = (u32)c->delivered + 1;
	tp->delivered_ce = (u32)c->delivered_ce;
	tp->srtt_us = c->srtt8_us;
	tp->is_cwnd_limited = c->is_cwnd_limited;
	tp->packets_out = c->in_flight;
	if (likely(!f->in_own_cwr)) {
		/* How many are SACKed is not known: that some are is the meaning of these states. */
		u32 sacked = ((1u << WT_DISORDER | 1u << WT_RECOVERY) >> c->ca_state) & c->has_selective_acks;

		tp->inet_conn.icsk_ca_state = c->ca_state;
		tp->sacked_out = sacked;
		tp->packets_out += sacked;
	}
	if (!ops_of(f)->cong_control) {
		tp->inet_conn.icsk_inet.sk.sk_pacing_rate = c->pacing_rate_bytes_per_s;
		tp->inet_conn.icsk_inet.sk.sk_pacing_status = c->is_paced ? SK_PACING_NEEDED : SK_PACING_NONE;
	}
	return f;
}

/* What only some hooks read, or what changes only where these hooks are called. */
static void enter_rarely(struct flow *f, const struct wt_connection *c)
{
	struct tcp_sock *tp = &f->tp;

	tp->mss_cache = c->mss_bytes;
	if (!f->in_own_cwr)
		tp->prior_cwnd = (u32)c->prior_cwnd;
	tp->lsndtime = FIRST_TICK + (u32)(c->last_sent_ns / 1000 / WT_TICK_US);
	tp->lost = (u32)c->lost;
	tp->app_limited = c->app_limited_until ? (u32)c->app_limited_until + 1 : 0;
	tp->write_seq = tp->snd_nxt;
	tp->max_packets_out = c->in_flight;
	minmax_reset(&tp->rtt_min, (u32)wt_kernel_jiffies, c->rtt_min_ns == WT_NONE ? ~0u : (u32)(c->rtt_min_ns / 1000));
}

static inline void leave(struct flow *f, struct wt_window *w)
{
	struct tcp_sock *tp = &f->tp;

	/* A fraction of a segment that the transport has stays where the module changes nothing. */
	if (tp->snd_cwnd != (u32)w->cwnd)
		w->cwnd = tp->snd_cwnd;
	if (tp->snd_ssthresh != (u32)w->ssthresh)
		w->ssthresh = tp->snd_ssthresh;
	w->cnt = tp->snd_cwnd_cnt;
	if (unlikely(tp->inet_conn.wt_guard[0] != GUARD))
		w->fault = "its state is larger than the 104 bytes of ICSK_CA_PRIV_SIZE: it wrote past their end";
}

static void *create(const double *values)
{
	struct flow *f = calloc(1, sizeof(*f));

	(void)values;
	if (!f)
		return NULL;
	f->tp.inet_conn.icsk_ca_ops = registered[0];
	f->tp.inet_conn.icsk_inet.sk = (struct sock){
		.sk_max_pacing_rate = ~0UL, .sk_pacing_shift = 10, .sk_state = TCP_ESTABLISHED, .sk_gso_max_size = GSO_MAX_SIZE,
		.sk_gso_max_segs = 65535,
	};
	f->tp.inet_conn.wt_guard[0] = GUARD;
	f->tp.inet_conn.icsk_ca_initialized = 1;
	f->tp.inet_conn.icsk_rto = HZ;
	f->tp.inet_conn.icsk_rto_min = HZ / 5;
	f->tp.snd_cwnd_clamp = ~0U;
	f->tp.snd_wnd = 1u << 30;
	f->tp.ecn_flags = registered[0]->flags & (TCP_CONG_NEEDS_ECN | TCP_CONG_NEEDS_ACCECN) ? TCP_ECN_OK : 0;
	f->tp.rx_opt = (struct tcp_options_received){ .tstamp_ok = 1, .sack_ok = 1 };
	f->is_new = true;
	return f;
}

static void destroy(void *state)
{
	struct flow *f = state;

	current = f;
	if (!f->is_new && ops_of(f)->release)
		ops_of(f)->release(sock_of(f));
	current = NULL;
	for (int i = 0; i < ALLOCATIONS_MAX; i++)
		free(f->allocations[i].at);
	free(f);
}

/* A word that points into memory of `from` points to the same place of `to`'s. */
static void relocate(const struct flow *from, const struct flow *to, void *at, size_t size)
{
	char **words = at;

	for (size_t i = 0; i < size / sizeof(*words); i++) {
		for (int j = 0; j < ALLOCATIONS_MAX; j++) {
			char *old = from->allocations[j].at;

			if (old && words[i] >= old && words[i] < old + from->allocations[j].size) {
				words[i] = (char *)to->allocations[j].at + (words[i] - old);
				break;
			}
		}
	}
}

static void *clone(const void *state)
{
	const struct flow *from = state;
	struct flow *to = malloc(sizeof(*to));
	bool has_memory = false;

	if (!to)
		return NULL;
	*to = *from;
	for (int i = 0; i < ALLOCATIONS_MAX; i++) {
		if (!from->allocations[i].at)
			continue;
		has_memory = true;
		to->allocations[i].at = malloc(from->allocations[i].size);
		memcpy(to->allocations[i].at, from->allocations[i].at, from->allocations[i].size);
	}
	if (has_memory) {
		relocate(from, to, to->tp.inet_conn.icsk_ca_priv, ICSK_CA_PRIV_SIZE);
		for (int i = 0; i < ALLOCATIONS_MAX; i++)
			relocate(from, to, to->allocations[i].at, to->allocations[i].at ? to->allocations[i].size : 0);
	}
	return to;
}

static u32 ecn_feedback;
static bool wants_pacing;

static void needs(const void *state, struct wt_needs *n)
{
	const struct tcp_congestion_ops *ops = ops_of(state);

	*n = (struct wt_needs){
		.control = ops->cong_control ? WT_FULL_BY_RATE : wants_pacing ? WT_PACED_WINDOW : WT_WINDOW,
		.rtt_samples = ops->pkts_acked ? WT_RTT_BY_STACK : WT_RTT_UNUSED,
		.ack_arrivals = ops->in_ack_event != NULL,
		.transport_rate = ops->pkts_acked != NULL && !ops->cong_control,
		.ecn = ecn_feedback,
		.ahead = 1,
	};
}

static void on_seeded(void *state, uint64_t seed)
{
	struct flow *f = state;

	f->random = seed;
	f->peer_ahead_ms = (u32)(seed >> 32);
}

static void on_established(void *state, struct wt_window *w, const struct wt_connection *c)
{
	struct flow *f = enter(state, w, c);

	enter_rarely(f, c);
	f->tp.delivered_mstamp = f->tp.tcp_mstamp;
	f->is_new = false;
	if (ops_of(f)->init)
		ops_of(f)->init(sock_of(f));
	leave(f, w);
}

static void on_rtt_sampled(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_rtt_sample *s)
{
	struct flow *f = enter(state, w, c);
	struct ack_sample sample = { s->acked, s->rtt_ns == WT_NONE ? -1 : (s32)(s->rtt_ns / 1000), s->in_flight };

	if (s->sent_ns != WT_NONE) {
		f->backward_ns = c->now_ns - s->sent_ns - s->forward_ns;
		f->tp.rx_opt.rcv_tsval = f->peer_ahead_ms + (u32)((s->sent_ns + s->forward_ns) / 1000000);
		f->tp.rx_opt.rcv_tsecr = (u32)(s->sent_ns / 1000000);
		f->tp.rx_opt.saw_tstamp = 1;
	} else if (f->tp.rx_opt.saw_tstamp && c->now_ns > f->backward_ns) {
		/* A duplicate: the peer's time is new, what it echoes is not. */
		f->tp.rx_opt.rcv_tsval = f->peer_ahead_ms + (u32)((c->now_ns - f->backward_ns) / 1000000);
	}
	settle(f);
	ops_of(f)->pkts_acked(sock_of(f), &sample);
	leave(f, w);
}

static void on_ack_arrived(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_ack *a)
{
	struct flow *f = enter(state, w, c);

	f->ack_flags = (a->is_slow_path ? CA_ACK_SLOWPATH : 0) | (a->has_ece ? CA_ACK_ECE : 0);
	ops_of(f)->in_ack_event(sock_of(f), f->ack_flags);
	leave(f, w);
}

static void on_state_changed(void *state, struct wt_window *w, const struct wt_connection *c, u32 to)
{
	struct flow *f = enter(state, w, c);

	enter_rarely(f, c);
	if (to >= TCP_CA_CWR)
		f->in_own_cwr = false;
	if (ops_of(f)->set_state && !f->in_own_cwr)
		ops_of(f)->set_state(sock_of(f), (u8)to);
	leave(f, w);
}

static void on_acked(void *state, struct wt_window *w, const struct wt_connection *c, u32 acked)
{
	struct flow *f = enter(state, w, c);

	settle(f);
	if (!f->in_own_cwr)
		ops_of(f)->cong_avoid(sock_of(f), f->tp.snd_una, acked);
	leave(f, w);
}

static void on_rate_sampled(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_rate_sample *s)
{
	struct flow *f = enter(state, w, c);
	struct rate_sample *rs = &f->rs;
	u32 limited;

	enter_rarely(f, c);
	*rs = (struct rate_sample){
		.prior_mstamp = s->prior_delivered_ns / 1000,
		.prior_delivered = (u32)s->prior_delivered + 1,
		.delivered = (s32)s->delivered,
		.interval_us = s->interval_ns == WT_NONE ? -1 : (long)(s->interval_ns / 1000),
		.rtt_us = s->rtt_ns == WT_NONE ? -1 : (long)(s->rtt_ns / 1000),
		.losses = (int)s->lost,
		.acked_sacked = s->acked,
		.prior_in_flight = s->prior_in_flight,
		.tx_in_flight = s->tx_in_flight,
		.lost = (s32)s->lost_since_sent,
		.prior_lost = (u32)c->lost - s->lost_since_sent,
		.last_end_seq = f->tp.snd_una,
		.is_app_limited = s->is_app_limited,
	};
	f->tp.delivered_mstamp = s->delivered_ns / 1000;
	limited = f->tp.app_limited;
#if WT_KERNEL_CONG_CONTROL == 2
	ops_of(f)->cong_control(sock_of(f), rs);
#else
	ops_of(f)->cong_control(sock_of(f), f->tp.snd_una, f->ack_flags & CA_ACK_ECE ? FLAG_ECE : 0, rs);
#endif
	f->held_back = f->tp.app_limited != limited;
	leave(f, w);
}

static u32 holds_back(const void *state) { return ((const struct flow *)state)->held_back; }

static double ssthresh(void *state, struct wt_window *w, const struct wt_connection *c)
{
	struct flow *f = enter(state, w, c);
	u32 answer;

	enter_rarely(f, c);
	/* An episode that the module began goes on. */
	answer = f->in_own_cwr ? f->tp.snd_ssthresh : ops_of(f)->ssthresh(sock_of(f));
	f->in_own_cwr = false;
	leave(f, w);
	return answer;
}

static double undo(void *state, struct wt_window *w, const struct wt_connection *c)
{
	struct flow *f = enter(state, w, c);
	u32 answer;

	enter_rarely(f, c);
	answer = ops_of(f)->undo_cwnd(sock_of(f));
	leave(f, w);
	return answer;
}

static void on_event(void *state, struct wt_window *w, const struct wt_connection *c, u32 event)
{
	static const enum tcp_ca_event names[] = {
		[WT_TX_STARTED] = CA_EVENT_TX_START, [WT_WINDOW_RESTARTED] = CA_EVENT_CWND_RESTART,
		[WT_REDUCTION_COMPLETED] = CA_EVENT_COMPLETE_CWR, [WT_TIMED_OUT] = CA_EVENT_LOSS,
	};
	struct flow *f = enter(state, w, c);
	const struct tcp_congestion_ops *ops = ops_of(f);

	enter_rarely(f, c);
	if (event == WT_TX_STARTED && ops->cwnd_event_tx_start)
		ops->cwnd_event_tx_start(sock_of(f));
	else if (ops->cwnd_event)
		ops->cwnd_event(sock_of(f), names[event]);
	leave(f, w);
}

static uint64_t pacing_rate(const void *state, const struct wt_window *w, const struct wt_connection *c)
{
	(void)w;
	(void)c;
	return ((const struct flow *)state)->tp.inet_conn.icsk_inet.sk.sk_pacing_rate;
}

/* What the module tells of itself through get_info. */

static const char *const vegas_names[] = { "enabled", "rtt_count", "rtt_us", "min_rtt_us" };
static const char *const dctcp_names[] = { "enabled", "ce_state", "alpha_1024", "marked_bytes", "acked_bytes" };
static const char *const bbr_names[] = { "bw_bytes_per_s", "min_rtt_us", "pacing_gain_256", "cwnd_gain_256" };
static int info_kind;

static void variables_now(const void *state, double *values)
{
	struct flow *f = (struct flow *)state;
	union tcp_cc_info info;
	int kind = 0;

	memset(&info, 0, sizeof(info));
	current = f;
	if (!f->is_new)
		ops_of(f)->get_info(sock_of(f), ~0u, &kind, &info);
	current = NULL;
	if (info_kind == INET_DIAG_VEGASINFO) {
		values[0] = info.vegas.tcpv_enabled;
		values[1] = info.vegas.tcpv_rttcnt;
		values[2] = info.vegas.tcpv_rtt;
		values[3] = info.vegas.tcpv_minrtt;
	} else if (info_kind == INET_DIAG_DCTCPINFO) {
		values[0] = info.dctcp.dctcp_enabled;
		values[1] = info.dctcp.dctcp_ce_state;
		values[2] = info.dctcp.dctcp_alpha;
		values[3] = info.dctcp.dctcp_ab_ecn;
		values[4] = info.dctcp.dctcp_ab_tot;
	} else {
		values[0] = (double)(((u64)info.bbr.bbr_bw_hi << 32) | info.bbr.bbr_bw_lo);
		values[1] = info.bbr.bbr_min_rtt;
		values[2] = info.bbr.bbr_pacing_gain;
		values[3] = info.bbr.bbr_cwnd_gain;
	}
}

static struct wt_controller controller = {
	.abi = WT_ABI, .size = sizeof(struct wt_controller), .create = create, .destroy = destroy, .clone = clone, .needs = needs,
	.on_seeded = on_seeded, .on_established = on_established, .ssthresh = ssthresh, .undo = undo,
};

/* What cannot be read from the table of the module is asked of a connection that is thrown away. */
static void probe(void)
{
	struct wt_window w = { .cwnd = 10, .ssthresh = WT_SSTHRESH_INFINITE };
	struct wt_connection c = { .now_ns = 1000000000, .rtt_min_ns = 50000000, .srtt8_us = 400000, .mss_bytes = 1448 };
	const struct tcp_congestion_ops *ops = registered[0];
	union tcp_cc_info info;
	struct flow *f = create(NULL);

	on_established(f, &w, &c);
	current = f;
	wants_pacing = sock_of(f)->sk_pacing_status != SK_PACING_NONE;
	if (ops->get_info)
		ops->get_info(sock_of(f), ~0u, &info_kind, &info);
	if (ops->flags & TCP_CONG_NEEDS_ACCECN)
		ecn_feedback = WT_ECN_L4S;
	else if (ops->flags & TCP_CONG_NEEDS_ECN)
		ecn_feedback = WT_ECN_DCTCP;
	current = NULL;
	destroy(f);
}

static void fill_table(void)
{
	const struct tcp_congestion_ops *ops = registered[0];

	controller.name = ops->name;
	controller.on_state_changed = on_state_changed;
	controller.on_event = on_event;
	controller.on_acked = ops->cong_control ? NULL : on_acked;
	controller.on_rate_sampled = ops->cong_control ? on_rate_sampled : NULL;
	controller.holds_back = ops->cong_control ? holds_back : NULL;
	controller.pacing_rate = ops->cong_control || wants_pacing ? pacing_rate : NULL;
	controller.on_rtt_sampled = ops->pkts_acked ? on_rtt_sampled : NULL;
	controller.on_ack_arrived = ops->in_ack_event ? on_ack_arrived : NULL;
	if (info_kind == INET_DIAG_VEGASINFO) {
		controller.variables = vegas_names;
		controller.variable_count = ARRAY_SIZE(vegas_names);
	} else if (info_kind == INET_DIAG_DCTCPINFO) {
		controller.variables = dctcp_names;
		controller.variable_count = ARRAY_SIZE(dctcp_names);
	} else if (info_kind == INET_DIAG_BBRINFO) {
		controller.variables = bbr_names;
		controller.variable_count = ARRAY_SIZE(bbr_names);
	}
	controller.variables_now = controller.variables ? variables_now : NULL;
}

/* Whether the module registers one algorithm, and only one. */
static const char *registration(int answer)
{
	if (registered_count == 0 && error[0])
		return error;
	if (registered_count == 0)
		snprintf(error, sizeof(error), "its module_init registers no tcp_congestion_ops (it answers %d)", answer);
	else if (registered_count > 1)
		snprintf(error, sizeof(error), "registers %d algorithms, %.16s and %.16s: give each a file of its own", registered_count,
			 registered[0]->name, registered[1]->name);
	else if (answer != 0)
		snprintf(error, sizeof(error), "its module_init answers %d", answer);
	else
		return NULL;
	return error;
}

/* Parameters first, then init, as insmod does. */
static const char *load(const double *values)
{
	const char *wrong;
	int answer;

	for (u32 i = 0; i < parameter_count; i++) {
		if (set(sources[i], values[i])) {
			snprintf(error, sizeof(error), "%s: %.0f is refused by the module", sources[i]->name, values[i]);
			return error;
		}
	}
	if (!wt_kernel_init) {
		snprintf(error, sizeof(error), "has no module_init: nothing registers its tcp_congestion_ops");
		return error;
	}
	answer = wt_kernel_init();
	wrong = registration(answer);
	if (wrong)
		return wrong;
	probe();
	fill_table();
	return NULL;
}

WT_EXPORT const struct wt_controller *windtunnel_controller(uint32_t abi)
{
	if (abi != WT_ABI) {
		snprintf(error, sizeof(error), "was built for version %u of the interface", WT_ABI);
		return NULL;
	}
	if (!controller.load) {
		if (!describe_parameters())
			return NULL;
		controller.parameters = parameters;
		controller.parameter_count = parameter_count;
		controller.load = load;
	}
	return &controller;
}

WT_EXPORT const char *windtunnel_error(void) { return error; }
