/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* For a file beside the user's, whose functions that one uses: it is no module of its own, and keeps the defaults of its parameters. */
#include <linux/module.h>
#include <linux/moduleparam.h>

#undef module_init
#define module_init(function) static int (*const windtunnel_unused_init)(void) __maybe_unused = function;
#undef module_exit
#define module_exit(function) static void (*const windtunnel_unused_exit)(void) __maybe_unused = function;
#undef module_param
#define module_param(name, type, permissions)
#undef module_param_named
#define module_param_named(name, value, type, permissions)
#undef module_param_cb
#define module_param_cb(name, operations, argument, permissions)
#undef MODULE_PARM_DESC
#define MODULE_PARM_DESC(parameter, description)
