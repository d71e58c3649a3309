// SPDX-License-Identifier: MIT
/* Kernel lockdown, which can't be lifted again: the machine is of no use to other tests then */
#include <fcntl.h>
#include <sys/mount.h>

#include "session.h"

#include "harness.h"

static int lock_down(const char *level)
{
	int fd = open("/sys/kernel/security/lockdown", O_WRONLY);
	int ret = fd < 0 || write(fd, level, strlen(level)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return ret;
}

TEST(confidentiality_forbids_sampling_and_integrity_does_not)
{
	int fd;

	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	ASSERT_EQ(0, lock_down("integrity"));
	fd = session_open();
	EXPECT_LE(0, fd);
	close(fd);
	fd = open(VSAMP_GPU_DEVICE, O_RDWR | O_CLOEXEC);
	EXPECT_LE(0, fd);
	close(fd);
	ASSERT_EQ(0, lock_down("confidentiality"));
	EXPECT_EQ(-EPERM, session_open());
	EXPECT_EQ(-1, open(VSAMP_GPU_DEVICE, O_RDWR | O_CLOEXEC));
	EXPECT_EQ(EPERM, errno);
}

TEST_HARNESS_MAIN
