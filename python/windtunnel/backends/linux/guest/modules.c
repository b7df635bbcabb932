#define _GNU_SOURCE
#include "modules.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

static void load(const struct module_plan *module)
{
	const char *parameters = module->parameters ? module->parameters : "";
	char path[32];
	int file;

	snprintf(path, sizeof(path), "/%s.ko", module->name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		fail("%s", path);
	if (syscall(SYS_finit_module, file, parameters, 0) != 0)
		fail("%s: its module does not load%s%s", module->file, *parameters ? " with " : "", parameters);
	close(file);
}

void modules_load(const struct plan *plan)
{
	int i;

	for (i = 0; i < plan->modules; i++)
		load(&plan->module[i]);
}
