/* What is handed to the host: the file "records", rows of one shape. The reader is windtunnel.backends.linux.records. */
#ifndef WINDTUNNEL_RECORDS_H
#define WINDTUNNEL_RECORDS_H

#include <stdint.h>

#define RECORDS_VERSION 1
#define ROW_VALUES 14

enum row_kind {
	ROW_BEGIN = 1,		/* version, flows, links */
	ROW_END,		/* nothing: a file that ends with it is whole */
	ROW_FLOW,		/* a sample of a flow; see flow_sample() */
	ROW_LINK,		/* a sample of a link; see link_sample() */
	ROW_FLOW_TOTALS,	/* counters of a flow at the beginning (0) or the end (1) of its window */
	ROW_LINK_TOTALS,	/* the same of a link */
	ROW_EVENT,		/* what, value, value2; NEVER for no value */
	ROW_SOURCE,		/* a sample of a source of datagrams: arrived */
	ROW_SOURCE_TOTALS,	/* beginning or end of its window; arrived, sent, lost */
	ROW_EXCHANGE,		/* begun then, in the client's clock: its number, how long it took (NEVER if it did not end), segments sent again */
};

enum event_kind { EVENT_START = 1, EVENT_STOP, EVENT_LOSS_EPISODE, EVENT_TIMEOUT, EVENT_UNDO, EVENT_SLOW_START_EXIT, EVENT_BEGIN };

struct row {
	uint64_t t_ns;		/* in the clock of the flow or of the link */
	uint32_t kind;
	uint32_t index;		/* of the flow or the link */
	uint64_t value[ROW_VALUES];
};

/* Opens the file and writes its first row. */
void records_open(const char *path, int flows, int links);

/* A row to fill, all zeros but for these; it is written by and by. */
struct row *records_row(enum row_kind kind, uint32_t index, uint64_t t_ns);

/* Writes the last row and everything that waits. */
void records_close(void);

#endif
