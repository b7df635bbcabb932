/* Writing to files: all that is given, or the guest stops. */
#ifndef WINDTUNNEL_WHOLE_H
#define WINDTUNNEL_WHOLE_H

#include <stddef.h>

/* Writes all bytes, in as many pieces as it takes, or fails with the name of what they are. */
void write_whole(int file, const void *from, size_t bytes, const char *name);

#endif
