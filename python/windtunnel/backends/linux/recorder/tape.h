/* The recording: one line per event, with what was sent in answer and what changed of the connection's state. See data/kernel-segments. */
#ifndef WINDTUNNEL_TAPE_H
#define WINDTUNNEL_TAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "host.h"
#include "receiver.h"

#define SENT_MAX 20000

struct tape {
	FILE *file;
	const struct script *script;
	uint64_t last_us;
	uint64_t rows;
	struct state before;
	uint32_t expected;	/* by the ACK before */
	uint32_t sent[SENT_MAX];	/* in answer to the event under way */
	uint32_t sents;
	uint32_t first[SENT_MAX];	/* transmission of each segment */
};

void tape_begin(struct tape *tape, const struct script *script);
/* A segment was sent, NO_SEGMENT for one that asks for the window, and which transmission that was. */
void tape_note_sent(struct tape *tape, uint32_t seq, uint32_t transmission);

void tape_write_written(struct tape *tape, uint64_t at_us, uint32_t segments);
void tape_write_ack(struct tape *tape, uint64_t at_us, const struct ack *ack, uint64_t delay_us);
void tape_write_timer(struct tape *tape, uint64_t at_us);
void tape_write_start(struct tape *tape);

/* What was sent, and the state, without which the row says that it is not known. Ends the line. */
void tape_write_state(struct tape *tape, const struct state *state);
bool tape_has_changed(const struct tape *tape, const struct state *state);
void tape_end(struct tape *tape, const struct state *state);

#endif
