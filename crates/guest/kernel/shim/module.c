/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a module tells of itself, and how it is loaded. Part of one file: src/dialect.rs has the order. */

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

/* What the module says of itself; NULL when it says nothing. */
extern const char wt_kernel_description[] __attribute__((weak));

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
	controller.summary = wt_kernel_description;
	controller.on_state_changed = on_state_changed;
	controller.on_event = on_event;
	controller.on_acked = ops->cong_control ? NULL : on_acked;
	controller.on_rate_sampled = ops->cong_control ? on_rate_sampled : NULL;
	controller.holds_back = ops->cong_control ? holds_back : NULL;
	controller.pacing_rate = ops->cong_control || wants_pacing ? pacing_rate : NULL;
	controller.on_rtt_sampled = ops->pkts_acked ? on_rtt_sampled : NULL;
	controller.on_plain_ack = ops->pkts_acked && !ops->cong_control ? on_plain_ack : NULL;
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
