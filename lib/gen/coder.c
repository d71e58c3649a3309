// SPDX-License-Identifier: MIT
/* coder.c: a coder's platform and what its kernel leaves */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coder.h"

enum vsamp_gen_status coder_fail(struct vsamp_gen_coder *c, enum vsamp_gen_status status,
				 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->error, sizeof(c->error), format, args);
	va_end(args);
	return status;
}

static bool is_simd(unsigned int n)
{
	return n == 8 || n == 16 || n == 32;
}

static enum vsamp_gen_status config_check(const struct gen_platform *p,
					  const struct vsamp_gen_config *config)
{
	unsigned int bytes = p->model.grf_num * p->model.grf_size;

	if (!is_simd(config->simd) || config->carry > VSAMP_GEN_CARRY_ACC)
		return VSAMP_GEN_EINVAL;
	if (config->profile.a64 && config->profile.surface < VSAMP_GEN_STATELESS_NC)
		return VSAMP_GEN_EINVAL;
	if (p->model.token_num && config->token >= p->model.token_num)
		return VSAMP_GEN_ERANGE;
	for (size_t i = 0; i < config->free_num; i++)
		if (config->free[i].start + config->free[i].size > bytes)
			return VSAMP_GEN_ERANGE;
	return VSAMP_GEN_OK;
}

enum vsamp_gen_status vsamp_gen_coder_open(struct vsamp_gen_coder **coder,
					   const struct vsamp_gen_config *config)
{
	const struct vsamp_gen_model *m = vsamp_gen_model_get(config->platform);
	enum vsamp_gen_status ret;
	struct vsamp_gen_coder *c;

	if (!m)
		return VSAMP_GEN_EINVAL;
	ret = config_check(gen_platform(m), config);
	if (ret)
		return ret;
	c = calloc(1, sizeof(*c));
	if (!c)
		return VSAMP_GEN_ENOMEM;
	c->platform = gen_platform(m);
	c->config = *config;
	c->config.free = NULL;
	for (size_t i = 0; i < config->free_num; i++)
		for (unsigned int n = 0; n < config->free[i].size; n++) {
			unsigned int byte = config->free[i].start + n;

			c->unused[byte / 8] |= 1U << byte % 8;
		}
	*coder = c;
	return VSAMP_GEN_OK;
}

void vsamp_gen_coder_close(struct vsamp_gen_coder *coder)
{
	if (!coder)
		return;
	free(coder->vregs);
	free(coder);
}

const char *vsamp_gen_coder_error(const struct vsamp_gen_coder *coder)
{
	return coder->error;
}

const struct vsamp_gen_model *vsamp_gen_coder_model(const struct vsamp_gen_coder *coder)
{
	return &coder->platform->model;
}
