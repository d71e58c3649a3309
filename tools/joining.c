// SPDX-License-Identifier: MIT
#include <errno.h>

#include "itt_scope.h"
#include "joining.h"

int joining_open(struct spooling *s, const struct options *o, struct vsamp_error *err)
{
	struct vsamp_error why = { 0 };

	if (!o->itt_dir)
		return 0;
	if (vsamp_itt_spool_open(&s->spool, o->itt_dir, s->clock, VSAMP_ITT_SPOOL_TAKE, &why))
		return vsamp_fail(
			err, why.code, "--itt-dir: %s%s", why.text,
			why.code == -ENOENT ? ": 'vsamp itt env' tells of such folders" :
			why.code == -EACCES ? ": root takes what programs of all users tell" :
					      "");
	vsamp_itt_spool_choose(s->spool, itt_scope_has, (void *)o);
	s->joins = true;
	return 0;
}
