/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What hooks use: messages, memory, draws. Part of one file: src/dialect.rs has the order. */

/* Messages. */

void wt_kernel_print(const char *format, ...)
{
	va_list given;

	va_start(given, format);
	fprintf(stderr, "[%12.6f] ", current ? current->tp.tcp_clock_cache / 1e9 : 0.0);
	vfprintf(stderr, format, given);
	va_end(given);
}

void wt_kernel_warn(const char *condition, const char *file, int line)
{
	static int said;

	if (said++ < 10)
		wt_kernel_print("%s:%d: WARN_ON: %s\n", file, line, condition);
}

void wt_kernel_bug(const char *condition, const char *file, int line)
{
	wt_kernel_print("%s:%d: BUG_ON: %s\n", file, line, condition);
	abort();
}

/* Memory belongs to the connection whose hook asks for it: it is copied and freed with it. */

void *wt_kernel_alloc(size_t size)
{
	if (!current)
		return calloc(1, size ? size : 1);
	for (int i = 0; i < ALLOCATIONS_MAX; i++) {
		if (current->allocations[i].at)
			continue;
		current->allocations[i].at = calloc(1, size ? size : 1);
		current->allocations[i].size = size;
		return current->allocations[i].at;
	}
	return NULL;
}

void wt_kernel_free(const void *at)
{
	for (int i = 0; current && i < ALLOCATIONS_MAX; i++) {
		if (current->allocations[i].at == at)
			current->allocations[i].at = NULL;
	}
	free((void *)at);
}

/* Draws: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), of the connection's seed. */

u32 wt_kernel_draw(void)
{
	static u64 of_module;
	u64 *state = current ? &current->random : &of_module;
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (u32)((z ^ (z >> 31)) >> 32);
}

u32 wt_kernel_draw_below(u32 ceiling)
{
	u32 drawn = wt_kernel_draw();

	if (wt_kernel_pinned_draw >= 0)
		return (u32)wt_kernel_pinned_draw % (ceiling ? ceiling : 1);
	return (u32)(((u64)drawn * ceiling) >> 32);
}

u64 wt_kernel_now_ns(void) { return current ? current->tp.tcp_clock_cache : 0; }
