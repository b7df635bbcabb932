/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Modules and their parameters. Every parameter leaves an entry in a section of the library, from which it is declared, with its type,
 * its default and its description.
 */
#ifndef WINDTUNNEL_KERNEL_MODULE_H
#define WINDTUNNEL_KERNEL_MODULE_H

#include <windtunnel/base.h>

enum wt_kernel_type {
	WT_KERNEL_BOOL, WT_KERNEL_U8, WT_KERNEL_S16, WT_KERNEL_U16, WT_KERNEL_S32, WT_KERNEL_U32, WT_KERNEL_S64, WT_KERNEL_U64
};

struct kernel_param;
struct kernel_param_ops {
	unsigned int flags;
	int (*set)(const char *text, const struct kernel_param *parameter);
	int (*get)(char *text, const struct kernel_param *parameter);
	void (*free)(void *arg);
};
struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	u16 perm;
	void *arg;
	enum wt_kernel_type type;
	int line;
};
struct wt_kernel_doc { const char *name; const char *text; };

#define WT_KERNEL_TYPE_OF(at) _Generic((at),                                 \
	bool *: WT_KERNEL_BOOL, unsigned char *: WT_KERNEL_U8, short *: WT_KERNEL_S16, unsigned short *: WT_KERNEL_U16, \
	int *: WT_KERNEL_S32, unsigned int *: WT_KERNEL_U32, long *: WT_KERNEL_S64, unsigned long *: WT_KERNEL_U64,     \
	long long *: WT_KERNEL_S64, unsigned long long *: WT_KERNEL_U64)

#ifdef WT_KERNEL_COMPANION
/* A module that another one needs keeps its defaults. */
#define WT_KERNEL_PARAMETER(shown, operations, at, permissions)
#define MODULE_PARM_DESC(parameter, description)
#define MODULE_DESCRIPTION(text)
#define module_init(function) static int (*const wt_kernel_init)(void) __used = function;
#else
#define WT_KERNEL_PARAMETER(shown, operations, at, permissions)              \
	static const struct kernel_param wt_kernel_param_##shown __used __attribute__((section("wt_kernel_params"), aligned(8))) = { \
		#shown, (operations), (permissions), (void *)(at), WT_KERNEL_TYPE_OF(at), __LINE__ };
#define MODULE_PARM_DESC(parameter, description)                             \
	static const struct wt_kernel_doc wt_kernel_doc_##parameter __used __attribute__((section("wt_kernel_docs"), aligned(8))) = { \
		#parameter, description };
#define MODULE_DESCRIPTION(text)                                             \
	extern const char wt_kernel_description[];                           \
	const char wt_kernel_description[] = text;
#define module_init(function)                                                \
	int wt_kernel_init(void);                                            \
	int wt_kernel_init(void) { return function(); }
#endif
#define module_exit(function) static void (*const wt_kernel_exit)(void) __used = function;
#define core_initcall module_init
#define subsys_initcall module_init
#define fs_initcall module_init
#define device_initcall module_init
#define late_initcall module_init

#define module_param(name, type, permissions) module_param_named(name, name, type, permissions)
#define module_param_named(shown, variable, type, permissions) WT_KERNEL_PARAMETER(shown, WT_KERNEL_PARAM_##type, &(variable), permissions)
#define module_param_cb(shown, operations, at, permissions) WT_KERNEL_PARAMETER(shown, operations, at, permissions)
#define core_param(shown, variable, type, permissions) module_param_named(shown, variable, type, permissions)
#define WT_KERNEL_PARAM_bool NULL
#define WT_KERNEL_PARAM_byte NULL
#define WT_KERNEL_PARAM_short NULL
#define WT_KERNEL_PARAM_ushort NULL
#define WT_KERNEL_PARAM_int NULL
#define WT_KERNEL_PARAM_uint NULL
#define WT_KERNEL_PARAM_hexint NULL
#define WT_KERNEL_PARAM_long NULL
#define WT_KERNEL_PARAM_ulong NULL
#define WT_KERNEL_PARAM_ullong NULL
#define module_param_array(name, type, count, permissions) \
	_Static_assert(0, "module_param_array is not understood here: declare single parameters")
#define module_param_string(name, text, size, permissions) \
	_Static_assert(0, "module_param_string is not understood here: parameters are numbers")

int param_set_bool(const char *text, const struct kernel_param *parameter);
int param_set_int(const char *text, const struct kernel_param *parameter);
int param_set_uint(const char *text, const struct kernel_param *parameter);
int param_set_uint_minmax(const char *text, const struct kernel_param *parameter, unsigned int low, unsigned int high);
int param_get_bool(char *text, const struct kernel_param *parameter);
int param_get_int(char *text, const struct kernel_param *parameter);
int param_get_uint(char *text, const struct kernel_param *parameter);
int kstrtoint(const char *text, unsigned int base, int *value);
int kstrtouint(const char *text, unsigned int base, unsigned int *value);
extern const struct kernel_param_ops param_ops_bool, param_ops_int, param_ops_uint;

#define MODULE_AUTHOR(text)
#define MODULE_LICENSE(text)
#define MODULE_VERSION(text)
#define MODULE_ALIAS(text)
#define MODULE_INFO(tag, text)
#define MODULE_SOFTDEP(text)
#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)

/* Functions that BPF programs may call: there are none. */
struct btf_id_set8 { u32 count; };
struct btf_kfunc_id_set { struct module *owner; struct btf_id_set8 *set; };
#define BTF_SET8_START(name) static struct btf_id_set8 name __maybe_unused;
#define BTF_SET8_END(name)
#define BTF_KFUNCS_START(name) BTF_SET8_START(name)
#define BTF_KFUNCS_END(name)
#define BTF_SET_START(name) BTF_SET8_START(name)
#define BTF_SET_END(name)
#define BTF_ID(kind, name)
#define BTF_ID_FLAGS(kind, name, flags...)
#define BPF_PROG_TYPE_STRUCT_OPS 27
static inline int register_btf_kfunc_id_set(int type, const struct btf_kfunc_id_set *set) { (void)type; (void)set; return 0; }

#endif
