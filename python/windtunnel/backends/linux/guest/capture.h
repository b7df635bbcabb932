/* Packets as senders' hosts see them: the file "packets", rows of one shape. The reader is windtunnel.backends.linux.captured. */
#ifndef WINDTUNNEL_CAPTURE_H
#define WINDTUNNEL_CAPTURE_H

#include <stdint.h>

#define SNAP_BYTES 88	/* an IP header and the longest of TCP, whole words */

struct seen {
	uint64_t t_ns;		/* of the guest's clock of the day; of the first row the time that is zero */
	uint32_t length;	/* of IP, on the wire */
	uint32_t kept;		/* bytes that follow */
	uint8_t bytes[SNAP_BYTES];
};

/* Opens the file; what is captured before has waited in the sockets. */
void capture_open(const char *path, uint64_t zero_ns);

/* Every packet of IPv4 that a namespace sends or gets is seen from now on; the caller is in it then. */
void capture_listen(int namespace);

/* Writes what was seen. */
void capture_drain(void);

/* The same for the last time; a packet that had no room ends the run. */
void capture_close(void);

#endif
