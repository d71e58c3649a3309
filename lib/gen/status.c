// SPDX-License-Identifier: MIT
#include <vsamp/gen.h>

const char *vsamp_gen_status_text(enum vsamp_gen_status status)
{
	static const char *const texts[] = {
		[VSAMP_GEN_OK] = "success",
		[VSAMP_GEN_EINVAL] = "an argument makes no sense",
		[VSAMP_GEN_ENOMEM] = "no memory",
		[VSAMP_GEN_EUNSUPPORTED] = "this platform doesn't have it",
		[VSAMP_GEN_ENOREG] = "no register is free",
		[VSAMP_GEN_EFLAGCONFLICT] = "the procedure uses f1.0",
		[VSAMP_GEN_EALIGN] = "wrong alignment",
		[VSAMP_GEN_ERANGE] = "out of range",
		[VSAMP_GEN_EDECODE] = "no instruction",
	};

	return (unsigned int)status < sizeof(texts) / sizeof(texts[0]) ? texts[status] :
									 "unknown status";
}
