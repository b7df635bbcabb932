#include "pace.h"

#define SECOND_NS 1000000000ull

uint64_t pace_next(struct pace *pace, uint64_t t_ns)
{
	const struct source_plan *plan = pace->plan;
	uint64_t work = plan->packet_bytes * 8 * SECOND_NS + pace->owed;

	for (;;) {
		const uint64_t rate = plan->rate_bps[pace->step % plan->rates];
		const uint64_t edge = plan->period_ns ? (unsigned __int128)(pace->step + 1) * plan->period_ns / plan->rates : NEVER;
		const unsigned __int128 accrued = (unsigned __int128)rate * (edge - t_ns);

		if (work <= accrued) {
			pace->owed = work % rate;
			return t_ns + work / rate;
		}
		work -= accrued;
		t_ns = edge;
		pace->step++;
	}
}
