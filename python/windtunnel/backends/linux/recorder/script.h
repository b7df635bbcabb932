/* A script: one connection, what its application writes, and how path and receiver behave. One line of the file "scripts". */
#ifndef WINDTUNNEL_SCRIPT_H
#define WINDTUNNEL_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LIST_MAX 64

/* Pairs of numbers: when (microseconds, or which segment) and how much. */
struct list {
	uint32_t length;
	uint32_t first[LIST_MAX];
	uint32_t second[LIST_MAX];
};

/* Times are in microseconds, chances in millionths. */
struct script {
	char name[64];
	char algorithm[16];
	char line[1024];	/* as it was given */
	uint32_t seed;

	/* The kernel's side. */
	uint32_t sack, timestamps, ecn, probe, frto, idle, hystart;	/* on or off */
	uint32_t pacing;	/* bytes per second at most; 0 leaves pacing to the algorithm */
	uint32_t initial_window;	/* segments; 0 for the kernel's */
	uint32_t mss;		/* as the peer says it; timestamps take 12 bytes of it */

	/* The path, there and back. */
	uint32_t there, back;
	uint32_t service;	/* of a segment at the bottleneck; 0 for none */
	uint32_t queue;		/* segments that wait there at most */
	uint32_t mark;		/* segments that wait above which they are marked; 0 for never */
	uint32_t mark_ppm;
	uint32_t drop_ppm, burst;	/* a loss, and how many segments it takes */
	struct list drops;	/* by number of transmission, and how many from there on */
	uint32_t late_ppm, late;
	struct list lates;	/* by number of transmission, and by how much: others overtake them */
	uint32_t twice_ppm, twice;	/* a segment that arrives again so much later */
	uint32_t ack_drop_ppm;
	struct list ack_drops;
	uint32_t gather;	/* ACKs arrive at its multiples only */
	uint32_t ack_late_ppm, ack_late;
	struct list stalls;	/* segments wait: from when, for how long */
	struct list ack_stalls;
	struct list steps;	/* from when the way there takes so much longer */

	/* The receiver. */
	uint32_t every;		/* segments per ACK */
	uint32_t delayed;	/* its timer */
	uint32_t quick;		/* segments that are acknowledged at once in the beginning */
	uint32_t window;	/* segments */
	struct list windows;	/* from when it has room for how many; what it has once offered stands */

	/* The application, and the end. */
	struct list writes;	/* when, and how many segments */
	uint32_t end;
	uint32_t rows;		/* of the answer at most */
};

/* Reads the next script; false at the end of the file. */
bool script_read(FILE *file, struct script *script);

#endif
