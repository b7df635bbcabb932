/* One end of a connection of picoquic's: what its C interface is used for, as src/end.rs declares it once more. */
#ifndef WINDTUNNEL_PICOQUIC_END_H
#define WINDTUNNEL_PICOQUIC_END_H

#include <stddef.h>
#include <stdint.h>

struct windtunnel_end;

/* What an end is to be. Times are microseconds since the beginning of the run. */
struct windtunnel_open {
	const char *algorithm;		/* picoquic's name of it */
	const uint8_t *certificate;	/* PEM */
	size_t certificate_bytes;
	const uint8_t *key;		/* PEM */
	size_t key_bytes;
	uint64_t seed;
	uint64_t window_bytes;
	uint32_t datagram_bytes;
	uint8_t is_server;
	void *application;		/* what the functions below are called with */
};

/* What picoquic says of a connection; -1 where it says nothing. */
struct windtunnel_said {
	uint64_t window_bytes, srtt_us, min_rtt_us, in_flight_bytes, pacing_bps, datagram_bytes, lost_packets;
	uint64_t local_error, remote_error;
	uint8_t is_connected, is_gone;
};

struct windtunnel_end *windtunnel_end_open(const struct windtunnel_open *open);
void windtunnel_end_close(struct windtunnel_end *end);
int windtunnel_end_connect(struct windtunnel_end *end, uint64_t now);
int windtunnel_end_receive(struct windtunnel_end *end, uint64_t now, const uint8_t *data, size_t length, uint8_t ecn);
/* Bytes of the datagram that leaves now, 0 for none, -1 for an error, or that it is for another than the other end. */
#define WINDTUNNEL_NOBODY (-2)
int windtunnel_end_transmit(struct windtunnel_end *end, uint64_t now, uint8_t *data, size_t most);
uint64_t windtunnel_end_wake_at(struct windtunnel_end *end, uint64_t now);
/* A stream has something to send, or its end. */
int windtunnel_end_wants(struct windtunnel_end *end, uint64_t now, uint64_t stream);
void windtunnel_end_reset(struct windtunnel_end *end, uint64_t now, uint64_t stream);
void windtunnel_end_state(struct windtunnel_end *end, struct windtunnel_said *said);
uint8_t windtunnel_end_ecn(const char *algorithm);

/* The application, in Rust. */
/* How many bytes, at most `most`, leave on a stream now; whether they end it, and whether there are more. */
size_t windtunnel_application_gives(void *application, uint64_t stream, size_t most, uint8_t *is_end, uint8_t *has_more);
void windtunnel_application_reads(void *application, size_t bytes);
/* All that was sent on a stream is acknowledged, its end included. */
void windtunnel_application_finished(void *application, uint64_t stream);
void windtunnel_application_draws(void *to, size_t length);

#endif
