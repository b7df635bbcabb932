#include "script.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define NUMBER(key, member) { key, offsetof(struct script, member), false }
#define LIST(key, member) { key, offsetof(struct script, member), true }

static const struct key {
	const char *name;
	size_t offset;
	bool is_list;
} keys[] = {
	NUMBER("seed", seed), NUMBER("sack", sack), NUMBER("ts", timestamps), NUMBER("ecn", ecn), NUMBER("tlp", probe),
	NUMBER("frto", frto), NUMBER("idle", idle), NUMBER("hystart", hystart), NUMBER("pacing", pacing), NUMBER("iw", initial_window),
	NUMBER("mss", mss), NUMBER("there", there), NUMBER("back", back), NUMBER("service", service), NUMBER("queue", queue),
	NUMBER("mark", mark), NUMBER("mark_ppm", mark_ppm), NUMBER("drop_ppm", drop_ppm), NUMBER("burst", burst), LIST("drops", drops),
	NUMBER("late_ppm", late_ppm), NUMBER("late", late), LIST("lates", lates), NUMBER("twice_ppm", twice_ppm), NUMBER("twice", twice),
	NUMBER("ack_drop_ppm", ack_drop_ppm), LIST("ack_drops", ack_drops), NUMBER("gather", gather),
	NUMBER("ack_late_ppm", ack_late_ppm), NUMBER("ack_late", ack_late), LIST("stalls", stalls), LIST("ack_stalls", ack_stalls),
	LIST("steps", steps), NUMBER("every", every), NUMBER("delayed", delayed), NUMBER("quick", quick), NUMBER("window", window),
	LIST("windows", windows), LIST("writes", writes), NUMBER("end", end), NUMBER("rows", rows),
};

static uint32_t number(const char *text, char **rest)
{
	errno = 0;
	if (*text < '0' || *text > '9')
		fail("not a number: %s", text);
	return strtoul(text, rest, 10);
}

static void read_list(struct list *list, const char *text)
{
	char *rest = (char *)text;

	while (*rest) {
		if (list->length == LIST_MAX)
			fail("more than %d of %s", LIST_MAX, text);
		list->first[list->length] = number(rest, &rest);
		list->second[list->length] = *rest == ':' ? number(rest + 1, &rest) : 1;
		list->length++;
		if (*rest == ',')
			rest++;
		else if (*rest)
			fail("not a list: %s", text);
	}
}

static void read_key(struct script *script, const char *name, const char *value)
{
	size_t i;
	char *rest;

	if (strcmp(name, "cc") == 0) {
		snprintf(script->algorithm, sizeof(script->algorithm), "%s", value);
		return;
	}
	for (i = 0; i < sizeof(keys) / sizeof(*keys) && strcmp(keys[i].name, name); i++)
		;
	if (i == sizeof(keys) / sizeof(*keys))
		fail("script %s: %s is no key", script->name, name);
	if (keys[i].is_list) {
		read_list((struct list *)((char *)script + keys[i].offset), value);
		return;
	}
	*(uint32_t *)((char *)script + keys[i].offset) = number(value, &rest);
	if (*rest)
		fail("script %s: %s=%s", script->name, name, value);
}

bool script_read(FILE *file, struct script *script)
{
	const struct script usual = {
		.algorithm = "cubic", .sack = 1, .timestamps = 1, .probe = 1, .frto = 1, .idle = 1, .hystart = 1, .mss = 1460, .there = 10000,
		.back = 10000, .queue = 1000000, .burst = 1, .every = 2, .delayed = 40000, .quick = 16, .window = 10000, .end = 60000000,
		.rows = 100,
	};
	char text[sizeof(script->line)];
	char *word, *value, *kept;

	*script = usual;
	if (!fgets(text, sizeof(text), file))
		return false;
	text[strcspn(text, "\n")] = 0;
	memcpy(script->line, text, sizeof(text));
	word = strtok_r(text, " ", &kept);
	if (!word)
		fail("a script without a name");
	snprintf(script->name, sizeof(script->name), "%s", word);
	while ((word = strtok_r(NULL, " ", &kept))) {
		value = strchr(word, '=');
		if (!value)
			fail("script %s: %s has no value", script->name, word);
		*value = 0;
		read_key(script, word, value + 1);
	}
	return true;
}
