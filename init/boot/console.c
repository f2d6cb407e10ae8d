/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/console.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/klog.h>
#include <termios.h>
#include <time.h>

enum { CONSOLES_MAX = 8, BAR_CELLS = 30, STEP_MILLISECONDS = 100 };

static struct console {
	int fd;
	bool screen; /* can redraw a line */
} consoles[CONSOLES_MAX];
static unsigned console_count;

/* What was told last, so that serial lines are not flooded. */
static struct {
	char phase[128];
	unsigned quarter;
	bool bar_shown;
} shown;

static void write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t written = write(fd, text, length);

		if (written < 0 && errno != EINTR)
			return; /* a console that is gone is no reason to stop */
		if (written > 0) {
			text += written;
			length -= (size_t)written;
		}
	}
}

static void write_text(const struct console *console, const char *text)
{
	write_all(console->fd, text, strlen(text));
}

/* Keys come one by one and unseen, Ctrl-S too: it must not hold up PID 1 in a write that nobody
 * ends. Output keeps turning a newline into CR LF. */
static void make_raw(int fd)
{
	struct termios settings;

	if (tcgetattr(fd, &settings))
		return;
	settings.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
	settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	settings.c_oflag |= OPOST | ONLCR;
	tcsetattr(fd, TCSANOW, &settings);
}

void consoles_open(void)
{
	char active[256], path[300];

	if (sysfs_read(active, sizeof(active), "", "/sys/class/tty/console/active"))
		return;
	for (char *rest = NULL, *name = strtok_r(active, " ", &rest);
	     name && console_count < CONSOLES_MAX; name = strtok_r(NULL, " ", &rest)) {
		snprintf(path, sizeof(path), "/dev/%s", name);
		/* Not waiting for a carrier when opening, waiting for room when writing. */
		int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		fcntl(fd, F_SETFL, O_RDWR);
		make_raw(fd);
		consoles[console_count++] = (struct console){
			.fd = fd,
			.screen = !strncmp(name, "tty", 3) && name[3] >= '0' && name[3] <= '9',
		};
	}
}

static void clear_bar(void)
{
	for (unsigned i = 0; shown.bar_shown && i < console_count; i++)
		if (consoles[i].screen)
			write_text(&consoles[i], "\r\033[K");
	shown.bar_shown = false;
}

void consoles_print(const char *text)
{
	clear_bar();
	for (unsigned i = 0; i < console_count; i++)
		write_text(&consoles[i], text);
}

/* SYSLOG_ACTION_CONSOLE_OFF and _ON, for which libraries have no names. */
enum { KERNEL_CONSOLE_OFF = 6, KERNEL_CONSOLE_ON = 7 };

bool consoles_serial_begin(void)
{
	bool found = false;

	for (unsigned i = 0; i < console_count; i++)
		found = found || !consoles[i].screen;
	klogctl(KERNEL_CONSOLE_OFF, NULL, 0);
	/* Whatever was printed last may stand in a line that has not ended. */
	consoles_serial_print("\n");
	return found;
}

void consoles_serial_print(const char *text)
{
	for (unsigned i = 0; i < console_count; i++)
		if (!consoles[i].screen)
			write_text(&consoles[i], text);
}

void consoles_serial_end(void)
{
	for (unsigned i = 0; i < console_count; i++)
		if (!consoles[i].screen)
			tcdrain(consoles[i].fd);
	klogctl(KERNEL_CONSOLE_ON, NULL, 0);
}

static void draw_bar(const struct console *console, const char *phase, uint64_t done,
		     uint64_t total)
{
	char line[256], bar[BAR_CELLS + 1];
	unsigned cells = total ? (unsigned)(done * BAR_CELLS / total) : 0;

	for (unsigned i = 0; i < BAR_CELLS; i++)
		bar[i] = i < cells ? '#' : '.';
	bar[BAR_CELLS] = '\0';
	if (total)
		snprintf(line, sizeof(line), "\r\033[K[%s] %3u%% %.40s", bar,
			 (unsigned)(done * 100 / total), phase);
	else
		snprintf(line, sizeof(line), "\r\033[K%.75s", phase);
	write_text(console, line);
}

void consoles_progress(const char *phase, uint64_t done, uint64_t total)
{
	done = done < total ? done : total;
	bool fresh = strcmp(phase, shown.phase);
	unsigned quarter = total ? (unsigned)(done * 4 / total) : 0;
	bool plain_line = fresh || quarter > shown.quarter;
	char line[192];

	snprintf(shown.phase, sizeof(shown.phase), "%s", phase);
	shown.quarter = quarter;
	if (total)
		snprintf(line, sizeof(line), "%s: %u%%\n", phase, (unsigned)(done * 100 / total));
	else
		snprintf(line, sizeof(line), "%s\n", phase);
	for (unsigned i = 0; i < console_count; i++) {
		if (consoles[i].screen) {
			draw_bar(&consoles[i], phase, done, total);
			shown.bar_shown = true;
		} else if (plain_line) {
			write_text(&consoles[i], line);
		}
	}
}

static void wait_a_step(void)
{
	const struct timespec step = { .tv_nsec = STEP_MILLISECONDS * 1000000L };

	nanosleep(&step, NULL);
}

static bool key_pressed(void)
{
	struct pollfd wanted[CONSOLES_MAX];
	char key;

	for (unsigned i = 0; i < console_count; i++)
		wanted[i] = (struct pollfd){ .fd = consoles[i].fd, .events = POLLIN };
	if (poll(wanted, console_count, STEP_MILLISECONDS) <= 0)
		return false;
	for (unsigned i = 0; i < console_count; i++)
		if (wanted[i].revents & POLLIN && read(consoles[i].fd, &key, 1) == 1)
			return true;
	wait_a_step(); /* a console that has hung up answers at once, and for ever */
	return false;
}

/* Says how long it still takes, each second anew. */
static void show_wait(const char *words, unsigned left)
{
	char line[256];

	snprintf(line, sizeof(line), "%.150s %u s", words, left);
	for (unsigned i = 0; i < console_count; i++)
		if (consoles[i].screen)
			draw_bar(&consoles[i], line, 0, 0);
	shown.bar_shown = true;
}

bool consoles_wait_key(int seconds, const char *words, bool (*stop)(void))
{
	double deadline = clock_seconds() + seconds;
	unsigned told = 0;
	bool pressed = false;

	for (unsigned i = 0; i < console_count; i++)
		tcflush(consoles[i].fd, TCIFLUSH); /* a key pressed long ago is no answer */
	if (seconds == CONSOLE_NO_LIMIT) {
		consoles_print(words);
		consoles_print("\n");
	}
	while (!pressed && (seconds == CONSOLE_NO_LIMIT || clock_seconds() < deadline)) {
		double left = deadline - clock_seconds();
		unsigned whole = left > 0 ? (unsigned)left + 1 : 0;

		if (whole != told)
			show_wait(words, whole);
		told = whole;
		pressed = key_pressed() || stop();
	}
	clear_bar();
	return pressed;
}
