/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0 */
/* The socket of a kernel that is an endpoint, and the application that writes to it or reads from it. */
#ifndef WINDTUNNEL_SOCKET_H
#define WINDTUNNEL_SOCKET_H

#include <linux/types.h>

struct windtunnel_open;
struct windtunnel_said;

#define WINDTUNNEL_CLIENT_PORT 1000
#define WINDTUNNEL_SERVER_PORT 1001

extern bool windtunnel_is_server;

/* Makes it; the server listens. Returns an error of the kernel's. */
int windtunnel_socket(const struct windtunnel_open *open, __be32 client, __be32 server);

/* The application's loop; never returns. */
void windtunnel_serve(void);

/* From an interrupt: for the application. */
void windtunnel_command(u32 what, u64 bytes);

/* What the socket says of itself, while the machine is idle. */
void windtunnel_tell(struct windtunnel_said *said);

#endif
