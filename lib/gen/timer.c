// SPDX-License-Identifier: MIT
/* timer.c: what the timestamp and performance counters of a thread have counted */
#include "coder.h"

#define TIMER	0
#define PERFMON 12 /* bytes of tm0 */

static enum vsamp_gen_status counter_start(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					   unsigned int at, struct vsamp_gen_reg to,
					   const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	if (emit_need(&e, to, 4, "a counter's value"))
		emit_unary(&e, VSAMP_GEN_MOV, to_reg(to, 0, VSAMP_GEN_UD),
			   of_arf(VSAMP_GEN_TM0, at, VSAMP_GEN_UD));
	return emit_end(&e);
}

static enum vsamp_gen_status counter_stop(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					  unsigned int at, struct vsamp_gen_reg to,
					  const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	if (emit_need(&e, to, 4, "a counter's value"))
		emit_binary(&e, VSAMP_GEN_ADD, to_reg(to, 0, VSAMP_GEN_UD),
			    of_arf(VSAMP_GEN_TM0, at, VSAMP_GEN_UD),
			    negated(of_reg(to, 0, VSAMP_GEN_UD)));
	return emit_end(&e);
}

/* All 16 bits of the flag tell of the one comparison */
static enum vsamp_gen_status counter_stop_ext(struct vsamp_gen_coder *c,
					      struct vsamp_gen_proc *proc, unsigned int at,
					      struct vsamp_gen_reg to)
{
	static const struct vsamp_gen_pred wrapped = { .mode = VSAMP_GEN_PRED_SEQ };
	struct vsamp_gen_operand start = of_reg(to, 0, VSAMP_GEN_UD), now;
	struct emit e = emit_begin(c, proc, NULL);
	struct vsamp_gen_reg s = emit_scratch(&e, 0);

	if (!emit_need(&e, to, 4, "a counter's value"))
		return emit_end(&e);
	now = of_reg(s, 0, VSAMP_GEN_UD);
	emit_unary(&e, VSAMP_GEN_MOV, to_reg(s, 0, VSAMP_GEN_UD),
		   of_arf(VSAMP_GEN_TM0, at, VSAMP_GEN_UD));
	emit_ins(&e, &(struct vsamp_gen_ins){
			     .op = VSAMP_GEN_CMP,
			     .exec = 16,
			     .cond = VSAMP_GEN_LT,
			     .dst = { .file = VSAMP_GEN_ARF, .type = VSAMP_GEN_UD, .hstride = 1 },
			     .src = { now, start } });
	emit_binary(&e, VSAMP_GEN_ADD, to_reg(to, 0, VSAMP_GEN_UD), now, negated(start));
	e.pred = wrapped;
	emit_unary(&e, VSAMP_GEN_MOV, to_reg(to, 0, VSAMP_GEN_UD), of_imm(0, VSAMP_GEN_UD));
	return emit_end(&e);
}

enum vsamp_gen_status vsamp_gen_start_timer(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					    struct vsamp_gen_reg timer,
					    const struct vsamp_gen_pred *pred)
{
	return counter_start(c, proc, TIMER, timer, pred);
}

enum vsamp_gen_status vsamp_gen_stop_timer(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					   struct vsamp_gen_reg timer,
					   const struct vsamp_gen_pred *pred)
{
	return counter_stop(c, proc, TIMER, timer, pred);
}

enum vsamp_gen_status vsamp_gen_stop_timer_ext(struct vsamp_gen_coder *c,
					       struct vsamp_gen_proc *proc,
					       struct vsamp_gen_reg timer)
{
	return counter_stop_ext(c, proc, TIMER, timer);
}

enum vsamp_gen_status vsamp_gen_start_perfmon(struct vsamp_gen_coder *c,
					      struct vsamp_gen_proc *proc,
					      struct vsamp_gen_reg counter,
					      const struct vsamp_gen_pred *pred)
{
	return counter_start(c, proc, PERFMON, counter, pred);
}

enum vsamp_gen_status vsamp_gen_stop_perfmon(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					     struct vsamp_gen_reg counter,
					     const struct vsamp_gen_pred *pred)
{
	return counter_stop(c, proc, PERFMON, counter, pred);
}

enum vsamp_gen_status vsamp_gen_stop_perfmon_ext(struct vsamp_gen_coder *c,
						 struct vsamp_gen_proc *proc,
						 struct vsamp_gen_reg counter)
{
	return counter_stop_ext(c, proc, PERFMON, counter);
}
