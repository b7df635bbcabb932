/* Packets as they are seen at senders, where they leave their first link, and at receivers: the file "packets", rows of one shape. The reader is windtunnel.backends.linux.captured. */
#ifndef WINDTUNNEL_CAPTURE_H
#define WINDTUNNEL_CAPTURE_H

#include <stdint.h>

#define SNAP_BYTES 88	/* an IP header and the longest of TCP, whole words */

struct seen {
	uint64_t t_ns;		/* of the guest's clock of the day; of the first row the time that is zero */
	uint32_t length;	/* of IP, on the wire */
	uint16_t kept;		/* bytes that follow */
	uint16_t place;		/* of enum place_of_capture */
	uint8_t bytes[SNAP_BYTES];
};

enum place_of_capture { AT_SENDER, AT_BOTTLENECK, AT_RECEIVER };

/* Which packets of IPv4 a tap shows. */
enum seen_there {
	ALL_THERE,	/* all that the namespace sends or gets */
	LEAVING,	/* those from an address, as they leave */
	COMING,		/* those to an address, as they come */
	OF_RECEIVER,	/* those to an address as they come, and those from it as they leave */
};

struct tap_plan {
	int namespace;
	enum place_of_capture place;
	enum seen_there seen;
	uint32_t address;	/* see `seen` */
	unsigned device;	/* the only one, 0 for all */
};

/* Opens the file; what is captured before has waited in the sockets. */
void capture_open(const char *path, uint64_t zero_ns);

/* What the tap shows is seen from now on; the caller is in its namespace then. */
void capture_listen(const struct tap_plan *plan);

/* Writes what was seen. */
void capture_drain(void);

/* The same for the last time; a packet that had no room ends the run. */
void capture_close(void);

#endif
