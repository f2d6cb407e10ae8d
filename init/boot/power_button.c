/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/power_button.h"

#include "lib/cleanup.h"
#include "lib/values.h"

#include <fcntl.h>
#include <linux/input.h>
#include <string.h>
#include <sys/ioctl.h>

enum { BUTTONS_MAX = 8 };

static int buttons[BUTTONS_MAX];
static unsigned button_count;

static bool has_power_key(int fd)
{
	unsigned char keys[KEY_MAX / 8 + 1] = { 0 };

	return ioctl(fd, EVIOCGBIT(EV_KEY, sizeof(keys)), keys) >= 0 &&
	       keys[KEY_POWER / 8] & 1 << KEY_POWER % 8;
}

void power_buttons_open(const char *directory)
{
	_cleanup_closedir_ DIR *devices = opendir(directory);

	for (const struct dirent *entry; devices && (entry = readdir(devices));) {
		if (strncmp(entry->d_name, "event", 5) || button_count == BUTTONS_MAX)
			continue;
		int fd = openat(dirfd(devices), entry->d_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 && has_power_key(fd))
			buttons[button_count++] = fd;
		else if (fd >= 0)
			close(fd);
	}
}

bool power_button_pressed(void)
{
	struct input_event event;
	bool pressed = false;

	for (unsigned i = 0; i < button_count; i++)
		while (read(buttons[i], &event, sizeof(event)) == sizeof(event))
			pressed |=
				event.type == EV_KEY && event.code == KEY_POWER && event.value == 1;
	return pressed;
}
