/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/console.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <termios.h>
#include <time.h>

enum {
	CONSOLES_MAX = 8,
	BAR_CELLS = 30,
	STEP_MILLISECONDS = 100,
	PATIENCE_MILLISECONDS = 5000,
	PATIENCE_STEP_MILLISECONDS = 20,
};

static struct console {
	int fd;
	bool screen; /* can redraw a line */
	unsigned patience_milliseconds;
	bool stuck; /* took nothing for that long; what came since is not shown on it */
} consoles[CONSOLES_MAX];
static unsigned console_count;

/* What was told last, so that serial lines are not flooded. */
static struct {
	char phase[128];
	unsigned quarter;
	bool bar_shown;
} shown;

/* Bytes that wait in the kernel for a slow line. A screen has none. */
static int waiting(const struct console *console)
{
	int bytes = 0;

	return ioctl(console->fd, TIOCOUTQ, &bytes) ? 0 : bytes;
}

/* Waits until it takes more, or, with events 0, until fewer wait than now; a slow line may be long about the
 * former. False where neither happens for the console's patience. */
static bool moves(const struct console *console, short events)
{
	struct pollfd wanted = { .fd = console->fd, .events = events };
	int before = waiting(console);

	for (unsigned waited = 0; waited < console->patience_milliseconds;
	     waited += PATIENCE_STEP_MILLISECONDS) {
		if (poll(&wanted, 1, PATIENCE_STEP_MILLISECONDS) > 0)
			return wanted.revents & POLLOUT;
		if (waiting(console) < before)
			return true;
	}
	return false;
}

/* How much of it the console took before it was gone, or stuck. One that seems to move and takes nothing all the
 * same is stuck too. */
static size_t put(struct console *console, const char *text, size_t length)
{
	unsigned waits = 0, waits_max = console->patience_milliseconds / PATIENCE_STEP_MILLISECONDS;
	size_t done = 0;

	while (done < length) {
		ssize_t written = write(console->fd, text + done, length - done);

		if (written > 0) {
			done += (size_t)written;
			waits = 0;
		} else if (written < 0 && errno == EINTR) {
			continue;
		} else if (written < 0 && errno != EAGAIN) {
			break; /* a console that is gone is no reason to stop */
		} else if (console->stuck || waits++ > waits_max || !moves(console, POLLOUT)) {
			console->stuck = true;
			break;
		}
	}
	return done;
}

static void write_text(struct console *console, const char *text)
{
	static const char missing[] = "\n(lines are missing here: this console was stopped)\n";

	if (console->stuck) {
		if (put(console, missing, 1) != 1)
			return;
		console->stuck = false;
		put(console, missing + 1, sizeof(missing) - 2);
	}
	put(console, text, strlen(text));
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

void consoles_add(int fd, bool screen, unsigned patience_milliseconds)
{
	if (console_count == CONSOLES_MAX)
		return;
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
	make_raw(fd);
	consoles[console_count++] = (struct console){
		.fd = fd,
		.screen = screen,
		.patience_milliseconds = patience_milliseconds,
	};
}

void consoles_open(void)
{
	char active[256], path[300];

	if (sysfs_read(active, sizeof(active), "", "/sys/class/tty/console/active"))
		return;
	for (char *rest = NULL, *name = strtok_r(active, " ", &rest);
	     name && console_count < CONSOLES_MAX; name = strtok_r(NULL, " ", &rest)) {
		snprintf(path, sizeof(path), "/dev/%s", name);
		/* Waiting neither for a carrier when opening, nor for room when writing. */
		int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		consoles_add(fd, !strncmp(name, "tty", 3) && name[3] >= '0' && name[3] <= '9',
			     PATIENCE_MILLISECONDS);
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
	for (unsigned i = 0; i < console_count; i++) {
		struct console *console = &consoles[i];

		while (!console->screen && !console->stuck && waiting(console))
			console->stuck = !moves(console, 0);
		if (!console->screen && !console->stuck)
			tcdrain(console->fd); /* of what is in the chip itself, which has a limit */
	}
	klogctl(KERNEL_CONSOLE_ON, NULL, 0);
}

static void draw_bar(struct console *console, const char *phase, uint64_t done,
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

/* Says how long it still takes: on a screen each second anew, in a log once. */
static void show_wait(const char *words, unsigned left, bool first)
{
	char line[256];

	snprintf(line, sizeof(line), "%.150s %u s", words, left);
	for (unsigned i = 0; i < console_count; i++) {
		if (consoles[i].screen) {
			draw_bar(&consoles[i], line, 0, 0);
		} else if (first) {
			write_text(&consoles[i], line);
			write_text(&consoles[i], "\n");
		}
	}
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
			show_wait(words, whole, !told);
		told = whole;
		pressed = key_pressed() || stop();
	}
	clear_bar();
	return pressed;
}
