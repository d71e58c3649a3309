// SPDX-License-Identifier: MIT
/* payload.c: the addresses of a kernel's messages */
#include "message.h"

enum vsamp_gen_status vsamp_gen_store_payload_addresses(struct vsamp_gen_coder *c,
							struct vsamp_gen_proc *proc,
							struct vsamp_gen_reg pointer,
							const struct vsamp_gen_ins *send,
							const struct vsamp_gen_pred *pred)
{
	struct vsamp_gen_reg first = { send->src[0].file, send->src[0].num, 0 };
	unsigned int header = 0, num = MLEN_OF(send->desc);

	if (!pred)
		return coder_fail(c, VSAMP_GEN_EINVAL,
				  "addresses of a message: a predicate has to be given");
	if (send->op != VSAMP_GEN_SEND && send->op != VSAMP_GEN_SENDS &&
	    send->op != VSAMP_GEN_SENDC && send->op != VSAMP_GEN_SENDSC)
		return coder_fail(c, VSAMP_GEN_EINVAL, "%s has no payload",
				  vsamp_gen_op_name(send->op));
	if (send->sfid != SFID_UGM && send->sfid != SFID_SLM)
		header = send->desc & HDC_HEADER ? 1 : 0;
	if (num <= header)
		return coder_fail(c, VSAMP_GEN_EINVAL, "a message that has a header alone");
	first.num += header;
	return vsamp_gen_store_reg_range(c, proc, pointer, first, num - header, pred);
}
