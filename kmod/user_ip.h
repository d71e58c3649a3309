/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_USER_IP_H
#define _VSAMP_USER_IP_H

#include <linux/types.h>

struct pt_regs;

/*
 * struct user_regs - where user mode goes on
 * @ip: 0: it doesn't, or that can't be told
 * @sp: what is below isn't on its stack; 0: not known
 * @fp: its frame pointer
 * @word: bytes of a word on its stack; 0: its frames can't be walked
 */
struct user_regs {
	u64 ip;
	u64 sp;
	u64 fp;
	u32 word;
};

void user_regs(struct pt_regs *regs, struct user_regs *user);
u64 user_ip(struct pt_regs *regs);

#endif /* _VSAMP_USER_IP_H */
