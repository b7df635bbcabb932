#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* Numbers are written in decimal; "-" stands for NEVER. */
static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	if (strcmp(text, "-") == 0)
		return NEVER;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || end == text) {
		errno = 0;
		fail("plan: '%s' is not a number", text);
	}
	return value;
}

static void *grown(void *array, int count, size_t size)
{
	array = realloc(array, (count + 1) * size);
	if (!array)
		fail("plan: no memory");
	memset((char *)array + count * size, 0, size);
	return array;
}

/* The forward links come in their order, and the reverse link behind them. */
static void read_link(struct plan *plan, char **word)
{
	struct link_plan *link = &plan->link[plan->links];

	if (plan->links > plan->hops || plan->links > HOPS_MOST)
		fail("plan: link %s comes too late", word[1]);
	plan->links++;
	plan->hops += strcmp(word[1], "reverse") != 0;
	snprintf(link->name, sizeof(link->name), "%s", word[1]);
	link->rate_bytes = number(word[2]);
	link->limit = number(word[3]);
	link->loss = number(word[4]);
}

static struct link_plan *link_named(struct plan *plan, const char *name)
{
	int i;

	for (i = 0; i < plan->links; i++)
		if (strcmp(plan->link[i].name, name) == 0)
			return &plan->link[i];
	errno = 0;
	fail("plan: there is no link '%s' yet", name);
}

static void read_burst(struct plan *plan, char **word)
{
	struct burst *burst = &link_named(plan, word[1])->burst;

	burst->to_bad = number(word[2]);
	burst->to_good = number(word[3]);
	burst->loss_bad = number(word[4]);
	burst->loss_good = number(word[5]);
}

static void add_step(struct plan *plan, const char *name, const struct step_plan *step)
{
	struct link_plan *link = link_named(plan, name);

	link->step = grown(link->step, link->steps, sizeof(*step));
	link->step[link->steps++] = *step;
	link->changes_rate |= step->rate_bytes > 0;
	link->has_outages |= step->outage_ns > 0;
	link->changes_delay |= !step->rate_bytes && !step->outage_ns && !step->limit;
}

static void read_late(struct plan *plan, char **word)
{
	link_named(plan, word[1])->late = (struct late){ .by_ns = number(word[2]), .size = number(word[3]), .count = number(word[4]) };
}

static void read_fifo(struct plan *plan, char **word)
{
	struct link_plan *link = link_named(plan, word[1]);

	link->is_fifo = true;
	link->limit_ns = number(word[2]);
	link->limit_bytes = number(word[3]);
}

static void read_discipline(struct plan *plan, char **word, int words)
{
	struct discipline_plan *discipline = &link_named(plan, word[1])->discipline;

	snprintf(discipline->kind, sizeof(discipline->kind), "%s", word[2]);
	discipline->values = words - 3;
	for (words = 0; words < discipline->values; words++)
		discipline->value[words] = number(word[3 + words]);
}

/* The place of the flow or the source that a line is about. */
static int place(const char *text, int known)
{
	const uint64_t index = number(text);

	if (index >= (uint64_t)known)
		fail("plan: there is no number %s yet", text);
	return index;
}

static struct stretch all_hops(const struct plan *plan)
{
	return (struct stretch){ .enter = 0, .leave = plan->hops - 1 };
}

/* Hops are counted from 1 in a plan. */
static struct stretch read_stretch(const struct plan *plan, char **word)
{
	const int enter = place(word[0], plan->hops + 1), leave = place(word[1], plan->hops + 1);

	if (enter < 1 || leave < enter)
		fail("plan: hops %s to %s", word[0], word[1]);
	return (struct stretch){ .enter = enter - 1, .leave = leave - 1 };
}

static void read_flow(struct plan *plan, char **word)
{
	struct flow_plan *flow;

	plan->flow = grown(plan->flow, plan->flows, sizeof(*plan->flow));
	flow = &plan->flow[plan->flows++];
	flow->direction = strcmp(word[1], "reverse") == 0 ? REVERSE : FORWARD;
	snprintf(flow->algorithm, sizeof(flow->algorithm), "%s", word[2]);
	flow->rtt_ns = number(word[3]);
	flow->jitter_ns = number(word[4]);
	flow->start_ns = number(word[5]);
	flow->stop_ns = number(word[6]);
	flow->bytes = number(word[7]);
	flow->window_bytes = number(word[8]);
	flow->initial_window = number(word[9]);
	flow->paced = number(word[10]);
	flow->opens = number(word[11]);
	flow->host = -1;
	flow->packet_bytes = FULL_PACKET_BYTES;
	flow->device.machine = -1;
	flow->stretch = all_hops(plan);
}

/* Where the latest flow, or a source, enters and leaves. */
static void read_hops(struct plan *plan, char **word)
{
	if (!plan->flows)
		fail("plan: hops come after the flow that crosses them");
	plan->flow[plan->flows - 1].stretch = read_stretch(plan, word + 1);
}

static void note_size(struct plan *plan, uint32_t bytes)
{
	if (bytes > plan->largest_bytes)
		plan->largest_bytes = bytes;
}

/* The latest flow's packets. */
static void read_packets(struct plan *plan, char **word)
{
	if (!plan->flows)
		fail("plan: a packet's size comes after its flow");
	plan->flow[plan->flows - 1].packet_bytes = number(word[1]);
	note_size(plan, number(word[1]));
}

/* The latest flow's device. */
static void read_device(struct plan *plan, char **word)
{
	if (!plan->flows)
		fail("plan: a device comes after its flow");
	plan->flow[plan->flows - 1].device = (struct device_plan){
		.rate_bytes = number(word[1]), .limit = number(word[2]), .machine = strcmp(word[3], "-") == 0 ? -1 : (int)number(word[3])
	};
}

static void read_source_hops(struct plan *plan, char **word)
{
	plan->source[place(word[1], plan->sources)].stretch = read_stretch(plan, word + 2);
}

/* The latest flow is the first of transfers that are alike but for their begin and their size, and share its host. */
static void read_transfers(struct plan *plan)
{
	if (!plan->flows)
		fail("plan: transfers come after the flow that they are like");
	plan->flow[plan->flows - 1].is_transfer = true;
}

static void read_transfer(struct plan *plan, char **word)
{
	struct flow_plan made = plan->flow[place(word[1], plan->flows)];

	if (!made.is_transfer || made.host >= 0)
		fail("plan: flow %s is not the first of transfers", word[1]);
	made.host = number(word[1]);
	made.start_ns = number(word[2]);
	made.bytes = number(word[3]);
	plan->flow = grown(plan->flow, plan->flows, sizeof(*plan->flow));
	plan->flow[plan->flows++] = made;
}

static void read_writes(struct plan *plan, char **word)
{
	struct writes_plan *writes = &plan->flow[place(word[1], plan->flows)].writes;

	if (strcmp(word[2], "on-off") == 0)
		*writes = (struct writes_plan){ .writing = WRITES_ON_OFF, .on_ns = number(word[3]), .off_ns = number(word[4]) };
	else
		*writes = (struct writes_plan){ .writing = WRITES_CHUNKS, .rate_bps = number(word[3]), .every_ns = number(word[4]) };
}

/* Of a flow: its buffer first, then how it is read. */
static void read_receiver(struct plan *plan, char **word)
{
	struct receiver_plan *receiver = &plan->flow[place(word[1], plan->flows)].receiver;

	receiver->buffer_bytes = number(word[2]);
	receiver->most_bytes = number(word[3]);
}

static void read_reads(struct plan *plan, char **word)
{
	struct receiver_plan *receiver = &plan->flow[place(word[1], plan->flows)].receiver;

	if (strcmp(word[2], "on-off") == 0) {
		receiver->reading = READS_ON_OFF;
		receiver->on_ns = number(word[3]);
		receiver->off_ns = number(word[4]);
	} else {
		receiver->reading = READS_CHUNKS;
		receiver->rate_bps = number(word[3]);
		receiver->every_ns = number(word[4]);
	}
}

static void read_asks(struct plan *plan, char **word)
{
	struct flow_plan *flow = &plan->flow[place(word[1], plan->flows)];

	flow->writes.writing = WRITES_ASKED;
	flow->asks.count = number(word[2]);
}

static void read_exchange(struct plan *plan, char **word)
{
	struct asks_plan *asks = &plan->flow[place(word[1], plan->flows)].asks;

	asks->exchange = grown(asks->exchange, asks->exchanges, sizeof(*asks->exchange));
	asks->exchange[asks->exchanges++] =
		(struct exchange_plan){ .think_ns = number(word[2]), .request_bytes = number(word[3]), .response_bytes = number(word[4]) };
}

static void read_session(struct plan *plan, char **word)
{
	struct session_plan *session;

	plan->session = grown(plan->session, plan->sessions, sizeof(*plan->session));
	session = &plan->session[plan->sessions++];
	session->first = place(word[1], plan->flows + 1);
	session->objects = place(word[2], plan->flows - session->first + 1);
	session->connections = number(word[3]);
	session->start_ns = number(word[4]);
	session->stop_ns = number(word[5]);
}

/* Of the latest session. */
static void read_page(struct plan *plan, char **word)
{
	struct session_plan *session;

	if (!plan->sessions)
		fail("plan: a page comes after its session");
	session = &plan->session[plan->sessions - 1];
	session->page = grown(session->page, session->pages, sizeof(*session->page));
	session->page[session->pages++] = (struct page_plan){ .think_ns = number(word[1]), .objects = number(word[2]) };
}

static void read_source(struct plan *plan, char **word)
{
	struct source_plan *source;

	plan->source = grown(plan->source, plan->sources, sizeof(*plan->source));
	source = &plan->source[plan->sources++];
	source->direction = strcmp(word[1], "reverse") == 0 ? REVERSE : FORWARD;
	source->stretch = all_hops(plan);
	source->packet_bytes = number(word[2]);
	note_size(plan, source->packet_bytes);
	source->start_ns = number(word[3]);
	source->stop_ns = number(word[4]);
	source->period_ns = number(word[5]);
}

static void read_rates(struct plan *plan, char **word, int words)
{
	struct source_plan *source = &plan->source[place(word[1], plan->sources)];
	int i;

	for (i = 2; i < words; i++) {
		source->rate_bps = grown(source->rate_bps, source->rates, sizeof(*source->rate_bps));
		source->rate_bps[source->rates++] = number(word[i]);
	}
}

static void read_sysctl(struct plan *plan, char **word)
{
	struct sysctl_plan *sysctl;
	char *value;

	plan->sysctl = grown(plan->sysctl, plan->sysctls, sizeof(*plan->sysctl));
	sysctl = &plan->sysctl[plan->sysctls++];
	sysctl->flow = strcmp(word[1], "all") == 0 ? -1 : (int)number(word[1]);
	snprintf(sysctl->path, sizeof(sysctl->path), "/proc/sys/%s", word[2]);
	snprintf(sysctl->value, sizeof(sysctl->value), "%s", word[3]);
	for (value = sysctl->value; *value; value++)
		if (*value == ',')
			*value = ' ';
}

static void read_module(struct plan *plan, char **word)
{
	struct module_plan *module;

	plan->module = grown(plan->module, plan->modules, sizeof(*plan->module));
	module = &plan->module[plan->modules++];
	snprintf(module->name, sizeof(module->name), "%s", word[1]);
	snprintf(module->file, sizeof(module->file), "%s", word[2]);
}

/* Parameters follow their module, each as name=value. */
static void read_parameter(struct plan *plan, char **word)
{
	struct module_plan *module = &plan->module[place(word[1], plan->modules)];
	const size_t old = module->parameters ? strlen(module->parameters) : 0, added = strlen(word[2]) + 2;

	module->parameters = realloc(module->parameters, old + added);
	if (!module->parameters)
		fail("plan: no memory");
	snprintf(module->parameters + old, added, "%s ", word[2]);
}

#define WORDS_MAX 24

/* Cuts a line into words; the array ends with NULL. */
static int cut(char *line, char **word)
{
	int words = 0;
	char *rest = NULL, *next = strtok_r(line, " \n", &rest);

	while (next && words < WORDS_MAX - 1) {
		word[words++] = next;
		next = strtok_r(NULL, " \n", &rest);
	}
	word[words] = NULL;
	return words;
}

static bool is_line(char **word, int words, const char *name, int expected)
{
	return words == expected && strcmp(word[0], name) == 0;
}

static void read_line(struct plan *plan, char **word, int words)
{
	if (is_line(word, words, "duration_ns", 2))
		plan->duration_ns = number(word[1]);
	else if (is_line(word, words, "warmup_ns", 2))
		plan->warmup_ns = number(word[1]);
	else if (is_line(word, words, "sample_ns", 2))
		plan->sample_ns = number(word[1]);
	else if (is_line(word, words, "captures", 2))
		plan->captures = number(word[1]);
	else if (is_line(word, words, "watch_ns", 2))
		plan->watch_ns = number(word[1]);
	else if (is_line(word, words, "link", 5))
		read_link(plan, word);
	else if (is_line(word, words, "delay", 3))
		link_named(plan, word[1])->delay_ns = number(word[2]);
	else if (is_line(word, words, "late", 5))
		read_late(plan, word);
	else if (is_line(word, words, "rate-step", 4))
		add_step(plan, word[1], &(struct step_plan){ .at_ns = number(word[2]), .rate_bytes = number(word[3]) });
	else if (is_line(word, words, "delay-step", 4))
		add_step(plan, word[1], &(struct step_plan){ .at_ns = number(word[2]), .extra_ns = number(word[3]) });
	else if (is_line(word, words, "queue-step", 4))
		add_step(plan, word[1], &(struct step_plan){ .at_ns = number(word[2]), .limit = number(word[3]) });
	else if (is_line(word, words, "outage", 4))
		add_step(plan, word[1], &(struct step_plan){ .at_ns = number(word[2]), .outage_ns = number(word[3]) });
	else if (is_line(word, words, "copies", 3))
		link_named(plan, word[1])->copies = number(word[2]);
	else if (is_line(word, words, "fifo", 4))
		read_fifo(plan, word);
	else if (is_line(word, words, "burst", 6))
		read_burst(plan, word);
	else if (words > 3 && words <= 3 + DISCIPLINE_VALUES && strcmp(word[0], "discipline") == 0)
		read_discipline(plan, word, words);
	else if (is_line(word, words, "flow", 12))
		read_flow(plan, word);
	else if (is_line(word, words, "hops", 3))
		read_hops(plan, word);
	else if (is_line(word, words, "packets", 2))
		read_packets(plan, word);
	else if (is_line(word, words, "device", 4))
		read_device(plan, word);
	else if (is_line(word, words, "source-hops", 4))
		read_source_hops(plan, word);
	else if (is_line(word, words, "transfers", 1))
		read_transfers(plan);
	else if (is_line(word, words, "transfer", 4))
		read_transfer(plan, word);
	else if (is_line(word, words, "writes", 5))
		read_writes(plan, word);
	else if (is_line(word, words, "receiver", 4))
		read_receiver(plan, word);
	else if (is_line(word, words, "reads", 5))
		read_reads(plan, word);
	else if (is_line(word, words, "asks", 3))
		read_asks(plan, word);
	else if (is_line(word, words, "exchange", 5))
		read_exchange(plan, word);
	else if (is_line(word, words, "session", 6))
		read_session(plan, word);
	else if (is_line(word, words, "page", 3))
		read_page(plan, word);
	else if (is_line(word, words, "source", 6))
		read_source(plan, word);
	else if (words > 2 && strcmp(word[0], "rates") == 0)
		read_rates(plan, word, words);
	else if (is_line(word, words, "module", 3))
		read_module(plan, word);
	else if (is_line(word, words, "parameter", 3))
		read_parameter(plan, word);
	else if (is_line(word, words, "sysctl", 4))
		read_sysctl(plan, word);
	else
		fail("plan: a line that begins with '%s' and has %d words is not understood", word[0], words);
}

void plan_read(const char *path, struct plan *plan)
{
	char line[512], *word[WORDS_MAX];
	FILE *file = fopen(path, "r");
	int words;

	if (!file)
		fail("%s", path);
	errno = 0;
	memset(plan, 0, sizeof(*plan));
	plan->largest_bytes = FULL_PACKET_BYTES;
	if (!fgets(line, sizeof(line), file) || cut(line, word) != 2 || strcmp(word[0], "windtunnel-plan") != 0)
		fail("%s: not a plan", path);
	if (number(word[1]) != PLAN_VERSION)
		fail("%s: version %s; this guest reads %d", path, word[1], PLAN_VERSION);
	while (fgets(line, sizeof(line), file)) {
		words = cut(line, word);
		if (words)
			read_line(plan, word, words);
	}
	fclose(file);
	for (words = 0; words < plan->sources; words++)
		if (!plan->source[words].rates)
			fail("%s: source %d has no rate", path, words);
	if (!plan->hops || !plan->duration_ns || !plan->watch_ns)
		fail("%s: link forward, duration_ns and watch_ns are needed", path);
}
