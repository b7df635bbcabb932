#include "records.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "whole.h"

#define ROWS_WAITING 2048

static int file = -1;
static int waiting;
static struct row rows[ROWS_WAITING];

static void flush(void)
{
	write_whole(file, rows, waiting * sizeof(rows[0]), "records");
	waiting = 0;
}

struct row *records_row(enum row_kind kind, uint32_t index, uint64_t t_ns)
{
	struct row *row;

	if (waiting == ROWS_WAITING)
		flush();
	row = &rows[waiting++];
	memset(row, 0, sizeof(*row));
	row->kind = kind;
	row->index = index;
	row->t_ns = t_ns;
	return row;
}

void records_open(const char *path, int flows, int links)
{
	struct row *row;

	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (file < 0)
		fail("%s", path);
	row = records_row(ROW_BEGIN, 0, 0);
	row->value[0] = RECORDS_VERSION;
	row->value[1] = flows;
	row->value[2] = links;
}

void records_close(void)
{
	records_row(ROW_END, 0, 0);
	flush();
	if (fsync(file) < 0 || close(file) < 0)
		fail("records");
}
