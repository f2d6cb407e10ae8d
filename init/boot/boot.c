/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/boot.h"

#include "boot/console.h"
#include "boot/power_button.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { SYNC_LIMIT_SECONDS = 60 };

static volatile sig_atomic_t stop; /* an enum boot_stop */

static void on_stop(int signal_number)
{
	stop = signal_number == SIGINT ? BOOT_STOP_KEYS : BOOT_STOP_SIGNAL;
}

enum boot_stop boot_stop(void)
{
	if (power_button_pressed())
		stop = BOOT_STOP_BUTTON;
	return (enum boot_stop)stop;
}

bool boot_stop_requested(void)
{
	return boot_stop() != BOOT_GOES_ON;
}

void boot_stop_forget(void)
{
	stop = BOOT_GOES_ON;
}

static void take_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = on_stop, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	reboot(RB_DISABLE_CAD); /* Ctrl-Alt-Del then is a SIGINT to PID 1 */
}

static void raise_open_files(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Without a console the kernel starts PID 1 with no descriptors at all; 0 to 2 must not become
 * something else. */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int boot_prepare(void)
{
	static const struct {
		const char *type, *path;
		unsigned long flags;
	} mounts[] = {
		{ "proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC },
		{ "sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC },
		{ "devtmpfs", "/dev", MS_NOSUID | MS_NOEXEC },
		{ "tmpfs", "/run", MS_NOSUID | MS_NOEXEC },
	};

	umask(022);
	for (size_t i = 0; i < ARRAY_LENGTH(mounts); i++) {
		mkdir(mounts[i].path, 0755);
		/* EBUSY: the kernel has mounted devtmpfs itself. */
		if (mount(mounts[i].type, mounts[i].path, mounts[i].type, mounts[i].flags, NULL) &&
		    errno != EBUSY)
			return error_set(-errno, "cannot mount %s on %s: %s", mounts[i].type,
					 mounts[i].path, strerror(errno));
	}
	fill_standard_descriptors();
	take_signals();
	power_buttons_open("/dev/input");
	raise_open_files();
	return 0;
}

void boot_panic_policy(bool virtual_machine)
{
	sysfs_write(virtual_machine ? "-1" : "30", "", "/proc/sys/kernel/panic");
}

/* By a child, since a disk that does not answer would hold up whoever waits for it, and for ever.
 * What counts has been flushed before. */
static void sync_within_limit(void)
{
	pid_t child = fork();

	if (child == 0) {
		sync();
		_exit(0);
	}
	if (child < 0)
		return;
	struct pollfd over = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN };
	if (poll(&over, 1, SYNC_LIMIT_SECONDS * 1000) == 0)
		consoles_print(
			"blitbench: a disk has not taken all that was written to it, and is not waited for any longer\n");
}

static void end(int how)
{
	sync_within_limit();
	reboot(how);
	for (;;) /* PID 1 must not return: a machine that cannot do it stays as it is */
		pause();
}

void boot_poweroff(void)
{
	end(RB_POWER_OFF);
	__builtin_unreachable();
}

void boot_reboot(void)
{
	end(RB_AUTOBOOT);
	__builtin_unreachable();
}
