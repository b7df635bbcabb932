/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Parameters of a module, as a loader gives them and a user sees them. Part of one file: src/dialect.rs has the order. */

static int set_signed(const char *text, s64 low, s64 high, s64 *value)
{
	char *end;

	*value = strtoll(text, &end, 0);
	return end == text || *end || *value < low || *value > high ? -EINVAL : 0;
}

int kstrtoint(const char *text, unsigned int base, int *value)
{
	s64 wide;
	int bad = set_signed(text, INT_MIN, INT_MAX, &wide);

	(void)base;
	if (!bad)
		*value = (int)wide;
	return bad;
}

int kstrtouint(const char *text, unsigned int base, unsigned int *value)
{
	s64 wide;
	int bad = set_signed(text, 0, UINT_MAX, &wide);

	(void)base;
	if (!bad)
		*value = (unsigned int)wide;
	return bad;
}

int param_set_bool(const char *text, const struct kernel_param *parameter) { *(bool *)parameter->arg = text[0] != '0'; return 0; }
int param_set_int(const char *text, const struct kernel_param *parameter) { return kstrtoint(text, 0, parameter->arg); }
int param_set_uint(const char *text, const struct kernel_param *parameter) { return kstrtouint(text, 0, parameter->arg); }
int param_get_bool(char *text, const struct kernel_param *parameter) { return sprintf(text, "%d\n", *(bool *)parameter->arg); }
int param_get_int(char *text, const struct kernel_param *parameter) { return sprintf(text, "%d\n", *(int *)parameter->arg); }
int param_get_uint(char *text, const struct kernel_param *parameter) { return sprintf(text, "%u\n", *(unsigned int *)parameter->arg); }
const struct kernel_param_ops param_ops_bool = { 0, param_set_bool, param_get_bool, NULL };
const struct kernel_param_ops param_ops_int = { 0, param_set_int, param_get_int, NULL };
const struct kernel_param_ops param_ops_uint = { 0, param_set_uint, param_get_uint, NULL };

#define PARAMETERS_MAX 64
static struct wt_parameter parameters[PARAMETERS_MAX];
static const struct kernel_param *sources[PARAMETERS_MAX];
static u32 parameter_count;
/* The parameter being described: its setter tells its range. */
static struct wt_parameter *described;

int param_set_uint_minmax(const char *text, const struct kernel_param *parameter, unsigned int low, unsigned int high)
{
	unsigned int value;
	int bad = kstrtouint(text, 0, &value);

	if (described) {
		described->min = low;
		described->max = high;
	}
	if (bad || value < low || value > high)
		return -EINVAL;
	*(unsigned int *)parameter->arg = value;
	return 0;
}

static double value_of(const struct kernel_param *p)
{
	switch (p->type) {
	case WT_KERNEL_BOOL: return *(bool *)p->arg;
	case WT_KERNEL_U8: return *(u8 *)p->arg;
	case WT_KERNEL_S16: return *(s16 *)p->arg;
	case WT_KERNEL_U16: return *(u16 *)p->arg;
	case WT_KERNEL_S32: return *(s32 *)p->arg;
	case WT_KERNEL_U32: return *(u32 *)p->arg;
	case WT_KERNEL_S64: return (double)*(s64 *)p->arg;
	default: return (double)*(u64 *)p->arg;
	}
}

static int set(const struct kernel_param *p, double value)
{
	if (p->ops && p->ops->set) {
		char text[32];

		snprintf(text, sizeof(text), "%.0f", value);
		return p->ops->set(text, p);
	}
	switch (p->type) {
	case WT_KERNEL_BOOL: *(bool *)p->arg = value != 0; break;
	case WT_KERNEL_U8: *(u8 *)p->arg = (u8)value; break;
	case WT_KERNEL_S16: *(s16 *)p->arg = (s16)value; break;
	case WT_KERNEL_U16: *(u16 *)p->arg = (u16)value; break;
	case WT_KERNEL_S32: *(s32 *)p->arg = (s32)value; break;
	case WT_KERNEL_U32: *(u32 *)p->arg = (u32)value; break;
	case WT_KERNEL_S64: *(s64 *)p->arg = (s64)value; break;
	default: *(u64 *)p->arg = (u64)value; break;
	}
	return 0;
}

/* What a type holds, whole numbers that a double holds too. */
static void describe_range(struct wt_parameter *shown, enum wt_kernel_type type)
{
	static const double bounds[][2] = {
		[WT_KERNEL_BOOL] = { 0, 1 }, [WT_KERNEL_U8] = { 0, 255 }, [WT_KERNEL_S16] = { -32768, 32767 }, [WT_KERNEL_U16] = { 0, 65535 },
		[WT_KERNEL_S32] = { -2147483648.0, 2147483647.0 }, [WT_KERNEL_U32] = { 0, 4294967295.0 },
		[WT_KERNEL_S64] = { -9007199254740992.0, 9007199254740992.0 }, [WT_KERNEL_U64] = { 0, 9007199254740992.0 },
	};

	shown->min = bounds[type][0];
	shown->max = bounds[type][1];
	shown->is_integer = 1;
	shown->unit = type == WT_KERNEL_BOOL ? "switch" : "1";
}

static bool describe_parameters(void)
{
	const struct kernel_param *first = __start_wt_kernel_params, *last = __stop_wt_kernel_params;

	if (last - first > PARAMETERS_MAX) {
		snprintf(error, sizeof(error), "declares %d parameters; at most %d are understood", (int)(last - first), PARAMETERS_MAX);
		return false;
	}
	for (const struct kernel_param *p = first; p < last; p++) {
		u32 at = parameter_count++;

		/* In the order of the file. */
		for (; at > 0 && sources[at - 1]->line > p->line; at--)
			sources[at] = sources[at - 1];
		sources[at] = p;
	}
	for (u32 i = 0; i < parameter_count; i++) {
		char text[32];

		parameters[i] = (struct wt_parameter){ .name = sources[i]->name, .doc = "", .value = value_of(sources[i]) };
		describe_range(&parameters[i], sources[i]->type);
		for (const struct wt_kernel_doc *d = __start_wt_kernel_docs; d < __stop_wt_kernel_docs; d++) {
			if (!strcmp(d->name, sources[i]->name))
				parameters[i].doc = d->text;
		}
		if (sources[i]->ops && sources[i]->ops->set) {
			described = &parameters[i];
			snprintf(text, sizeof(text), "%.0f", parameters[i].value);
			sources[i]->ops->set(text, sources[i]);
			described = NULL;
		}
	}
	return true;
}
