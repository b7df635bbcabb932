/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The hooks of the controller interface, each around one of the module's. Part of one file: src/dialect.rs has the order. */

/* Around every hook. */

/* The clock of ticks at the beginning of a run: modules take 0 for a time that is not set. */
#define FIRST_TICK 1

/* The window in segments. No window that is let through is beyond 2^31. */
static inline struct wt_pair whole(const struct wt_window *w) { return (struct wt_pair){ (u32)(s32)w->cwnd, (u32)(s32)w->ssthresh }; }

static inline struct flow *enter(void *state, const struct wt_window *w, const struct wt_connection *c)
{
	struct flow *f = state;
	struct tcp_sock *tp = &f->tp;
	u64 now_ns = c->now_ns, us = now_ns / 1000;
	u32 mss = c->mss_bytes;

	current = f;
	tp->tcp_clock_cache = now_ns;
	tp->tcp_wstamp_ns = now_ns;
	tp->tcp_mstamp = us;
	wt_kernel_jiffies = FIRST_TICK + us / WT_TICK_US;
	f->shown = whole(w);
	memcpy(&tp->snd_cwnd, &f->shown, sizeof(f->shown));
	tp->snd_cwnd_cnt = w->cnt;
	tp->snd_una = (u32)c->una * mss;
	tp->snd_nxt = (u32)c->nxt * mss;
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
	if (likely(!f->sets_pacing)) {
		tp->inet_conn.icsk_inet.sk.sk_pacing_rate = c->pacing_rate_bytes_per_s;
		tp->inet_conn.icsk_inet.sk.sk_pacing_status = c->is_paced * SK_PACING_NEEDED;
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
	tp->app_limited = (u32)c->app_limited_until;
	tp->write_seq = tp->snd_nxt;
	tp->max_packets_out = c->in_flight;
	minmax_reset(&tp->rtt_min, (u32)wt_kernel_jiffies, c->rtt_min_ns == WT_NONE ? ~0u : (u32)(c->rtt_min_ns / 1000));
}

/* The window as the module left it. */
static inline void leave_window(struct flow *f, struct wt_window *w)
{
	struct tcp_sock *tp = &f->tp;

	/* A fraction of a segment that the transport has stays where the module changes nothing. */
	if (unlikely(memcmp(&f->shown, &tp->snd_cwnd, sizeof(f->shown)) != 0)) {
		if (tp->snd_cwnd != f->shown.cwnd)
			w->cwnd = tp->snd_cwnd;
		if (tp->snd_ssthresh != f->shown.ssthresh)
			w->ssthresh = tp->snd_ssthresh;
		memcpy(&f->shown, &tp->snd_cwnd, sizeof(f->shown));
	}
}

static inline void leave(struct flow *f, struct wt_window *w)
{
	leave_window(f, w);
	w->cnt = f->tp.snd_cwnd_cnt;
	if (unlikely(f->tp.inet_conn.wt_guard[0] != GUARD))
		w->fault = "its state is larger than the 104 bytes of ICSK_CA_PRIV_SIZE: it wrote past their end";
}

/* The same of a hook that is rarely called: everything behind the state is looked at. */
static void leave_rarely(struct flow *f, struct wt_window *w)
{
	for (int i = 1; i < WT_GUARD_WORDS; i++)
		if (f->tp.inet_conn.wt_guard[i] != GUARD)
			f->tp.inet_conn.wt_guard[0] = 0;
	leave(f, w);
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
	for (int i = 0; i < WT_GUARD_WORDS; i++)
		f->tp.inet_conn.wt_guard[i] = GUARD;
	f->tp.inet_conn.icsk_ca_initialized = 1;
	f->tp.inet_conn.icsk_rto = HZ;
	f->tp.inet_conn.icsk_rto_min = HZ / 5;
	f->tp.snd_cwnd_clamp = ~0U;
	f->tp.snd_wnd = 1u << 30;
	f->tp.ecn_flags = registered[0]->flags & (TCP_CONG_NEEDS_ECN | TCP_CONG_NEEDS_ACCECN) ? TCP_ECN_OK : 0;
	f->tp.rx_opt = (struct tcp_options_received){ .tstamp_ok = 1, .sack_ok = 1 };
	f->sets_pacing = registered[0]->cong_control != NULL;
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

/* Linux tells of the answer to the SYN before it sets the state up and the window: what the hook leaves in the state stays where `init` does not set it. */
static void hear_of_syn(struct flow *f, const struct wt_connection *c)
{
	struct ack_sample sample = { .pkts_acked = 1, .rtt_us = (s32)(c->srtt8_us >> 3) };

	if (!ops_of(f)->pkts_acked || !c->srtt8_us)
		return;
	ops_of(f)->pkts_acked(sock_of(f), &sample);
	memcpy(&f->tp.snd_cwnd, &f->shown, sizeof(f->shown));
}

static void on_established(void *state, struct wt_window *w, const struct wt_connection *c)
{
	struct flow *f = enter(state, w, c);

	enter_rarely(f, c);
	hear_of_syn(f, c);
	f->tp.delivered_mstamp = f->tp.tcp_mstamp;
	f->is_new = false;
	if (ops_of(f)->init)
		ops_of(f)->init(sock_of(f));
	leave_rarely(f, w);
}

static inline void take_rtt(struct flow *f, const struct wt_connection *c, const struct wt_rtt_sample *s)
{
	struct ack_sample sample = { s->acked, s->rtt_ns == WT_NONE ? -1 : (s32)(s->rtt_ns / 1000), s->in_flight };

#ifndef WT_KERNEL_WITHOUT_TIMESTAMPS
	if (s->sent_ns != WT_NONE) {
		f->backward_ns = c->now_ns - s->sent_ns - s->forward_ns;
		f->tp.rx_opt.rcv_tsval = f->peer_ahead_ms + (u32)((s->sent_ns + s->forward_ns) / 1000000);
		f->tp.rx_opt.rcv_tsecr = (u32)(s->sent_ns / 1000000);
		f->tp.rx_opt.saw_tstamp = 1;
	} else if (f->tp.rx_opt.saw_tstamp && c->now_ns > f->backward_ns) {
		/* A duplicate: the peer's time is new, what it echoes is not. */
		f->tp.rx_opt.rcv_tsval = f->peer_ahead_ms + (u32)((c->now_ns - f->backward_ns) / 1000000);
	}
#endif
	settle(f);
	ops_of(f)->pkts_acked(sock_of(f), &sample);
}

static void on_rtt_sampled(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_rtt_sample *s)
{
	struct flow *f = enter(state, w, c);

	take_rtt(f, c, s);
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
	leave_rarely(f, w);
}

static void on_acked(void *state, struct wt_window *w, const struct wt_connection *c, u32 acked)
{
	struct flow *f = enter(state, w, c);

	settle(f);
	if (!f->in_own_cwr)
		ops_of(f)->cong_avoid(sock_of(f), f->tp.snd_una, acked);
	leave(f, w);
}

/* `on_rtt_sampled` and `on_acked`: between the two nothing changes but what the module itself changed. */
static u32 on_plain_ack(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_rtt_sample *s, u32 is_cwnd_limited)
{
	struct flow *f = state;

	if (unlikely(f->in_own_cwr)) {
		on_rtt_sampled(state, w, c, s);
		return 0;
	}
	enter(state, w, c);
	take_rtt(f, c, s);
	leave_window(f, w);
	if (unlikely(w->cwnd < w->ssthresh) || unlikely(f->in_own_cwr)) {
		leave(f, w);
		return 0;
	}
	f->tp.is_cwnd_limited = is_cwnd_limited;
	f->tp.inet_conn.icsk_inet.sk.sk_pacing_rate = c->pacing_rate_bytes_per_s;
	ops_of(f)->cong_avoid(sock_of(f), f->tp.snd_una, s->acked);
	leave(f, w);
	return 1;
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
	leave_rarely(f, w);
	return answer;
}

static double undo(void *state, struct wt_window *w, const struct wt_connection *c)
{
	struct flow *f = enter(state, w, c);
	u32 answer;

	enter_rarely(f, c);
	answer = ops_of(f)->undo_cwnd(sock_of(f));
	leave_rarely(f, w);
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
	leave_rarely(f, w);
}

static uint64_t pacing_rate(const void *state, const struct wt_window *w, const struct wt_connection *c)
{
	(void)w;
	(void)c;
	return ((const struct flow *)state)->tp.inet_conn.icsk_inet.sk.sk_pacing_rate;
}
