#include "path.h"

void path_init(struct path *path, const struct script *script)
{
	*path = (struct path){ .script = script, .segments.state = script->seed, .acks.state = ~(uint64_t)script->seed };
}

static bool is_listed(const struct list *list, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < list->length; i++)
		if (number >= list->first[i] && number < list->first[i] + list->second[i])
			return true;
	return false;
}

/* Whoever arrives while all waits, waits. */
static uint64_t after_stalls(const struct list *stalls, uint64_t at_us)
{
	uint32_t i;

	for (i = 0; i < stalls->length; i++)
		if (at_us >= stalls->first[i] && at_us < stalls->first[i] + stalls->second[i])
			at_us = stalls->first[i] + stalls->second[i];
	return at_us;
}

static uint64_t longer_by(const struct list *steps, uint64_t now_us)
{
	uint64_t longer = 0;
	uint32_t i;

	for (i = 0; i < steps->length; i++)
		if (now_us >= steps->first[i])
			longer = steps->second[i];
	return longer;
}

static bool is_lost(struct path *path, uint32_t number)
{
	if (path->doomed)
		path->doomed--;
	else if (draws_happens(&path->segments, path->script->drop_ppm))
		path->doomed = path->script->burst - 1;
	else
		return is_listed(&path->script->drops, number);
	return true;
}

/* By how much a segment falls behind those sent after it. */
static uint64_t lateness(struct path *path, uint32_t number)
{
	const struct list *lates = &path->script->lates;
	uint32_t i;

	for (i = 0; i < lates->length; i++)
		if (lates->first[i] == number)
			return lates->second[i];
	return draws_happens(&path->segments, path->script->late_ppm) ? path->script->late : 0;
}

struct journey path_there(struct path *path, uint64_t now_us, bool is_capable)
{
	const struct script *script = path->script;
	struct journey journey = { .arrives_us = LOST, .again_us = LOST };
	const uint64_t late = lateness(path, path->offered);
	uint64_t leaves_us = now_us, waiting = 0;

	if (is_lost(path, path->offered++))
		return journey;
	if (script->service) {
		leaves_us = path->idle_us > now_us ? path->idle_us : now_us;
		waiting = (leaves_us - now_us + script->service - 1) / script->service;
		if (waiting > script->queue)
			return journey;
		path->idle_us = leaves_us += script->service;
	}
	journey.is_marked = is_capable && ((script->mark && waiting > script->mark) || draws_happens(&path->segments, script->mark_ppm));
	journey.arrives_us = after_stalls(&script->stalls, leaves_us + script->there + longer_by(&script->steps, now_us));
	if (late) {
		journey.arrives_us += late;
	} else {
		if (journey.arrives_us < path->last_us)
			journey.arrives_us = path->last_us;
		path->last_us = journey.arrives_us;
	}
	if (draws_happens(&path->segments, script->twice_ppm))
		journey.again_us = journey.arrives_us + script->twice;
	return journey;
}

uint64_t path_back(struct path *path, uint64_t now_us)
{
	const struct script *script = path->script;
	const bool is_lost = draws_happens(&path->acks, script->ack_drop_ppm);
	const bool is_late = draws_happens(&path->acks, script->ack_late_ppm);
	uint64_t at_us = after_stalls(&script->ack_stalls, now_us + script->back);

	if (is_listed(&script->ack_drops, path->acks_offered++) || is_lost)
		return LOST;
	if (script->gather)
		at_us = (at_us + script->gather - 1) / script->gather * script->gather;
	if (is_late)
		return at_us + script->ack_late;
	if (at_us < path->last_ack_us)
		at_us = path->last_ack_us;
	path->last_ack_us = at_us;
	return at_us;
}
