/* Congestion controllers that come as modules of the kernel's. */
#ifndef WINDTUNNEL_MODULES_H
#define WINDTUNNEL_MODULES_H

#include "plan.h"

/* Loads every module of the plan; fails at the first that does not load. */
void modules_load(const struct plan *plan);

#endif
