/* Sockets of datagrams, and receivers that nobody has to read. */
#ifndef WINDTUNNEL_DATAGRAMS_H
#define WINDTUNNEL_DATAGRAMS_H

#include <netinet/in.h>

#define UDP_HEADER_BYTES 28	/* of IP too */

int udp_socket(void);

/* A receiver at an address that refuses every packet: the kernel counts them, and nobody has to fetch them. */
int refusing_socket(const struct sockaddr_in *address);

#endif
