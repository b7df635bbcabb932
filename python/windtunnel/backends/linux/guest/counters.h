/* What the kernel counts of a flow: TCP_INFO, TCP_CC_INFO, and the TCP counters of the sender's network namespace. */
#ifndef WINDTUNNEL_COUNTERS_H
#define WINDTUNNEL_COUNTERS_H

#include <linux/tcp.h>
#include <stdint.h>

#define CC_WORDS 5	/* of the algorithm's own report; linux/inet_diag.h */

struct snmp {
	uint64_t loss_episodes;
	uint64_t timeouts;
	uint64_t undos;
};

/* Reads a socket's state. */
void counters_info(int socket, struct tcp_info *info);

/* Reads the algorithm's own report; returns its size in words, 0 for none. */
int counters_algorithm(int socket, uint32_t words[CC_WORDS]);

/* Opens the counters of the namespace the caller is in. */
int snmp_open(void);

void snmp_read(int file, struct snmp *snmp);

#endif
