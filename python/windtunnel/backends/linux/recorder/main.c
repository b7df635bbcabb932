/*
 * Process 1 of a guest in virtual time: plays the peer of the kernel's own TCP, script after script, and records what the kernel
 * answers, segment by segment. Each script is a fresh connection in a fresh namespace, and begins where the clock is a multiple of
 * 4096 ms: then the kernel's timers, whose grain grows with their length, fall alike in every one.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "host.h"
#include "path.h"
#include "receiver.h"
#include "script.h"
#include "tape.h"

#define GRAIN_NS 4096000000ull
/* The clock has grains of 256 ns, and each reading costs one: just after a microsecond begins, the first that counts shows it. */
#define WITHIN_NS 10
#define LATE_NS 450
#define NEVER UINT64_MAX
#define PENDING_MAX 65536

enum kind { ARRIVAL, WIDENING, ACK, WRITE };

struct pending {
	uint64_t at_us, order;
	enum kind kind;
	union {
		struct arrival arrival;
		struct ack ack;
		uint32_t segments;
	};
};

struct transmission {
	uint64_t at_us;
	uint32_t stamp;
};

struct run {
	struct script script;
	struct host host;
	struct path path;
	struct receiver receiver;
	struct tape tape;
	struct pending pending[PENDING_MAX];
	uint32_t pendings;
	uint64_t order;
	struct transmission transmission[SENT_MAX];
	uint32_t transmissions;
	uint64_t zero_ns, epoch_ns;	/* of the script in the clock, and of the clock in the segments' times */
	uint32_t stamp;			/* of the peer's clock at zero, which agrees with the kernel's: delays of one way are true */
	uint64_t busy_until_us;	/* the clock has gone on so far */
	uint32_t first_seq, mss, written, acknowledged;
	uint16_t port;
	bool is_marking;
	int epoll, timer;
};

/* By the kernel; the others happen at the peer. */
static bool is_seen(enum kind kind)
{
	return kind != ARRIVAL && kind != WIDENING;
}

static struct pending *add(struct run *run, uint64_t at_us, enum kind kind)
{
	struct pending *pending = &run->pending[run->pendings];

	if (run->pendings++ == PENDING_MAX)
		fail("script %s: more than %d things are under way", run->script.name, PENDING_MAX);
	*pending = (struct pending){ .at_us = at_us, .order = run->order++, .kind = kind };
	return pending;
}

static struct pending *earliest(struct run *run)
{
	struct pending *first = NULL;
	uint32_t i;

	for (i = 0; i < run->pendings; i++) {
		struct pending *one = &run->pending[i];

		if (!first || one->at_us < first->at_us || (one->at_us == first->at_us && one->order < first->order))
			first = one;
	}
	return first;
}

static void send_back(struct run *run, const struct ack *ack)
{
	const uint64_t at_us = path_back(&run->path, ack->left_us);

	if (at_us != LOST)
		add(run, at_us, ACK)->ack = *ack;
}

static void arrive(struct run *run, const struct arrival *arrival, uint64_t now_us)
{
	struct ack acks[2];
	const unsigned made = receiver_take(&run->receiver, arrival, now_us, acks);
	unsigned i;

	for (i = 0; i < made; i++)
		send_back(run, &acks[i]);
}

/* The receiver has other room than before. */
static void widen(struct run *run, uint64_t now_us)
{
	struct ack ack;

	if (receiver_widen(&run->receiver, now_us, &ack))
		send_back(run, &ack);
}

static void on_sent(struct run *run, const struct sent_segment *segment, uint64_t at_us)
{
	const uint32_t offset = segment->seq - run->first_seq, number = run->transmissions++;
	const struct journey journey = path_there(&run->path, at_us, segment->is_capable);
	struct arrival arrival = { .seq = segment->payload ? offset / run->mss : NO_SEGMENT, .transmission = number,
				   .is_marked = journey.is_marked, .has_reduced = segment->has_reduced };
	const bool is_whole = segment->payload ? segment->payload == run->mss && offset % run->mss == 0 : (offset + 1) % run->mss == 0;

	if (!is_whole || number == SENT_MAX)
		fail("script %s: %u bytes from %u on are no segment", run->script.name, segment->payload, offset);
	run->transmission[number] = (struct transmission){ at_us, segment->stamp };
	tape_note_sent(&run->tape, arrival.seq, number);
	if (journey.arrives_us != LOST)
		add(run, journey.arrives_us, ARRIVAL)->arrival = arrival;
	if (journey.again_us != LOST)
		add(run, journey.again_us, ARRIVAL)->arrival = arrival;
}

/* Without data and before all that is outstanding: the kernel asks for the window. */
static bool is_asking(const struct run *run, const struct sent_segment *segment)
{
	return !segment->payload && segment->seq + 1 == run->first_seq + run->acknowledged * run->mss && run->acknowledged;
}

/* The moment at which the next segment was sent that has data or asks for the window, which it takes; NEVER when there is none. */
static uint64_t take(struct run *run, struct sent_segment *segment)
{
	uint64_t at_ns;

	while (host_take(&run->host, segment, &at_ns))
		if (segment->payload || is_asking(run, segment))
			return (at_ns - run->epoch_ns - run->zero_ns) / 1000;
	return NEVER;
}

/* Whatever reads the clock moves it: the next event is one that it has not passed. */
static void note_clock(struct run *run)
{
	run->busy_until_us = (clock_now() - run->zero_ns) / 1000 + 1;
}

/*
 * Takes what was sent in answer to the row under way, and closes it with the state. To take costs time, in which the kernel may send
 * more: those rows follow. To ask costs none, so that a state after which nothing is left to take is that of the row.
 */
static void close_row(struct run *run, uint64_t row_us)
{
	struct sent_segment segment;
	struct state state;
	uint64_t at_us;
	bool is_quiet;

	do {
		host_ask(&run->host, &run->script, &state);
		is_quiet = true;
		while ((at_us = take(run, &segment)) != NEVER) {
			is_quiet = false;
			if (at_us < row_us)
				fail("script %s: a segment of %llu us after %llu us", run->script.name, (unsigned long long)at_us,
				     (unsigned long long)row_us);
			if (at_us > row_us) {
				tape_write_state(&run->tape, NULL);
				tape_write_timer(&run->tape, row_us = at_us);
			}
			on_sent(run, &segment, at_us);
		}
	} while (!is_quiet);
	tape_write_state(&run->tape, &state);
	note_clock(run);
}

/* Segments that nothing of ours has caused. */
static bool note_unasked(struct run *run)
{
	struct sent_segment segment;
	const uint64_t at_us = take(run, &segment);

	if (at_us == NEVER)
		return false;
	tape_write_timer(&run->tape, at_us);
	on_sent(run, &segment, at_us);
	close_row(run, at_us);
	return true;
}

/* A timer that sent nothing still may have changed the state. */
static void note_silent(struct run *run, uint64_t at_us)
{
	struct state state;

	host_ask(&run->host, &run->script, &state);
	if (tape_has_changed(&run->tape, &state)) {
		tape_write_timer(&run->tape, at_us);
		tape_write_state(&run->tape, &state);
	}
}

static void on_ack(struct run *run, const struct ack *ack, uint64_t at_us)
{
	const struct transmission *echoed = &run->transmission[ack->echoed];
	struct answer answer = { .port = run->port, .echoes_marks = ack->echoes_marks, .has_stamps = run->script.timestamps,
				 .ack = run->first_seq + ack->cumulative * run->mss, .window = ack->window * run->mss,
				 .stamp = run->stamp + ack->left_us / 1000, .echo = echoed->stamp };
	uint32_t i;

	if (ack->duplicate != NO_SEGMENT) {
		answer.left[0] = run->first_seq + ack->duplicate * run->mss;
		answer.right[0] = answer.left[0] + run->mss;
		answer.blocks = 1;
	}
	for (i = 0; i < ack->blocks; i++, answer.blocks++) {
		answer.left[answer.blocks] = run->first_seq + ack->block[i].from * run->mss;
		answer.right[answer.blocks] = run->first_seq + ack->block[i].to * run->mss;
	}
	note_silent(run, at_us);
	tape_write_ack(&run->tape, at_us, ack, ack->left_us - echoed->at_us);
	host_inject(&run->host, &answer);
	if (ack->cumulative > run->acknowledged)
		run->acknowledged = ack->cumulative;
	close_row(run, at_us);
}

/* The kernel sends while it takes the data, and its clock goes on meanwhile: a row for each microsecond of that. */
static void on_write(struct run *run, uint32_t segments, uint64_t at_us)
{
	struct sent_segment segment;
	uint64_t sent_us, row_us = at_us;
	uint32_t left = segments, taken = 0;

	note_silent(run, at_us);
	host_write(&run->host, segments * run->mss);
	run->written += segments;
	while ((sent_us = take(run, &segment)) != NEVER) {
		if (sent_us != row_us && taken) {
			tape_write_written(&run->tape, row_us, taken);
			tape_write_state(&run->tape, NULL);
			left -= taken;
			taken = 0;
		}
		row_us = sent_us;
		/* Sent before, and held back until now. */
		taken += taken < left;
		on_sent(run, &segment, sent_us);
	}
	tape_write_written(&run->tape, row_us, left);
	close_row(run, row_us);
}

static void happen(struct run *run, const struct pending *event)
{
	switch (event->kind) {
	case ARRIVAL:
		arrive(run, &event->arrival, event->at_us);
		break;
	case WIDENING:
		widen(run, event->at_us);
		break;
	case ACK:
		on_ack(run, &event->ack, event->at_us);
		break;
	case WRITE:
		on_write(run, event->segments, event->at_us);
		break;
	}
}

/*
 * The microsecond that the kernel will see in what happens now: at least the one given, and not so far gone that it would not last.
 */
static uint64_t settled(const struct run *run, uint64_t at_us)
{
	for (;;) {
		const uint64_t passed_ns = clock_now() - run->zero_ns;

		if (passed_ns / 1000 >= at_us && passed_ns % 1000 < LATE_NS)
			return passed_ns / 1000;
	}
}

/* Waits until a moment, or until the kernel sends; returns whether the moment has come. */
static bool wait_until(struct run *run, uint64_t at_ns)
{
	struct epoll_event event;

	clock_arm(run->timer, at_ns);
	for (;;) {
		if (epoll_wait(run->epoll, &event, 1, -1) != 1)
			fail("epoll");
		if (event.data.fd == run->timer)
			return true;
		if (note_unasked(run))
			return false;
	}
}

/* Whether the kernel has sent in the meantime; to ask costs no time, to look does. */
static bool has_sent(const struct run *run)
{
	struct epoll_event event;

	return epoll_wait(run->epoll, &event, 1, 0) == 1 && event.data.fd == run->host.tap;
}

static bool is_over(const struct run *run)
{
	uint32_t i;

	if (run->tape.rows >= run->script.rows)
		return true;
	for (i = 0; i < run->pendings; i++)
		if (run->pending[i].kind == WRITE)
			return false;
	return run->acknowledged == run->written;
}

static void step(struct run *run, uint64_t at_us)
{
	struct pending *first = earliest(run);
	struct pending event;
	struct ack ack;

	if (run->receiver.due_us <= at_us) {
		receiver_expire(&run->receiver, run->receiver.due_us, &ack);
		send_back(run, &ack);
		return;
	}
	event = *first;
	*first = run->pending[--run->pendings];
	/* What belongs to the peer alone needs no clock of the guest's. */
	if (is_seen(event.kind))
		do
			event.at_us = settled(run, at_us);
		while (has_sent(run) && note_unasked(run));
	happen(run, &event);
}

static uint64_t next_us(struct run *run)
{
	const struct pending *first = earliest(run);
	uint64_t at_us = run->receiver.due_us;

	if (first && first->at_us < at_us)
		at_us = first->at_us;
	/* Only what the kernel sees has to wait for it. */
	if (first && at_us == first->at_us && is_seen(first->kind) && at_us < run->busy_until_us)
		at_us = run->busy_until_us;
	return at_us;
}

static void play(struct run *run)
{
	while (!is_over(run)) {
		uint64_t at_us = next_us(run);
		const bool is_last = at_us >= run->script.end;

		if (is_last)
			at_us = run->script.end;
		if (!wait_until(run, run->zero_ns + at_us * 1000 + WITHIN_NS))
			continue;
		if (is_last)
			return;
		step(run, at_us);
	}
}

static void shake_hands(struct run *run)
{
	const struct script *script = &run->script;
	struct answer answer = { .is_syn = true, .has_stamps = script->timestamps, .mss = script->mss,
				 .is_selective = script->sack, .window = script->window * run->mss };
	const uint64_t rtt_ns = (uint64_t)(script->there + script->back) * 1000;
	struct sent_segment segment;
	uint64_t at_ns;

	while (!wait_until(run, run->zero_ns - rtt_ns + WITHIN_NS))
		;
	clock_now();
	host_connect(&run->host);
	if (!host_take(&run->host, &segment, &at_ns) || !segment.is_syn)
		fail("script %s: no SYN", script->name);
	answer.port = run->port = segment.port;
	run->is_marking = segment.has_reduced;
	answer.echoes_marks = run->is_marking;
	answer.ack = run->first_seq = segment.seq + 1;
	answer.echo = segment.stamp;
	run->stamp = segment.stamp + rtt_ns / 1000000;
	answer.stamp = run->stamp - script->back / 1000;
	if (!wait_until(run, run->zero_ns + WITHIN_NS))
		fail("script %s: sent before the handshake", script->name);
	clock_now();
	tape_write_start(&run->tape);
	host_inject(&run->host, &answer);
	close_row(run, 0);
}

static void begin(struct run *run)
{
	const struct script *script = &run->script;
	uint32_t i;

	run->pendings = run->transmissions = run->written = run->acknowledged = 0;
	run->busy_until_us = 0;
	run->mss = script->mss - (script->timestamps ? 12 : 0);
	host_open(&run->host, script);
	if (epoll_ctl(run->epoll, EPOLL_CTL_ADD, run->host.tap, &(struct epoll_event){ .events = EPOLLIN, .data.fd = run->host.tap }) < 0)
		fail("epoll");
	path_init(&run->path, script);
	receiver_init(&run->receiver, script, strcmp(script->algorithm, "dctcp") == 0);
	tape_begin(&run->tape, script);
	for (i = 0; i < script->windows.length; i++)
		add(run, script->windows.first[i], WIDENING);
	for (i = 0; i < script->writes.length; i++)
		add(run, script->writes.first[i], WRITE)->segments = script->writes.second[i];
	run->zero_ns = ((clock_now() + 2ull * 1000 * (script->there + script->back)) / GRAIN_NS + 1) * GRAIN_NS;
}

static void end(struct run *run)
{
	struct state state;

	host_ask(&run->host, &run->script, &state);
	tape_end(&run->tape, &state);
	host_close(&run->host);
}

int main(void)
{
	static struct run run;
	FILE *scripts;

	/* Anything but a guest's first process has no business here. */
	if (getpid() != 1)
		return 1;
	if (mount("proc", "/proc", "proc", 0, NULL) < 0 || mount("sys", "/sys", "sysfs", 0, NULL) < 0 ||
	    mount("dev", "/dev", "devtmpfs", 0, NULL) < 0)
		fail("mount");
	scripts = fopen("/scripts", "r");
	run.tape.file = fopen("/segments", "w");
	if (!scripts || !run.tape.file)
		fail("/scripts");
	run.epoll = epoll_create1(EPOLL_CLOEXEC);
	run.timer = clock_timer();
	if (run.epoll < 0 ||
	    epoll_ctl(run.epoll, EPOLL_CTL_ADD, run.timer, &(struct epoll_event){ .events = EPOLLIN | EPOLLET, .data.fd = run.timer }) < 0)
		fail("epoll");
	run.epoch_ns = clock_epoch();
	while (script_read(scripts, &run.script)) {
		begin(&run);
		shake_hands(&run);
		play(&run);
		end(&run);
	}
	if (fclose(run.tape.file))
		fail("/segments");
	power_off();
}
