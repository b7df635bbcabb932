/*
 * Process 1 of a guest in virtual time: builds the dumbbell of a plan, runs its flows, writes what they did, powers off.
 *
 * One process, no shell, no fork: in a guest a fork costs more than a second of traffic. Nothing here may wait for
 * something that never comes, for then virtual time runs on for ever.
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture.h"
#include "clock.h"
#include "fail.h"
#include "flows.h"
#include "modules.h"
#include "plan.h"
#include "records.h"
#include "sampling.h"
#include "session.h"
#include "source.h"
#include "topology.h"

#define SECOND_NS 1000000000ull
#define EVENTS_MAX 64

struct run {
	struct plan plan;
	struct topology topology;
	struct flow *flow;
	struct source *source;
	struct session *session;
	int epoll;
	int timer;
	uint64_t zero_ns;	/* of the links' clock, in the guest's */
	uint64_t sample_at, warm_at, end_at;	/* of the links */
	uint64_t sampled;
	int stepped[HOPS_MOST + 1];	/* steps of each link that have happened */
	uint64_t drained_at;	/* whatever was under way at the end has arrived */
};

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t transmission_ns(const struct link_plan *link, uint64_t bytes)
{
	return bytes * SECOND_NS / link->rate_bytes;
}

/*
 * A flow's clock: a quarter of its propagation delay lies between sender and bottleneck, and three quarters behind. Here all of
 * it lies behind; a clock that lags by that quarter makes the two the same, at the sender and at the bottleneck. So does the transmission by
 * the sender's device, which lets a packet go when it begins.
 */
static uint64_t lag_ns(const struct flow_plan *flow)
{
	return flow->rtt_ns / 4 + plan_device_ns(flow);
}

static bool takes_turns(const struct flow_plan *flow)
{
	return flow->writes.writing == WRITES_ON_OFF || flow->writes.writing == WRITES_CHUNKS;
}

static void schedule_flow(struct run *run, struct flow *flow)
{
	const struct plan *plan = &run->plan;
	const struct flow_plan *given = flow->plan;

	flow->zero_ns = run->zero_ns + lag_ns(given);
	flow->connect_at = given->start_ns == NEVER ? NEVER : flow->zero_ns + given->start_ns - plan_ahead_ns(plan, given);
	flow->watched = (given->start_ns + plan->watch_ns - 1) / plan->watch_ns;
	flow->watch_at = given->is_transfer ? NEVER : flow->zero_ns + flow->watched * plan->watch_ns;
	flow->warm_at = given->is_transfer ? NEVER : flow->zero_ns + max(plan->warmup_ns, given->start_ns);
	flow->turn_at = takes_turns(given) ? flow->zero_ns + given->start_ns : NEVER;
	/* The receiver has the data when they leave the bottleneck, a quarter of the delay before its time. */
	flow->read_at = given->receiver.reading == READS_AT_ONCE ? NEVER : run->zero_ns + given->start_ns - given->rtt_ns / 4;
	flow->stop_at = given->stop_ns == NEVER ? NEVER : flow->zero_ns + given->stop_ns;
	flow->end_at = flow->zero_ns + plan->duration_ns;
	flow->client.flow = flow->index;
	flow->client.ask_at = NEVER;
	if (given->asks.exchanges)
		client_schedule(&flow->client, given, run->zero_ns - given->rtt_ns / 4, run->zero_ns - given->rtt_ns / 4 + plan->duration_ns);
}

/*
 * The kernel activates the queues of a device whose other end comes up later by and by, a hundred of them a second; until then
 * a packet waits in one for ever. Twice the time for both ends of every host. Nothing happens meanwhile: it costs nothing.
 */
static uint64_t activation_ns(const struct run *run)
{
	int hosts = 0, i;

	for (i = 0; i < run->plan.flows; i++)
		hosts += run->plan.flow[i].host < 0;
	/* Between several hops there are four more cables each; a host may have two, and one that several share two more. */
	if (run->plan.hops > 1 || run->topology.machines)
		hosts = 2 * hosts + 4 * run->plan.hops + 3 * run->topology.machines;
	hosts += run->topology.places;
	return SECOND_NS + hosts * (SECOND_NS / 25);
}

/* Time zero is a whole second of the guest's clock, late enough for the first handshake. */
static void schedule(struct run *run)
{
	uint64_t earliest = clock_now() + activation_ns(run), zero = earliest;
	int i;

	for (i = 0; i < run->plan.flows; i++) {
		const struct flow_plan *flow = &run->plan.flow[i];

		zero = max(zero, earliest + plan_ahead_ns(&run->plan, flow));
	}
	run->zero_ns = (zero / SECOND_NS + 1) * SECOND_NS;
	run->sample_at = run->plan.sample_ns ? run->zero_ns : NEVER;
	run->warm_at = run->zero_ns + run->plan.warmup_ns;
	run->end_at = run->zero_ns + run->plan.duration_ns;
	run->drained_at = NEVER;
	for (i = 0; i < run->plan.flows; i++)
		schedule_flow(run, &run->flow[i]);
	for (i = 0; i < run->plan.sources; i++)
		source_schedule(&run->source[i], &run->plan, run->zero_ns);
	for (i = 0; i < run->plan.sessions; i++)
		session_schedule(&run->session[i], &run->plan, run->flow);
}

static void build_sources(struct run *run)
{
	int clockwork[HOPS_MOST + 1], i;

	for (i = 0; i <= HOPS_MOST; i++)
		clockwork[i] = -1;
	run->source = calloc(run->plan.sources, sizeof(*run->source));
	if (run->plan.sources && !run->source)
		fail("no memory for %d sources", run->plan.sources);
	for (i = 0; i < run->plan.sources; i++) {
		const struct source_plan *source = &run->plan.source[i];
		/* One where each forward link begins, and one for the way back. */
		int *host = &clockwork[source->direction == FORWARD ? source->stretch.enter : HOPS_MOST];

		if (*host < 0)
			*host = topology_add_clockwork(&run->topology, &run->plan, source);
		run->source[i].index = i;
		run->source[i].plan = &run->plan.source[i];
		source_open(&run->source[i], &run->topology, *host);
	}
}

/* Whether no flow before this one is in its host. */
static bool is_first_in(const struct run *run, int index)
{
	int i;

	for (i = 0; i < index; i++)
		if (run->flow[i].host.namespace == run->flow[index].host.namespace)
			return false;
	return true;
}

/* Whether no flow before this one has this receiver. */
static bool is_first_to(const struct run *run, int index)
{
	const struct station *own = &run->flow[index].host;
	int i;

	for (i = 0; i < index; i++)
		if (run->flow[i].host.receiving == own->receiving && run->flow[i].host.receiver == own->receiver)
			return false;
	return true;
}

/* Where the packets of a flow are captured. */
static void listen_for(const struct run *run, int index)
{
	const struct station *host = &run->flow[index].host;
	const struct flow_plan *flow = &run->plan.flow[index];
	const uint64_t places = run->plan.captures;

	if (places & 1 << AT_SENDER && is_first_in(run, index))
		capture_listen(&(struct tap_plan){ .namespace = host->namespace, .place = AT_SENDER });
	if (places & 1 << AT_BOTTLENECK && flow->host < 0)
		topology_listen(&run->topology, index, flow);
	if (places & 1 << AT_RECEIVER && is_first_to(run, index))
		capture_listen(&(struct tap_plan){ .namespace = host->receiving, .place = AT_RECEIVER, .seen = OF_RECEIVER, .address = host->receiver });
}

static void build(struct run *run)
{
	const struct rlimit files = { .rlim_cur = 1 << 20, .rlim_max = 1 << 20 };
	int i;

	setrlimit(RLIMIT_NOFILE, &files);
	run->epoll = epoll_create1(EPOLL_CLOEXEC);
	run->timer = clock_timer();
	if (run->epoll < 0 ||
	    epoll_ctl(run->epoll, EPOLL_CTL_ADD, run->timer,
		      &(struct epoll_event){ .events = EPOLLIN | EPOLLET, .data.u64 = (uint64_t)ROLE_TIMER << 32 }) < 0)
		fail("epoll");
	topology_build(&run->topology, &run->plan);
	run->flow = calloc(run->plan.flows + 1, sizeof(*run->flow));
	if (!run->flow)
		fail("no memory for %d flows", run->plan.flows);
	for (i = 0; i < run->plan.flows; i++) {
		struct flow *flow = &run->flow[i];

		flow->index = i;
		flow->plan = &run->plan.flow[i];
		if (flow->plan->host < 0)
			topology_add_host(&run->topology, &run->plan, i, &flow->host);
		else
			flow->host = run->flow[flow->plan->host].host;
		listen_for(run, i);
		flow_open(flow, &run->topology, run->epoll);
	}
	build_sources(run);
	run->session = calloc(run->plan.sessions + 1, sizeof(*run->session));
	if (!run->session)
		fail("no memory for %d sessions", run->plan.sessions);
	for (i = 0; i < run->plan.sessions; i++)
		run->session[i].plan = &run->plan.session[i];
}

static uint64_t flow_next(const struct flow *flow)
{
	const uint64_t applications_at = min(min(flow->turn_at, flow->read_at), flow->client.ask_at);

	return min(min(min(flow->connect_at, flow->warm_at), min(flow->watch_at, flow->stop_at)), min(applications_at, flow->end_at));
}

static uint64_t step_at(const struct run *run, int link)
{
	const struct link_plan *plan = &run->plan.link[link];

	return run->stepped[link] < plan->steps ? run->zero_ns + plan->step[run->stepped[link]].at_ns : NEVER;
}

static uint64_t next(const struct run *run)
{
	uint64_t at = min(min(run->sample_at, run->warm_at), min(run->end_at, run->drained_at));
	int i;

	for (i = 0; i < run->plan.links; i++)
		at = min(at, step_at(run, i));

	for (i = 0; i < run->plan.flows; i++)
		at = min(at, flow_next(&run->flow[i]));
	for (i = 0; i < run->plan.sources; i++)
		at = min(at, source_next(&run->source[i]));
	for (i = 0; i < run->plan.sessions; i++)
		at = min(at, run->session[i].next_at);
	return at;
}

static void watch(struct run *run, struct flow *flow)
{
	const struct plan *plan = &run->plan;
	const uint64_t t_ns = flow->watched * plan->watch_ns;

	if (flow->has_started)
		sampling_watch(flow, t_ns);
	if (plan->sample_ns && t_ns % plan->sample_ns == 0)
		sampling_flow(flow, t_ns);
	flow->watched++;
	flow->watch_at += plan->watch_ns;
	if (flow->watch_at > flow->end_at)
		flow->watch_at = NEVER;
}

static void end(struct flow *flow, uint64_t at)
{
	if (flow->has_started)
		sampling_watch(flow, at - flow->zero_ns);
	flow->connect_at = flow->watch_at = flow->turn_at = flow->read_at = flow->stop_at = flow->end_at = NEVER;
	client_end(&flow->client);
	flow_abort(flow);
}

static void run_flow(struct run *run, struct flow *flow, uint64_t at)
{
	/* Nothing begins at the end. */
	if (flow->turn_at >= flow->end_at)
		flow->turn_at = NEVER;
	if (flow->connect_at <= at)
		flow_connect(flow, run->epoll);
	if (flow->watch_at <= at)
		watch(run, flow);
	if (flow->warm_at <= at) {
		if (flow->has_started)
			sampling_watch(flow, at - flow->zero_ns);
		sampling_flow_totals(flow, WINDOW_BEGINS, at - flow->zero_ns);
		flow->warm_at = NEVER;
	}
	if (flow->turn_at <= at)
		flow_turn(flow);
	if (flow->read_at <= at)
		flow_read(flow);
	if (flow->client.ask_at <= at)
		flow_ask(flow);
	if (flow->stop_at <= at)
		flow_stop(flow);
	if (flow->end_at <= at)
		end(flow, at);
}

static void sample_links(struct run *run)
{
	int i;

	for (i = 0; i < run->plan.links; i++)
		sampling_link(&run->topology.link[i], i, run->sampled * run->plan.sample_ns);
	run->sampled++;
	run->sample_at += run->plan.sample_ns;
	if (run->sample_at > run->end_at)
		run->sample_at = NEVER;
}

static void link_totals(struct run *run, enum window_end window_end, uint64_t at)
{
	int i;

	for (i = 0; i < run->plan.links; i++)
		sampling_link_totals(&run->topology.link[i], i, window_end, at - run->zero_ns);
}

/* What the largest of a link's queues takes at the slowest of its rates. */
static uint64_t emptying_ns(const struct run *run, const struct link_plan *link)
{
	struct link_plan slowest = *link;
	uint64_t extra_ns = link->late.by_ns;
	int i;

	for (i = 0; i < link->steps; i++) {
		if (link->step[i].rate_bytes)
			slowest.rate_bytes = min(slowest.rate_bytes, link->step[i].rate_bytes);
		slowest.limit = max(slowest.limit, link->step[i].limit);
		extra_ns = max(extra_ns, link->step[i].extra_ns) + link->step[i].outage_ns;
	}
	return transmission_ns(&slowest, run->plan.largest_bytes) * slowest.limit + extra_ns;
}

/* When everything that is in a queue at the end of the last flow has left it. */
static uint64_t drained_at(const struct run *run)
{
	const struct link_plan *reverse = plan_reverse(&run->plan);
	uint64_t last = run->end_at, longest = 0;
	int i;

	for (i = 0; i < run->plan.flows; i++)
		last = max(last, run->flow[i].zero_ns + run->plan.duration_ns);
	for (i = 0; i < run->plan.hops; i++)
		longest += run->plan.link[i].delay_ns + emptying_ns(run, &run->plan.link[i]);
	if (reverse)
		longest = max(longest, emptying_ns(run, reverse));
	return last + longest + SECOND_NS / 1000;
}

static void run_links(struct run *run, uint64_t at)
{
	if (run->sample_at <= at)
		sample_links(run);
	if (run->warm_at <= at) {
		link_totals(run, WINDOW_BEGINS, at);
		run->warm_at = NEVER;
	}
	if (run->end_at <= at) {
		link_totals(run, WINDOW_ENDS, at);
		run->drained_at = drained_at(run);
		run->sample_at = run->end_at = NEVER;
	}
}

static void run_due(struct run *run, uint64_t at)
{
	int i;

	for (i = 0; i < run->plan.links; i++)
		while (step_at(run, i) <= at)
			link_step(&run->topology.link[i], &run->plan.link[i].step[run->stepped[i]++]);
	run_links(run, at);
	for (i = 0; i < run->plan.flows; i++)
		if (flow_next(&run->flow[i]) <= at)
			run_flow(run, &run->flow[i], at);
	for (i = 0; i < run->plan.sources; i++)
		if (source_next(&run->source[i]) <= at)
			source_run(&run->source[i], &run->plan, at);
	for (i = 0; i < run->plan.sessions; i++)
		if (run->session[i].next_at <= at)
			session_run(&run->session[i], run->flow, run->epoll);
}

static void on_event(struct run *run, struct flow *flow, enum role role, uint32_t events)
{
	const bool was_done = flow->state == FLOW_DONE;

	flow_on_event(flow, role, events, run->epoll);
	if (flow->session && flow->state == FLOW_DONE && !was_done)
		session_on_completed(flow->session, run->flow, run->epoll);
}

/* Waits for the timer or for sockets, and handles them; returns whether the timer was among them. */
static bool wait_once(struct run *run)
{
	struct epoll_event event[EVENTS_MAX];
	bool is_time = false;
	int events = epoll_wait(run->epoll, event, EVENTS_MAX, -1), i;

	if (events < 0)
		fail("epoll");
	for (i = 0; i < events; i++) {
		const enum role role = event[i].data.u64 >> 32;

		if (role == ROLE_TIMER)
			is_time = true;
		else
			on_event(run, &run->flow[(uint32_t)event[i].data.u64], role, event[i].events);
	}
	return is_time;
}

static void write_totals(struct run *run)
{
	int i;

	for (i = 0; i < run->plan.flows; i++) {
		flow_count_received(&run->flow[i]);
		sampling_flow_totals(&run->flow[i], WINDOW_ENDS, run->plan.duration_ns);
	}
	for (i = 0; i < run->plan.sources; i++)
		source_close(&run->source[i], &run->plan);
}

int main(void)
{
	static struct run run;
	uint64_t at;

	/* Anything but a guest's first process has no business here. */
	if (getpid() != 1)
		return 1;
	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		fail("/proc");
	plan_read("/plan", &run.plan);
	modules_load(&run.plan);
	build(&run);
	records_open("/records", run.plan.flows, run.plan.links);
	schedule(&run);
	if (run.plan.captures)
		capture_open("/packets", run.zero_ns + clock_epoch());
	do {
		at = next(&run);
		clock_arm(run.timer, at);
		while (!wait_once(&run))
			;
		run_due(&run, at);
		capture_drain();
	} while (at != run.drained_at);
	write_totals(&run);
	records_close();
	capture_close();
	power_off();
}
