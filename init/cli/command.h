/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench as a command. Each command takes its own name as argv[0] and returns the exit status:
 * 0, 1 failed, 2 usage (compare has its own: cli/compare.h). What they print to the standard output
 * need not be checked by them. */
#ifndef BLITBENCH_CLI_COMMAND_H
#define BLITBENCH_CLI_COMMAND_H

/* Runs a command and sees to it that all it printed went out: otherwise the status is 1. Where a
 * signal asked it to stop (bar.h) the program dies of that signal, so that a shell's loop stops. */
int command_main(int argc, char **argv);

/* Prints "blitbench: sentence" to stderr, or that it was interrupted, and returns 1. */
int command_failed(void);

/* The same for a wrong use: the sentence and where help is; returns 2. */
int command_usage(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Takes the value of the option at argv[*at], which may be given once: 0, or the exit status of a
 * wrong use. needs says what the value is: "a folder". */
int command_option(const char *command, const char **value, const char *needs, int argc,
		   char **argv, int *at);

#endif
