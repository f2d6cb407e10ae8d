/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PID 1 of a machine that is asked what its kernel would let a program do. One line each. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void told(int can, const char *what, long number)
{
	printf("probe: %s %s", can ? "can" : "cannot", what);
	if (number >= 0)
		printf(" %ld", number);
	printf("\n");
}

/* A family without the type of socket asked for is there all the same. */
static void ask_families(void)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET };

	for (int family = 1; family < AF_MAX; family++) {
		int can = 0;

		for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
			int fd = socket(family, types[i], 0);

			can |= fd >= 0 || errno != EAFNOSUPPORT;
			if (fd >= 0)
				close(fd);
		}
		told(can, "make sockets of family", family);
	}
}

static void ask_files(void)
{
	static const char *const paths[] = {
		"/dev/mem",
		"/dev/kmem",
		"/dev/port",
		"/dev/cpu/0/msr",
		"/dev/cpu/0/cpuid",
		"/proc/kcore",
		"/proc/vmcore",
		"/proc/modules",
		"/proc/sysrq-trigger",
		"/proc/sys/kernel/modprobe",
		"/proc/sys/fs/binfmt_misc/register",
		"/proc/net/tcp",
		"/proc/net/unix",
		"/proc/net/packet",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		told(!access(paths[i], F_OK), paths[i], -1);
}

static void ask_calls(void)
{
	static const struct {
		const char *name;
		long number;
	} calls[] = {
		{ "kexec_load", SYS_kexec_load },
		{ "kexec_file_load", SYS_kexec_file_load },
		{ "init_module", SYS_init_module },
		{ "finit_module", SYS_finit_module },
		{ "bpf", SYS_bpf },
		{ "io_uring_setup", SYS_io_uring_setup },
		{ "userfaultfd", SYS_userfaultfd },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		told(syscall(calls[i].number, 0, 0, 0, 0, 0) >= 0 || errno != ENOSYS, calls[i].name,
		     -1);
}

int main(void)
{
	if (mount("proc", "/proc", "proc", 0, "") || mount("dev", "/dev", "devtmpfs", 0, ""))
		printf("probe: %s\n", strerror(errno));
	ask_families();
	ask_files();
	ask_calls();
	printf("probe: the end\n");
	fflush(stdout);
	return reboot(RB_POWER_OFF);
}
