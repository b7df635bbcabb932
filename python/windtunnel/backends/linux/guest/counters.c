#include "counters.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"

void counters_info(int socket, struct tcp_info *info)
{
	socklen_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &size) < 0)
		fail("TCP_INFO");
}

int counters_algorithm(int socket, uint32_t words[CC_WORDS])
{
	socklen_t size = CC_WORDS * sizeof(words[0]);

	memset(words, 0, size);
	if (getsockopt(socket, IPPROTO_TCP, TCP_CC_INFO, words, &size) < 0)
		return 0;
	return size / sizeof(words[0]);
}

int snmp_open(void)
{
	int file = open("/proc/net/netstat", O_RDONLY | O_CLOEXEC);

	if (file < 0)
		fail("/proc/net/netstat");
	return file;
}

enum counted { NOTHING, LOSS_EPISODE, TIMEOUT, UNDO };

/* A tail probe that repaired a loss is a window reduction like one by fast recovery. */
static enum counted counted_by(const char *name)
{
	static const struct { const char *name; enum counted what; } names[] = {
		{ "TCPRenoRecovery", LOSS_EPISODE }, { "TCPSackRecovery", LOSS_EPISODE }, { "TCPLossProbeRecovery", LOSS_EPISODE },
		{ "TCPTimeouts", TIMEOUT },	     { "TCPFullUndo", UNDO },		  { "TCPPartialUndo", UNDO },
		{ "TCPDSACKUndo", UNDO },	     { "TCPLossUndo", UNDO },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].what;
	return NOTHING;
}

#define COUNTERS_MAX 256
static enum counted meaning[COUNTERS_MAX];	/* of each column; the same in every namespace */
static int columns;

static void learn(char *heads)
{
	char *rest = NULL, *name;

	for (name = strtok_r(heads, " ", &rest); name && columns < COUNTERS_MAX; name = strtok_r(NULL, " ", &rest))
		meaning[columns++] = counted_by(name);
}

void snmp_read(int file, struct snmp *snmp)
{
	static const char prefix[] = "TcpExt: ";
	char text[16384], *values, *end;
	ssize_t size = pread(file, text, sizeof(text) - 1, 0);
	int column;

	text[size < 0 ? 0 : size] = '\0';
	values = strchr(text, '\n');
	if (!values || strncmp(text, prefix, strlen(prefix)) != 0 || strncmp(values + 1, prefix, strlen(prefix)) != 0)
		fail("/proc/net/netstat: not two lines of TcpExt");
	*values = '\0';
	values += 1 + strlen(prefix);
	if (!columns)
		learn(text + strlen(prefix));
	memset(snmp, 0, sizeof(*snmp));
	for (column = 0; column < columns; column++, values = end) {
		uint64_t value = strtoull(values, &end, 10);

		if (meaning[column] == LOSS_EPISODE)
			snmp->loss_episodes += value;
		else if (meaning[column] == TIMEOUT)
			snmp->timeouts += value;
		else if (meaning[column] == UNDO)
			snmp->undos += value;
	}
}
