/* SPDX-License-Identifier: MIT */
/* Products of matrices. EIGHT: of 8 channels, as Xe-HPG has them; else of 16, as Xe-HPC */
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifdef EIGHT
#define SG 8
#else
#define SG 16
#endif
__attribute__((intel_reqd_sub_group_size(SG))) kernel void products(global int8 *a, global int8 *b, global int8 *c, global float8 *f)
{
	int i = get_global_id(0);
#if SG == 8
	c[i] = intel_sub_group_i8_i8_matrix_mad_k32(a[i], b[i], c[i]);
	c[i] = intel_sub_group_u8_i8_matrix_mad_k32(as_uint8(a[i]), b[i], c[i]);
	f[i] = intel_sub_group_f16_f16_matrix_mad_k16(a[i], b[i], f[i]);
	f[i] = intel_sub_group_bf16_bf16_matrix_mad_k16(a[i], b[i], f[i]);
#else
	global short8 *s = (global short8 *)a;
	c[i] = intel_sub_group_i8_i8_matrix_mad_k32(s[i], b[i], c[i]);
	f[i] = intel_sub_group_f16_f16_matrix_mad_k16(s[i], b[i], f[i]);
	f[i] = intel_sub_group_bf16_bf16_matrix_mad_k16(s[i], b[i], f[i]);
#endif
}
