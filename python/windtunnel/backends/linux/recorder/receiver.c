#include "receiver.h"

#include <string.h>

#include "fail.h"

#define NEVER UINT64_MAX

void receiver_init(struct receiver *receiver, const struct script *script, bool is_exact)
{
	*receiver = (struct receiver){ .script = script, .is_exact = is_exact, .quick = script->quick, .due_us = NEVER,
				       .edge = script->window };
}

/* Where its room ends now. */
static uint32_t room_ends(const struct receiver *receiver, uint64_t now_us)
{
	const struct list *windows = &receiver->script->windows;
	uint32_t room = receiver->script->window, i;

	for (i = 0; i < windows->length; i++)
		if (windows->first[i] <= now_us)
			room = windows->second[i];
	return receiver->next + room;
}

/* What an ACK shows at most: timestamps take the room of one block. */
static uint32_t blocks_shown(const struct receiver *receiver, bool has_duplicate)
{
	const uint32_t room = receiver->script->timestamps ? 3 : 4;
	const uint32_t left = room - has_duplicate;

	return receiver->blocks < left ? receiver->blocks : left;
}

static void answer(struct receiver *receiver, uint32_t duplicate, uint64_t now_us, struct ack *ack)
{
	*ack = (struct ack){ .cumulative = receiver->next, .duplicate = receiver->script->sack ? duplicate : NO_SEGMENT,
			     .echoed = receiver->recent, .echoes_marks = receiver->is_congested, .left_us = now_us };
	if (receiver->script->sack) {
		ack->blocks = blocks_shown(receiver, duplicate != NO_SEGMENT);
		memcpy(ack->block, receiver->block, ack->blocks * sizeof(*ack->block));
	}
	if (receiver->edge < room_ends(receiver, now_us))
		receiver->edge = room_ends(receiver, now_us);
	ack->window = receiver->edge - receiver->next;
	receiver->acknowledged = receiver->next;
	receiver->pending = 0;
	receiver->due_us = NEVER;
}

static void remove_block(struct receiver *receiver, uint32_t i)
{
	receiver->blocks--;
	memmove(&receiver->block[i], &receiver->block[i + 1], (receiver->blocks - i) * sizeof(*receiver->block));
}

/* The block of a segment above a hole comes first. Returns whether the segment was there already. */
static bool put_in_block(struct receiver *receiver, uint32_t seq)
{
	struct block made = { seq, seq + 1 };
	uint32_t i = 0;

	while (i < receiver->blocks) {
		const struct block block = receiver->block[i];

		if (seq >= block.from && seq < block.to) {
			remove_block(receiver, i);
			memmove(&receiver->block[1], &receiver->block[0], receiver->blocks++ * sizeof(block));
			receiver->block[0] = block;
			return true;
		}
		if (block.to == made.from || block.from == made.to) {
			made.from = block.from < made.from ? block.from : made.from;
			made.to = block.to > made.to ? block.to : made.to;
			remove_block(receiver, i);
		} else {
			i++;
		}
	}
	if (receiver->blocks == sizeof(receiver->block) / sizeof(*receiver->block))
		fail("more holes than a receiver keeps");
	memmove(&receiver->block[1], &receiver->block[0], receiver->blocks++ * sizeof(made));
	receiver->block[0] = made;
	return false;
}

/* Returns whether it filled a hole. */
static bool advance(struct receiver *receiver)
{
	uint32_t i;

	receiver->next++;
	for (i = 0; i < receiver->blocks; i++)
		if (receiver->block[i].from == receiver->next) {
			receiver->next = receiver->block[i].to;
			remove_block(receiver, i);
			return true;
		}
	return false;
}

/* RFC 7323 4.3: the stamp of the segment that begins where the last ACK ended, unless it is older. */
static void note_stamp(struct receiver *receiver, const struct arrival *arrival)
{
	if (arrival->seq > receiver->acknowledged || (receiver->has_recent && arrival->transmission < receiver->recent))
		return;
	receiver->recent = arrival->transmission;
	receiver->has_recent = true;
}

static void note_mark(struct receiver *receiver, const struct arrival *arrival)
{
	if (!receiver->is_exact) {
		receiver->is_congested = (receiver->is_congested && !arrival->has_reduced) || arrival->is_marked;
		return;
	}
	receiver->is_congested = arrival->is_marked;
}

unsigned receiver_take(struct receiver *receiver, const struct arrival *arrival, uint64_t now_us, struct ack acks[2])
{
	const bool is_in_order = arrival->seq == receiver->next;
	uint32_t duplicate = NO_SEGMENT;
	bool is_at_once = !is_in_order || receiver->blocks;
	unsigned made = 0;

	if (arrival->seq == NO_SEGMENT) {
		receiver->recent = arrival->transmission;
		receiver->has_recent = true;
		answer(receiver, NO_SEGMENT, now_us, &acks[0]);
		return 1;
	}
	/* RFC 8257 3.2: marks begin or end; what came before is acknowledged apart. */
	if (receiver->is_exact && arrival->is_marked != receiver->is_congested) {
		if (receiver->pending)
			answer(receiver, NO_SEGMENT, now_us, &acks[made++]);
		is_at_once = true;
	}
	note_mark(receiver, arrival);
	note_stamp(receiver, arrival);
	if (arrival->seq < receiver->next)
		duplicate = arrival->seq;
	else if (is_in_order)
		is_at_once |= advance(receiver);
	else if (put_in_block(receiver, arrival->seq))
		duplicate = arrival->seq;
	receiver->pending += is_in_order;
	if (receiver->quick) {
		receiver->quick--;
		is_at_once = true;
	}
	if (is_at_once || receiver->pending >= receiver->script->every)
		answer(receiver, duplicate, now_us, &acks[made++]);
	else if (receiver->due_us == NEVER)
		receiver->due_us = now_us + receiver->script->delayed;
	return made;
}

void receiver_expire(struct receiver *receiver, uint64_t now_us, struct ack *ack)
{
	answer(receiver, NO_SEGMENT, now_us, ack);
}

bool receiver_widen(struct receiver *receiver, uint64_t now_us, struct ack *ack)
{
	if (room_ends(receiver, now_us) <= receiver->edge)
		return false;
	answer(receiver, NO_SEGMENT, now_us, ack);
	return true;
}
