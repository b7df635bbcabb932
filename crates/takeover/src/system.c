/* The system's clock and randomness as a stack sees them during an endpoint's call: simulated time, and the run's draws. Outside such a call, and
 * in other threads, everything is as it was.
 *
 * All symbols are hidden: within the library of a stack they stand before the C library's, and nobody else sees them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>

#define SECOND 1000000000u
/* Time zero of every run: of the clock on the wall the first of January 2030, of those that count from a machine's start one day after it. */
#define WALL 1893456000
#define UP 86400
/* Descriptors of /dev/urandom that may be open at once. */
#define OPEN 16

static _Thread_local struct {
    uint64_t ns;
    int during;
} taken __attribute__((tls_model("initial-exec")));

/* From lib.rs: the run's draws. */
void windtunnel_takeover_fill(uint8_t *to, size_t length);

void windtunnel_takeover_take(uint64_t ns) {
    taken.ns = ns;
    taken.during = 1;
}

void windtunnel_takeover_release(void) {
    taken.during = 0;
}

/* The C library's own function: what is hidden here is not found so. */
#define REAL(type, name)                                                                                                                             \
    static _Atomic(void *) known;                                                                                                                    \
    void *found = atomic_load_explicit(&known, memory_order_relaxed);                                                                                \
    if (found == NULL) {                                                                                                                             \
        found = dlsym(RTLD_DEFAULT, name);                                                                                                           \
        atomic_store_explicit(&known, found, memory_order_relaxed);                                                                                  \
    }                                                                                                                                                \
    __typeof__(type) *real = (__typeof__(type) *)found;

int clock_gettime(clockid_t clock, struct timespec *to) {
    if (taken.during && (clock <= CLOCK_MONOTONIC || (clock >= CLOCK_MONOTONIC_RAW && clock <= CLOCK_BOOTTIME))) {
        int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
        to->tv_sec = (time_t)(taken.ns / SECOND) + (is_wall ? WALL : UP);
        to->tv_nsec = (long)(taken.ns % SECOND);
        return 0;
    }
    REAL(int(clockid_t, struct timespec *), "clock_gettime")
    return real(clock, to);
}

int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int code = clock_gettime(CLOCK_REALTIME, &now);
    to->tv_sec = now.tv_sec;
    to->tv_usec = now.tv_nsec / 1000;
    return code;
}

time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to != NULL) {
        *to = now.tv_sec;
    }
    return now.tv_sec;
}

ssize_t getrandom(void *to, size_t length, unsigned flags) {
    if (taken.during) {
        windtunnel_takeover_fill(to, length);
        return (ssize_t)length;
    }
    REAL(ssize_t(void *, size_t, unsigned), "getrandom")
    return real(to, length, flags);
}

int getentropy(void *to, size_t length) {
    if (length > 256) {
        errno = EIO;
        return -1;
    }
    return getrandom(to, length, 0) == (ssize_t)length ? 0 : -1;
}

long syscall(long number, ...) {
    va_list list;
    long given[6];
    va_start(list, number);
    for (int at = 0; at < 6; at++) {
        given[at] = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_getrandom) {
        return getrandom((void *)given[0], (size_t)given[1], (unsigned)given[2]);
    }
    if (number == SYS_clock_gettime) {
        return clock_gettime((clockid_t)given[0], (struct timespec *)given[1]);
    }
    REAL(long(long, ...), "syscall")
    return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

/* A run does not depend on its environment. BoringSSL and its kin would mix in the processor's own randomness (RDRAND, bit 62 of the features)
 * unless this variable forbids it; they read it when they are loaded. */
char *getenv(const char *name) {
    static char no_rdrand[] = "~0x4000000000000000";
    if (strcmp(name, "OPENSSL_ia32cap") == 0) {
        return no_rdrand;
    }
    if (taken.during) {
        return NULL;
    }
    REAL(char *(const char *), "getenv")
    return real(name);
}

/* Descriptors of the source of randomness that were opened during a call, plus one. */
static atomic_int sources[OPEN];

static int real_close(int fd) {
    REAL(int(int), "close")
    return real(fd);
}

static atomic_int *source(int fd) {
    for (int at = 0; at < OPEN; at++) {
        if (atomic_load_explicit(&sources[at], memory_order_relaxed) == fd + 1) {
            return &sources[at];
        }
    }
    return NULL;
}

static int opened(const char *path, int flags, mode_t mode) {
    REAL(int(const char *, int, ...), "open")
    int fd = real(path, flags, mode);
    if (fd < 0 || !taken.during || (strcmp(path, "/dev/urandom") != 0 && strcmp(path, "/dev/random") != 0)) {
        return fd;
    }
    for (int at = 0; at < OPEN; at++) {
        int none = 0;
        if (atomic_compare_exchange_strong(&sources[at], &none, fd + 1)) {
            return fd;
        }
    }
    real_close(fd);
    errno = EMFILE;
    return -1;
}

/* open and open64 are one where a file's offset has 64 bits. */
int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return opened(path, flags, mode);
}

ssize_t read(int fd, void *to, size_t length) {
    if (taken.during && source(fd) != NULL) {
        windtunnel_takeover_fill(to, length);
        return (ssize_t)length;
    }
    REAL(ssize_t(int, void *, size_t), "read")
    return real(fd, to, length);
}

int close(int fd) {
    atomic_int *held = source(fd);
    if (held != NULL) {
        atomic_store(held, 0);
    }
    return real_close(fd);
}
