// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the processor's PMU against the architecture, register by register.
 * Runs when it is loaded, on the CPU given, and logs a line "pmu_regs: ok - ..."
 * or "pmu_regs: not ok - ..." for each check. Expects exact counts, as only a
 * model can give them, and the PMU unused.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/nmi.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>

static int cpu;
module_param(cpu, int, 0);
MODULE_PARM_DESC(cpu, "CPU to run on");

#define PMC(i)		(0x0c1 + (i))	/* legacy */
#define A_PMC(i)	(0x4c1 + (i))	/* full width */
#define EVTSEL(i)	(0x186 + (i))
#define FIXED(i)	(0x309 + (i))
#define PERF_CAP	0x345
#define FIXED_CTRL	0x38d
#define STATUS		0x38e
#define GLOBAL		0x38f
#define STATUS_CLEAR	0x390
#define STATUS_SET	0x391
#define INUSE		0x392

/* the model's own: numbers of accesses */
#define COUNT_RDMSR	0x40000f00
#define COUNT_WRMSR	0x40000f01
#define COUNT_LVTPC	0x40000f02
#define COUNT_RDPMC	0x40000f03

#define SEL_USR		BIT(16)
#define SEL_OS		BIT(17)
#define SEL_EDGE	BIT(18)
#define SEL_INT		BIT(20)
#define SEL_EN		BIT(22)
#define SEL_INV		BIT(23)
#define INSNS		(0x00c0 | SEL_EN)
#define BRANCHES	(0x00c4 | SEL_EN)
#define MISPREDICTED	(0x00c5 | SEL_EN)
#define CYCLES		(0x003c | SEL_EN)
#define LLC_REFS	(0x4f2e | SEL_EN)
#define LLC_MISSES	(0x412e | SEL_EN)

#define MAX_COUNT	(BIT_ULL(48) - 1)
#define CTR_FRZ		BIT_ULL(59)

#define NFIXED		3
static int ngp;

static int failed;

static __printf(2, 3) void check(bool good, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	failed += !good;
	va_start(args, fmt);
	vaf.va = &args;
	pr_info("%s - %pV\n", good ? "ok" : "not ok", &vaf);
	va_end(args);
}

static __printf(3, 4) void check_is(u64 got, u64 want, const char *fmt, ...)
{
	char name[80];
	va_list args;

	va_start(args, fmt);
	vscnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	if (got == want)
		check(true, "%s", name);
	else
		check(false, "%s (%#llx, not %#llx)", name, got, want);
}

static u64 rd(u32 msr)
{
	u32 lo = 0, hi = 0;

	if (rdmsr_safe(msr, &lo, &hi))
		pr_warn("reading %#x faults\n", msr);
	return (u64)hi << 32 | lo;
}

static bool rd_faults(u32 msr)
{
	u32 lo, hi;

	return rdmsr_safe(msr, &lo, &hi);
}

static bool wr_faults(u32 msr, u64 val)
{
	return wrmsr_safe(msr, val, val >> 32);
}

static void wr(u32 msr, u64 val)
{
	if (wr_faults(msr, val))
		pr_warn("writing %#llx to %#x faults\n", val, msr);
}

static bool rdpmc_faults(u32 index, u64 *val)
{
	u32 lo = 0, hi = 0, bad = 1;

	asm volatile("1: rdpmc\n\t"
		     "xor %2, %2\n"
		     "2:\n\t"
		     _ASM_EXTABLE(1b, 2b)
		     : "+a" (lo), "+d" (hi), "+r" (bad) : "c" (index));
	*val = (u64)hi << 32 | lo;
	return bad;
}

/* A counter by its number: the general ones, then the fixed ones */
struct counter {
	u32 msr;
	u64 bit;
	u32 rdpmc;
	char name[8];
};

static struct counter counter_get(int n)
{
	struct counter c;
	int f = n - ngp;

	if (n < ngp) {
		c = (struct counter){ A_PMC(n), BIT_ULL(n), n };
		snprintf(c.name, sizeof(c.name), "PMC%d", n);
	} else {
		c = (struct counter){ FIXED(f), BIT_ULL(32 + f), BIT(30) | f };
		snprintf(c.name, sizeof(c.name), "FIXED%d", f);
	}
	return c;
}

/* Have counter @n count instructions, fixed ones what they are for, in mode @os_usr */
static void counter_select(int n, u32 os_usr_int)
{
	int f = n - ngp;
	u64 field = (os_usr_int & SEL_OS ? 1 : 0) | (os_usr_int & SEL_USR ? 2 : 0) |
		    (os_usr_int & SEL_INT ? 8 : 0);

	if (n < ngp)
		wr(EVTSEL(n), INSNS | os_usr_int);
	else
		wr(FIXED_CTRL, field << (4 * f));
}

static void all_off(void)
{
	int i;

	wr(GLOBAL, 0);
	wr(FIXED_CTRL, 0);
	for (i = 0; i < ngp; i++) {
		wr(EVTSEL(i), 0);
		wr(A_PMC(i), 0);
	}
	for (i = 0; i < NFIXED; i++)
		wr(FIXED(i), 0);
	wr(STATUS_CLEAR, rd(STATUS));
}

/*
 * Enable @global, execute a loop, disable. Counted are the first WRMSR, as it
 * counts under the new setting, MOV, two instructions a turn, and two XOR.
 */
#define LOOPS		1000
#define LOOP_INSNS	(4 + 2 * LOOPS)

static noinline void run_loop(u64 global)
{
	u32 lo = global, hi = global >> 32, n;

	asm volatile("wrmsr\n\t"
		     "mov %4, %2\n"
		     "1: dec %2\n\t"
		     "jnz 1b\n\t"
		     "xor %0, %0\n\t"
		     "xor %1, %1\n\t"
		     "wrmsr"
		     : "+a" (lo), "+d" (hi), "=&r" (n) : "c" (GLOBAL), "i" (LOOPS) : "memory");
}

/* Interrupts */

static int pmis;
static unsigned long pmi_ip;

static int on_nmi(unsigned int cmd, struct pt_regs *regs)
{
	if (smp_processor_id() != cpu)
		return NMI_DONE;
	pmis++;
	pmi_ip = regs->ip;
	return NMI_HANDLED;
}

static void lvtpc_open(void)
{
	pmis = 0;
	apic->write(APIC_LVTPC, APIC_DM_NMI);
}

/* The kernel's own function has moved from header to header */
static void read_cpuid(u32 leaf, u32 *a, u32 *b, u32 *c, u32 *d)
{
	asm volatile("cpuid" : "=a" (*a), "=b" (*b), "=c" (*c), "=d" (*d) : "0" (leaf), "2" (0));
}

static void check_cpuid(void)
{
	u32 a, b, c, d;

	read_cpuid(0xa, &a, &b, &c, &d);
	ngp = a >> 8 & 0xff;
	check((a & 0xff) >= 4, "CPUID: version 4 or later");
	check(ngp >= 1 && ngp <= 8, "CPUID: %d general counters", ngp);
	check_is(a >> 16 & 0xff, 48, "CPUID: general counters have 48 bits");
	check_is(a >> 24, 7, "CPUID: length of the event list");
	check_is(b, 0, "CPUID: no architectural event is missing");
	check_is(d & 0x1fff, NFIXED | 48 << 5, "CPUID: three fixed counters with 48 bits");
	read_cpuid(1, &a, &b, &c, &d);
	check(c & BIT(15), "CPUID: PERF_CAPABILITIES is there");
	check(rd(PERF_CAP) & BIT(13), "PERF_CAPABILITIES: full-width writes");
	read_cpuid(0x80000007, &a, &b, &c, &d);
	check(d & BIT(8), "CPUID: the TSC is invariant");
	check(rd(MSR_IA32_MISC_ENABLE) & BIT(7), "MISC_ENABLE: performance monitoring");
}

/* A write of @val to @msr faults and leaves the register as it was */
static void check_reserved(u32 msr, u64 val, const char *name)
{
	u64 old = rd(msr);

	check(wr_faults(msr, val), "%s: writing %#llx faults", name, val);
	check_is(rd(msr), old, "%s: and changes nothing", name);
}

static void check_faults(void)
{
	u64 all = (BIT_ULL(ngp) - 1) | 7ULL << 32;
	int i;

	for (i = 0; i < ngp; i++) {
		char name[16];

		snprintf(name, sizeof(name), "EVTSEL%d", i);
		check_reserved(EVTSEL(i), BIT_ULL(32), name);
		check_reserved(EVTSEL(i), BIT_ULL(63), name);
		snprintf(name, sizeof(name), "PMC%d", i);
		check_reserved(A_PMC(i), BIT_ULL(48), name);
	}
	for (i = ngp; i < 8; i++) {
		check(rd_faults(PMC(i)) && wr_faults(PMC(i), 0),
		      "PMC%d is absent: faults", i);
		check(rd_faults(A_PMC(i)) && wr_faults(A_PMC(i), 0),
		      "A_PMC%d is absent: faults", i);
		check(rd_faults(EVTSEL(i)) && wr_faults(EVTSEL(i), 0),
		      "EVTSEL%d is absent: faults", i);
	}
	for (i = 0; i < NFIXED; i++)
		check_reserved(FIXED(i), BIT_ULL(48), "fixed counter");
	check(rd_faults(FIXED(3)) && wr_faults(FIXED(3), 0), "fixed counter 3 is absent: faults");
	check_reserved(FIXED_CTRL, BIT_ULL(12), "FIXED_CTR_CTRL");
	check_reserved(FIXED_CTRL, BIT_ULL(63), "FIXED_CTR_CTRL");
	check_reserved(GLOBAL, BIT_ULL(ngp), "GLOBAL_CTRL");
	check_reserved(GLOBAL, BIT_ULL(35), "GLOBAL_CTRL");
	check_reserved(GLOBAL, BIT_ULL(63), "GLOBAL_CTRL");
	check_reserved(STATUS_CLEAR, BIT_ULL(ngp), "GLOBAL_STATUS_RESET");
	check_reserved(STATUS_SET, BIT_ULL(ngp), "GLOBAL_STATUS_SET");
	check_reserved(STATUS_SET, BIT_ULL(63), "GLOBAL_STATUS_SET");
	check_reserved(STATUS, 0, "GLOBAL_STATUS");
	check_reserved(INUSE, 0, "GLOBAL_INUSE");
	check_reserved(PERF_CAP, 0, "PERF_CAPABILITIES");
	check(!wr_faults(STATUS_CLEAR, all | 0xcULL << 60 | 1ULL << 63),
	      "GLOBAL_STATUS_RESET: all that is defined can be written");
	wr(GLOBAL, all);
	check_is(rd(GLOBAL), all, "GLOBAL_CTRL: one bit for each counter");
	all_off();
}

static void check_writes(void)
{
	u64 val;
	int i;

	for (i = 0; i < ngp; i++) {
		wr(PMC(i), 0x80000000);
		check_is(rd(PMC(i)), 0xffff80000000, "PMC%d: a legacy write extends bit 31", i);
		wr(PMC(i), 0x123476543210);
		check_is(rd(PMC(i)), 0x76543210, "PMC%d: a legacy write ignores bits 63:32", i);
		wr(A_PMC(i), 0xa5a512345678 + i);
		check_is(rd(PMC(i)), 0xa5a512345678 + i, "PMC%d: a full-width write", i);
	}
	for (i = 0; i < ngp + NFIXED; i++) {
		struct counter c = counter_get(i);

		wr(c.msr, MAX_COUNT - i);
		check_is(rd(c.msr), MAX_COUNT - i, "%s: holds what was written", c.name);
		check(!rdpmc_faults(c.rdpmc, &val) && val == MAX_COUNT - i, "%s: RDPMC", c.name);
	}
	check(rdpmc_faults(ngp, &val), "RDPMC of an absent counter faults");
	check(rdpmc_faults(BIT(30) | NFIXED, &val), "RDPMC of an absent fixed counter faults");
	check(rdpmc_faults(BIT(31), &val), "RDPMC with bit 31 faults");
	all_off();
}

static void check_counter(int n)
{
	struct counter c = counter_get(n);

	counter_select(n, SEL_OS);
	wr(c.msr, 0);
	run_loop(c.bit);
	check_is(rd(c.msr), LOOP_INSNS, "%s: counts the loop", c.name);
	run_loop(0);
	check_is(rd(c.msr), LOOP_INSNS, "%s: not while GLOBAL_CTRL disables it", c.name);
	counter_select(n, SEL_USR);
	run_loop(c.bit);
	check_is(rd(c.msr), LOOP_INSNS, "%s: user mode alone leaves the kernel out", c.name);
	counter_select(n, SEL_OS | SEL_USR);
	run_loop(c.bit);
	check_is(rd(c.msr), 2 * LOOP_INSNS, "%s: both modes", c.name);
	check_is(rd(STATUS), 0, "%s: no overflow so far", c.name);

	counter_select(n, SEL_OS);
	wr(c.msr, MAX_COUNT + 1 - LOOP_INSNS - 1);
	run_loop(c.bit);
	check(rd(c.msr) == MAX_COUNT && !rd(STATUS), "%s: one short of an overflow", c.name);
	wr(c.msr, MAX_COUNT + 1 - LOOP_INSNS);
	run_loop(c.bit);
	check_is(rd(c.msr), 0, "%s: wraps to 0", c.name);
	check_is(rd(STATUS), c.bit, "%s: sets its status bit alone", c.name);
	wr(STATUS_CLEAR, c.bit);
	check_is(rd(STATUS), 0, "%s: which can be cleared", c.name);
	wr(c.msr, MAX_COUNT + 1 - 10);
	run_loop(c.bit);
	check_is(rd(c.msr), LOOP_INSNS - 10, "%s: counts on after an overflow", c.name);

	wr(STATUS_CLEAR, c.bit);
	lvtpc_open();
	counter_select(n, SEL_OS | SEL_INT);
	wr(c.msr, MAX_COUNT + 1 - 10);
	run_loop(c.bit);
	check_is(pmis, 1, "%s: one overflow, one interrupt", c.name);
	all_off();
}

/* Several counters: each for itself */
static void check_together(void)
{
	u64 all = (BIT_ULL(ngp) - 1) | 7ULL << 32;
	int i, good = 0;

	for (i = 0; i < ngp; i++) {
		wr(EVTSEL(i), INSNS | SEL_OS);
		wr(A_PMC(i), i % 2 ? MAX_COUNT - i : i);
	}
	wr(FIXED_CTRL, 0x111);
	run_loop(all);
	for (i = 0; i < ngp; i++)
		good += rd(A_PMC(i)) == (i % 2 ? LOOP_INSNS - 1 - i : LOOP_INSNS + i);
	for (i = 0; i < NFIXED; i++)
		good += rd(FIXED(i)) == LOOP_INSNS;
	check_is(good, ngp + NFIXED, "all counters at once");
	check_is(rd(STATUS), 0xaa & (BIT_ULL(ngp) - 1), "and the status of those that wrapped");
	wr(STATUS_CLEAR, BIT_ULL(1));
	check_is(rd(STATUS), 0xa8 & (BIT_ULL(ngp) - 1),
		 "GLOBAL_STATUS_RESET clears what is asked for");
	all_off();
}

static u64 count_event(u32 select)
{
	wr(EVTSEL(0), select);
	wr(A_PMC(0), 0);
	run_loop(1);
	return rd(A_PMC(0));
}

static void check_events(void)
{
	check_is(count_event(BRANCHES | SEL_OS), LOOPS, "branches");
	check_is(count_event(MISPREDICTED | SEL_OS), LOOPS / 50, "mispredicted branches");
	check_is(count_event(CYCLES | SEL_OS), LOOP_INSNS, "core cycles");
	check_is(count_event((CYCLES | 0x100) | SEL_OS), LOOP_INSNS, "reference cycles");
	check_is(count_event(LLC_REFS | SEL_OS), LOOP_INSNS / 100, "cache references");
	check_is(count_event(LLC_MISSES | SEL_OS), LOOP_INSNS / 1000, "cache misses");
	check_is(count_event(0x0300 | SEL_EN | SEL_OS), 0, "an unknown event counts nothing");
	check_is(count_event(INSNS | SEL_OS | SEL_EDGE), 0,
		 "edge detection: not modelled, counts nothing");
	check_is(count_event(INSNS | SEL_OS | SEL_INV), 0,
		 "inverted mask: not modelled, counts nothing");
	check_is(count_event((INSNS & ~SEL_EN) | SEL_OS), 0, "without EN nothing is counted");
	all_off();
}

/* REP is one instruction, its iterations take cycles */
static void check_rep(void)
{
	static u8 buf[512];
	u32 lo = 1, hi = 2;
	u64 n = sizeof(buf);
	void *p = buf;

	wr(EVTSEL(0), INSNS | SEL_OS);
	wr(FIXED_CTRL, 0x010);
	asm volatile("wrmsr\n\t"
		     "xchg %3, %%rcx\n\t"
		     "rep stosb\n\t"
		     "xchg %3, %%rcx\n\t"
		     "mov %5, %%ecx\n\t"
		     "xor %0, %0\n\t"
		     "xor %1, %1\n\t"
		     "wrmsr"
		     : "+a" (lo), "+d" (hi), "+D" (p), "+r" (n)
		     : "c" (GLOBAL), "i" (GLOBAL) : "memory");
	check_is(rd(A_PMC(0)), 7, "REP STOSB is one instruction");
	check_is(rd(FIXED(1)), 7 + sizeof(buf), "and as many cycles as it has iterations, and one");
	all_off();
}

/* A write to a counter that runs: it counts on from there, the WRMSR included */
static void check_running(void)
{
	u32 lo = 1000, hi = 0, msr = A_PMC(0);

	wr(EVTSEL(0), INSNS | SEL_OS);
	wr(GLOBAL, 1);
	asm volatile("wrmsr\n\tnop\n\tnop\n\tnop\n\trdmsr" : "+a" (lo), "+d" (hi) : "c" (msr));
	check_is(lo, 1004, "PMC0 written while it runs: counts on from there");
	wr(STATUS_CLEAR, 1);
	lo = -2;
	hi = 0xffff;
	asm volatile("wrmsr\n\tnop\n\tnop\n\tnop\n\trdmsr" : "+a" (lo), "+d" (hi) : "c" (msr));
	check_is(lo, 2, "written shortly before its overflow: wraps");
	check_is(rd(STATUS), 1, "and sets its status bit");
	wr(STATUS_CLEAR, 1);
	check(!rd(STATUS), "which is cleared while it runs");
	all_off();
}

static void check_status(void)
{
	u64 all = (BIT_ULL(ngp) - 1) | 7ULL << 32;

	lvtpc_open();
	wr(EVTSEL(0), INSNS | SEL_OS | SEL_INT);
	wr(STATUS_SET, all);
	check_is(rd(STATUS), all, "GLOBAL_STATUS_SET sets bits");
	run_loop(1);
	check_is(pmis, 0, "which raise no interrupt");
	wr(STATUS_SET, 0);
	check_is(rd(STATUS), all, "writing 0 to GLOBAL_STATUS_SET changes nothing");
	wr(A_PMC(0), MAX_COUNT);
	run_loop(1);
	check_is(pmis, 1, "an overflow interrupts though its status bit was set before");
	wr(STATUS_CLEAR, all);
	check_is(rd(STATUS), 0, "GLOBAL_STATUS_RESET clears them");

	wr(A_PMC(0), 0);
	wr(STATUS_SET, CTR_FRZ);
	run_loop(1);
	check_is(rd(A_PMC(0)), 0, "CTR_FRZ freezes");
	wr(STATUS_CLEAR, CTR_FRZ);
	run_loop(1);
	check_is(rd(A_PMC(0)), LOOP_INSNS, "until it is cleared");

	lvtpc_open();
	wr(EVTSEL(0), INSNS | SEL_OS);
	wr(A_PMC(0), MAX_COUNT);
	run_loop(1);
	check_is(rd(STATUS), 1, "an overflow without INT sets the status bit");
	wr(EVTSEL(0), INSNS | SEL_OS | SEL_INT);
	wr(A_PMC(0), 0);
	run_loop(1);
	check_is(pmis, 0, "and raises no interrupt, nor when INT is set later");
	wr(STATUS_CLEAR, 1);
	wr(A_PMC(0), MAX_COUNT);
	wr(EVTSEL(1), INSNS | SEL_OS);
	run_loop(2);
	check(rd(A_PMC(0)) == MAX_COUNT && !rd(STATUS) && !pmis,
	      "a disabled counter on the brink stays there");
	all_off();
}

static void check_inuse(void)
{
	check_is(rd(INUSE), 0, "GLOBAL_INUSE: nothing is in use");
	wr(EVTSEL(1), 0xc0);
	wr(FIXED_CTRL, 0x100);
	check_is(rd(INUSE), BIT_ULL(1) | BIT_ULL(34), "GLOBAL_INUSE: counters");
	wr(EVTSEL(1), SEL_INT);
	check_is(rd(INUSE), BIT_ULL(63) | BIT_ULL(34),
		 "GLOBAL_INUSE: interrupt of a general counter");
	wr(EVTSEL(1), 0);
	wr(FIXED_CTRL, 0x080);
	check_is(rd(INUSE), BIT_ULL(63), "GLOBAL_INUSE: interrupt of a fixed counter");
	all_off();
}

/* Overflow on the third of some NOP: the interrupt comes before the fourth */
static void check_pmi_ip(void)
{
	u32 lo = 1, hi = 0;
	unsigned long want;

	lvtpc_open();
	wr(EVTSEL(0), INSNS | SEL_OS | SEL_INT);
	wr(A_PMC(0), MAX_COUNT + 1 - 4);
	asm volatile("lea 1f(%%rip), %2\n\t"
		     "wrmsr\n\tnop\n\tnop\n\tnop\n1:\tnop\n\tnop\n\tnop\n\t"
		     "xor %0, %0\n\t"
		     "wrmsr"
		     : "+a" (lo), "+d" (hi), "=&r" (want) : "c" (GLOBAL) : "memory");
	check(pmis == 1 && pmi_ip == want,
	      "the interrupt comes right behind the instruction (%+ld)", (long)(pmi_ip - want));
	all_off();
}

static void check_lvtpc(void)
{
	wr(EVTSEL(0), INSNS | SEL_OS | SEL_INT);
	lvtpc_open();
	wr(A_PMC(0), MAX_COUNT);
	run_loop(1);
	check_is(pmis, 1, "LVTPC: interrupt as NMI");
	check_is(apic->read(APIC_LVTPC), APIC_DM_NMI | APIC_LVT_MASKED, "LVTPC: delivery masks it");
	wr(A_PMC(0), MAX_COUNT);
	run_loop(1);
	check_is(pmis, 1, "LVTPC: no interrupt while it is masked");
	lvtpc_open();
	wr(A_PMC(0), 0);
	run_loop(1);
	check_is(pmis, 0, "LVTPC: nor afterwards");
	check_is(apic->read(APIC_LVTPC), APIC_DM_NMI, "LVTPC: open until the next");
	wr(A_PMC(0), MAX_COUNT);
	run_loop(1);
	check_is(pmis, 1, "LVTPC: the next overflow interrupts");
	all_off();
}

static void check_access_counts(void)
{
	u64 reads = rd(COUNT_RDMSR), writes = rd(COUNT_WRMSR), val;
	u64 lvtpc = rd(COUNT_LVTPC), rdpmcs = rd(COUNT_RDPMC);
	int i;

	check_is(rd(COUNT_RDMSR), reads, "access counts: reading them isn't counted");
	for (i = 0; i < 3; i++)
		rd(STATUS);
	rd(A_PMC(0));
	check_is(rd(COUNT_RDMSR), reads + 4, "access counts: RDMSR");
	wr(STATUS_CLEAR, 0);
	wr(A_PMC(0), 0);
	check_is(rd(COUNT_WRMSR), writes + 2, "access counts: WRMSR");
	apic->write(APIC_LVTPC, APIC_DM_NMI);
	check_is(rd(COUNT_LVTPC), lvtpc + 1, "access counts: LVTPC");
	rdpmc_faults(0, &val);
	check_is(rd(COUNT_RDPMC), rdpmcs + 1, "access counts: RDPMC");
	check(wr_faults(COUNT_RDMSR, 0), "access counts can't be written");
	rd(MSR_IA32_TSC);
	check(rd(COUNT_RDMSR) == reads + 4 && rd(COUNT_WRMSR) == writes + 2,
	      "access counts: other registers aren't counted");
}

static long run_checks(void *unused)
{
	u32 old_lvtpc = apic->read(APIC_LVTPC);
	unsigned long flags;
	int i;

	check_cpuid();
	local_irq_save(flags);
	all_off();
	check_faults();
	check_writes();
	for (i = 0; i < ngp + NFIXED; i++)
		check_counter(i);
	check_together();
	check_events();
	check_rep();
	check_running();
	check_status();
	check_inuse();
	check_pmi_ip();
	check_lvtpc();
	check_access_counts();
	all_off();
	apic->write(APIC_LVTPC, old_lvtpc);
	local_irq_restore(flags);
	return 0;
}

static int __init pmu_regs_init(void)
{
	int err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "pmu_regs");

	if (err)
		return err;
	err = work_on_cpu(cpu, run_checks, NULL);
	unregister_nmi_handler(NMI_LOCAL, "pmu_regs");
	pr_info("done, %d failed\n", failed);
	return err;
}

static void __exit pmu_regs_exit(void)
{
}

module_init(pmu_regs_init);
module_exit(pmu_regs_exit);
MODULE_DESCRIPTION("Checks a PMU against the architecture, register by register");
MODULE_LICENSE("GPL");
