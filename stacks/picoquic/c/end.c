/* One end of a connection of picoquic's: its context, its connection, and what it asks its application. */
#include "end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "picotls.h"
#include "picoquic.h"
#include "picoquic_internal.h"
#include "picoquic_crypto_provider_api.h"
#include "tls_api.h"

#define UNSAID UINT64_MAX
#define CLIENT_PORT 4434
#define SERVER_PORT 4433
#define SERVER_NAME "tunnel.invalid"
#define ALPN "tunnel"

struct windtunnel_end {
	picoquic_quic_t *quic;
	picoquic_cnx_t *connection;
	uint64_t now;			/* picoquic's clock */
	struct sockaddr_storage own, peer;
	int is_server, is_gone;
	void *application;
};

static void at_port(struct sockaddr_storage *address, uint16_t port)
{
	struct sockaddr_in *ip = (struct sockaddr_in *)address;

	memset(address, 0, sizeof(*address));
	ip->sin_family = AF_INET;
	ip->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ip->sin_port = htons(port);
}

/* A file in memory, which picoquic reads by its name: -1 when there is none. */
static int in_memory(const uint8_t *bytes, size_t length, char *name, size_t most)
{
	int file = memfd_create("pem", MFD_CLOEXEC);

	if (file < 0)
		return -1;
	if (write(file, bytes, length) != (ssize_t)length) {
		close(file);
		return -1;
	}
	snprintf(name, most, "/proc/self/fd/%d", file);
	return file;
}

static int gives(struct windtunnel_end *end, uint64_t stream, uint8_t *context, size_t most)
{
	uint8_t is_end = 0, has_more = 0;
	size_t length = windtunnel_application_gives(end->application, stream, most, &is_end, &has_more);
	uint8_t *into = picoquic_provide_stream_data_buffer(context, length, is_end, has_more);

	if (length > 0 && into == NULL)
		return -1;
	if (length > 0)
		memset(into, 0, length);
	return 0;
}

static int on_event(picoquic_cnx_t *connection, uint64_t stream, uint8_t *bytes, size_t length, picoquic_call_back_event_t event,
		    void *context, void *stream_context)
{
	struct windtunnel_end *end = context;

	(void)stream_context;
	end->connection = connection;
	switch (event) {
	case picoquic_callback_stream_data:
	case picoquic_callback_stream_fin:
		if (end->is_server)
			windtunnel_application_reads(end->application, length);
		break;
	case picoquic_callback_prepare_to_send:
		return gives(end, stream, bytes, length);
	case picoquic_callback_stream_released:
		windtunnel_application_finished(end->application, stream);
		break;
	case picoquic_callback_close:
	case picoquic_callback_application_close:
	case picoquic_callback_stateless_reset:
		end->is_gone = 1;
		break;
	default:
		break;
	}
	return 0;
}

/* Nothing but congestion control limits what is in flight. */
static void open_windows(picoquic_quic_t *quic, const struct windtunnel_open *open)
{
	uint64_t window = open->window_bytes > PICOQUIC_INITIAL_FLOW_CONTROL_MAX ? open->window_bytes : PICOQUIC_INITIAL_FLOW_CONTROL_MAX;

	picoquic_set_default_tp_value(quic, picoquic_tp_initial_max_data, window);
	picoquic_set_default_tp_value(quic, picoquic_tp_initial_max_stream_data_uni, window);
}

struct windtunnel_end *windtunnel_end_open(const struct windtunnel_open *open)
{
	struct windtunnel_end *end = calloc(1, sizeof(*end));
	char certificate[64], key[64];
	int certificate_file = in_memory(open->certificate, open->certificate_bytes, certificate, sizeof(certificate));
	int key_file = in_memory(open->key, open->key_bytes, key, sizeof(key));

	if (end == NULL || certificate_file < 0 || key_file < 0)
		goto out;
	end->application = open->application;
	end->is_server = open->is_server;
	at_port(&end->own, open->is_server ? SERVER_PORT : CLIENT_PORT);
	at_port(&end->peer, open->is_server ? CLIENT_PORT : SERVER_PORT);
	picoquic_register_all_congestion_control_algorithms();
	/* Randomness is the run's; what the cryptographic library draws for keys changes ciphertext alone. */
	picoquic_tls_api_init();
	picoquic_register_crypto_random_provider_fn(windtunnel_application_draws);
	end->quic = picoquic_create(8, open->is_server ? certificate : NULL, open->is_server ? key : NULL,
				    open->is_server ? NULL : certificate, ALPN, on_event, end, NULL, NULL, NULL, 0, &end->now, NULL, NULL, 0);
	if (end->quic == NULL)
		goto out;
	picoquic_public_random_seed_64(open->seed, 1);
	picoquic_set_default_congestion_algorithm(end->quic, picoquic_get_congestion_algorithm(open->algorithm));
	picoquic_set_mtu_max(end->quic, open->datagram_bytes + PICOQUIC_MTU_OVERHEAD((struct sockaddr *)&end->peer));
	/* Unasked, it looks for the path's largest datagram only while it has little to send. Its own tests of long transfers ask, too. */
	picoquic_set_default_pmtud_policy(end->quic, picoquic_pmtud_required);
	open_windows(end->quic, open);
out:
	if (certificate_file >= 0)
		close(certificate_file);
	if (key_file >= 0)
		close(key_file);
	if (end != NULL && end->quic == NULL) {
		free(end);
		return NULL;
	}
	return end;
}

void windtunnel_end_close(struct windtunnel_end *end)
{
	picoquic_free(end->quic);
	free(end);
}

int windtunnel_end_connect(struct windtunnel_end *end, uint64_t now)
{
	end->now = now;
	end->connection = picoquic_create_cnx(end->quic, picoquic_null_connection_id, picoquic_null_connection_id,
					      (struct sockaddr *)&end->peer, now, 0, SERVER_NAME, ALPN, 1);
	if (end->connection == NULL)
		return -1;
	picoquic_set_callback(end->connection, on_event, end);
	return picoquic_start_client_cnx(end->connection);
}

int windtunnel_end_receive(struct windtunnel_end *end, uint64_t now, const uint8_t *data, size_t length, uint8_t ecn)
{
	/* It is decrypted where it is. */
	uint8_t copy[PICOQUIC_MAX_PACKET_SIZE];
	picoquic_cnx_t *first = NULL;

	end->now = now;
	if (length > sizeof(copy))
		return -1;
	memcpy(copy, data, length);
	return picoquic_incoming_packet_ex(end->quic, copy, length, (struct sockaddr *)&end->peer, (struct sockaddr *)&end->own, 0, ecn, &first,
					   now);
}

int windtunnel_end_transmit(struct windtunnel_end *end, uint64_t now, uint8_t *data, size_t most)
{
	struct sockaddr_storage to, from;
	picoquic_connection_id_t logged;
	picoquic_cnx_t *last = NULL;
	size_t length = 0;
	int interface = 0;

	end->now = now;
	if (picoquic_prepare_next_packet_ex(end->quic, now, data, most, &length, &to, &from, &interface, &logged, &last, NULL) != 0)
		return -1;
	if (length > 0 && ((struct sockaddr_in *)&to)->sin_port != ((struct sockaddr_in *)&end->peer)->sin_port)
		return WINDTUNNEL_NOBODY;
	return (int)length;
}

uint64_t windtunnel_end_wake_at(struct windtunnel_end *end, uint64_t now)
{
	return picoquic_get_next_wake_time(end->quic, now);
}

int windtunnel_end_wants(struct windtunnel_end *end, uint64_t now, uint64_t stream)
{
	end->now = now;
	return end->connection == NULL ? 0 : picoquic_mark_active_stream(end->connection, stream, 1, end);
}

void windtunnel_end_reset(struct windtunnel_end *end, uint64_t now, uint64_t stream)
{
	end->now = now;
	/* One that was finished and acknowledged before is gone: that is no error. */
	if (end->connection != NULL)
		(void)picoquic_reset_stream(end->connection, stream, 0);
}

void windtunnel_end_state(struct windtunnel_end *end, struct windtunnel_said *said)
{
	picoquic_cnx_t *connection = end->connection;
	picoquic_path_t *path;
	picoquic_path_quality_t quality;
	picoquic_state_enum state;

	memset(said, 0, sizeof(*said));
	said->window_bytes = said->srtt_us = said->min_rtt_us = said->in_flight_bytes = said->pacing_bps = said->datagram_bytes = UNSAID;
	said->is_gone = end->is_gone;
	if (connection == NULL || end->is_gone)
		return;
	state = picoquic_get_cnx_state(connection);
	said->is_connected = state >= picoquic_state_client_almost_ready && state < picoquic_state_disconnecting;
	said->is_gone = state >= picoquic_state_disconnecting;
	said->local_error = picoquic_get_local_error(connection);
	said->remote_error = picoquic_get_remote_error(connection);
	path = connection->path[0];
	picoquic_get_default_path_quality(connection, &quality);
	said->window_bytes = quality.cwin;
	said->in_flight_bytes = quality.bytes_in_transit;
	said->lost_packets = quality.lost;
	said->datagram_bytes = path->send_mtu;
	if (path->rtt_is_initialized) {
		said->srtt_us = quality.rtt;
		said->min_rtt_us = quality.rtt_min;
	}
	if (quality.pacing_rate > 0 && quality.pacing_rate < UINT64_MAX / 8)
		said->pacing_bps = 8 * quality.pacing_rate;
}

uint8_t windtunnel_end_ecn(const char *algorithm)
{
	picoquic_congestion_algorithm_t const *found;

	picoquic_register_all_congestion_control_algorithms();
	found = picoquic_get_congestion_algorithm(algorithm);
	return found == NULL ? 0 : found->ecn_mark;
}
