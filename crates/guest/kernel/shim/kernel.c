/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the kernel offers to modules. Part of one file: src/dialect.rs has the order. */

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
static void settle_own_cwr(struct flow *f)
{
	const struct tcp_congestion_ops *ops = ops_of(f);

	if (before(f->tp.snd_una, f->cwr_until))
		return;
	f->in_own_cwr = false;
	if (ops->cwnd_event)
		ops->cwnd_event(sock_of(f), CA_EVENT_COMPLETE_CWR);
	if (ops->set_state)
		ops->set_state(sock_of(f), TCP_CA_Open);
	f->tp.inet_conn.icsk_ca_state = TCP_CA_Open;
}

static inline void settle(struct flow *f)
{
	if (unlikely(f->in_own_cwr))
		settle_own_cwr(f);
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
