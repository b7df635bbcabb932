#include "whole.h"

#include <unistd.h>

#include "fail.h"

void write_whole(int file, const void *from, size_t bytes, const char *name)
{
	const char *at = from;

	while (bytes > 0) {
		const ssize_t written = write(file, at, bytes);

		if (written <= 0)
			fail("%s", name);
		at += written;
		bytes -= written;
	}
}
