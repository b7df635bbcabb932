#include "tape.h"

#include <string.h>

#include "fail.h"

#define NOT_SENT UINT32_MAX

/* A column of the state: its letter, and where it is. Those of an algorithm are written of its scripts only. */
struct column {
	char letter;
	uint64_t (*value)(const struct state *state);
	bool is_of_pacing;
};

#define OF_INFO(name, expression) \
	static uint64_t name(const struct state *state) \
	{ \
		return state->info.expression; \
	}

OF_INFO(cwnd, tcpi_snd_cwnd)
OF_INFO(ssthresh, tcpi_snd_ssthresh)
OF_INFO(ca_state, tcpi_ca_state)
OF_INFO(sacked, tcpi_sacked)
OF_INFO(lost, tcpi_lost)
OF_INFO(retrans, tcpi_retrans)
OF_INFO(unacked, tcpi_unacked)
OF_INFO(total_retrans, tcpi_total_retrans)
OF_INFO(delivered, tcpi_delivered)
OF_INFO(rto, tcpi_rto / 1000)
OF_INFO(rtt, tcpi_rtt)
OF_INFO(min_rtt, tcpi_min_rtt)
OF_INFO(reordering, tcpi_reordering)
OF_INFO(reord_seen, tcpi_reord_seen)
OF_INFO(dsack_dups, tcpi_dsack_dups)
OF_INFO(delivered_ce, tcpi_delivered_ce)
OF_INFO(pacing_rate, tcpi_pacing_rate)
OF_INFO(delivery_rate, tcpi_delivery_rate)
OF_INFO(app_limited, tcpi_delivery_rate_app_limited)

static uint64_t pacing_gain(const struct state *state)
{
	return state->pacing_gain;
}

static uint64_t alpha(const struct state *state)
{
	return state->alpha;
}

static const struct column columns[] = {
	{ 'c', cwnd, false }, { 'h', ssthresh, false }, { 's', ca_state, false }, { 'k', sacked, false }, { 'l', lost, false },
	{ 'x', retrans, false }, { 'u', unacked, false }, { 'y', total_retrans, false }, { 'd', delivered, false }, { 'o', rto, false },
	{ 'r', rtt, false }, { 'm', min_rtt, false }, { 'q', reordering, false }, { 'n', reord_seen, false },
	{ 'z', dsack_dups, false }, { 'f', delivered_ce, false }, { 'j', alpha, false }, { 'i', app_limited, false },
	{ 'p', pacing_rate, true }, { 'b', delivery_rate, true }, { 'g', pacing_gain, true },
};

#define COLUMNS (sizeof(columns) / sizeof(*columns))

static bool is_written(const struct tape *tape, const struct column *column)
{
	return !column->is_of_pacing || tape->script->pacing || strcmp(tape->script->algorithm, "bbr") == 0;
}

static bool differs(const struct tape *tape, const struct column *column, const struct state *state)
{
	return is_written(tape, column) && column->value(state) != column->value(&tape->before);
}

void tape_begin(struct tape *tape, const struct script *script)
{
	FILE *file = tape->file;

	memset(tape, 0, sizeof(*tape));
	memset(tape->first, 0xff, sizeof(tape->first));
	tape->file = file;
	tape->script = script;
	fprintf(file, "script %s\n", script->line);
}

void tape_note_sent(struct tape *tape, uint32_t seq, uint32_t transmission)
{
	const bool has_data = seq != NO_SEGMENT;

	if ((has_data && seq >= SENT_MAX) || tape->sents == SENT_MAX)
		fail("script %s sends more than %d segments", tape->script->name, SENT_MAX);
	tape->sent[tape->sents++] = seq;
	if (has_data && tape->first[seq] == NOT_SENT)
		tape->first[seq] = transmission;
}

static void write_time(struct tape *tape, uint64_t at_us)
{
	if (at_us < tape->last_us)
		fail("script %s: time goes back", tape->script->name);
	fprintf(tape->file, "%llu ", (unsigned long long)(at_us - tape->last_us));
	tape->last_us = at_us;
}

void tape_write_written(struct tape *tape, uint64_t at_us, uint32_t segments)
{
	write_time(tape, at_us);
	fprintf(tape->file, "w%u", segments);
}

void tape_write_timer(struct tape *tape, uint64_t at_us)
{
	write_time(tape, at_us);
	fputc('t', tape->file);
}

void tape_write_start(struct tape *tape)
{
	fputs("0 o", tape->file);
}

void tape_write_ack(struct tape *tape, uint64_t at_us, const struct ack *ack, uint64_t delay_us)
{
	uint32_t i;

	write_time(tape, at_us);
	fprintf(tape->file, "a%u", ack->cumulative);
	for (i = 0; i < ack->blocks; i++)
		fprintf(tape->file, "/%u-%u", ack->block[i].from, ack->block[i].to);
	if (ack->duplicate != NO_SEGMENT)
		fprintf(tape->file, "!%u", ack->duplicate);
	if (ack->echoes_marks)
		fputc('e', tape->file);
	if (tape->script->windows.length)
		fprintf(tape->file, "~%u", ack->window);
	if (ack->echoed != tape->first[tape->expected])
		fprintf(tape->file, "@%u", ack->echoed);
	if (strcmp(tape->script->algorithm, "lp") == 0)
		fprintf(tape->file, "+%llu", (unsigned long long)delay_us);
	tape->expected = ack->cumulative;
}

/* Ranges of segments in the order in which they were sent. */
static void write_sent(struct tape *tape)
{
	uint32_t i = 0, run;

	for (i = 0; i < tape->sents; i += run) {
		run = 1;
		if (tape->sent[i] == NO_SEGMENT) {
			fprintf(tape->file, "%sp", i ? "," : " >");
			continue;
		}
		for (; i + run < tape->sents && tape->sent[i + run] == tape->sent[i] + run; run++)
			;
		fprintf(tape->file, "%s%u", i ? "," : " >", tape->sent[i]);
		if (run > 1)
			fprintf(tape->file, "-%u", tape->sent[i] + run - 1);
	}
	tape->sents = 0;
}

void tape_write_state(struct tape *tape, const struct state *state)
{
	size_t i;

	write_sent(tape);
	if (!state)
		fputs(" ?", tape->file);
	for (i = 0; state && i < COLUMNS; i++)
		if (differs(tape, &columns[i], state))
			fprintf(tape->file, " %c%llu", columns[i].letter, (unsigned long long)columns[i].value(state));
	fputc('\n', tape->file);
	if (state)
		tape->before = *state;
	tape->rows++;
}

bool tape_has_changed(const struct tape *tape, const struct state *state)
{
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		if (differs(tape, &columns[i], state))
			return true;
	return false;
}

void tape_end(struct tape *tape, const struct state *state)
{
	fprintf(tape->file, "end %llu %llu %llu\n", (unsigned long long)state->info.tcpi_busy_time,
		(unsigned long long)state->info.tcpi_rwnd_limited, (unsigned long long)state->info.tcpi_sndbuf_limited);
}
