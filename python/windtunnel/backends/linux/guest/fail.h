/* The only way out when something cannot go on. */
#ifndef WINDTUNNEL_FAIL_H
#define WINDTUNNEL_FAIL_H

/* Writes one line (the message and the text of errno, if set) to the file "failure" and stops the guest. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

/* Powers the guest off. Outside a guest it only ends the process. */
__attribute__((noreturn)) void power_off(void);

#endif
