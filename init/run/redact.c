/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that leaves out what names one machine among all: in its journal and in what it tells. */
#include "disk/words.h"
#include "lib/cleanup.h"
#include "run/run.h"

/* As it is, and as a refusal would show it. */
static int learn(struct redactor *redactor, const char *secret)
{
	char text[256];
	struct words words = words_start(text, sizeof(text));
	int result = redactor_learn(redactor, secret);

	words_add(&words, "%s", secret);
	return result ? result : redactor_learn(redactor, text);
}

int run_learn_secrets(struct run *run)
{
	int result = 0;

	for (size_t i = 0; run->plan.redact && !result && i < run->devices.count; i++) {
		result = learn(&run->redactor, run->devices.devices[i].serial);
		if (!result)
			result = learn(&run->redactor, run->devices.devices[i].partuuid);
	}
	return result;
}

static int update_redacted(void *context, const char *phase, uint64_t done, uint64_t total)
{
	const struct run *run = context;

	return progress_update(run->unredacted, phase, done, total);
}

static void say_redacted(void *context, const char *line)
{
	const struct run *run = context;
	_cleanup_free_ char *text = redact_text(&run->redactor, line);

	progress_say(run->unredacted, "%s", text ? text : REDACTED);
}

int run_redact(struct run *run)
{
	int result = 0;

	if (!run->plan.redact)
		return 0;
	run->unredacted = run->progress;
	run->redacted = (struct progress){
		.update = update_redacted, .say = say_redacted, .context = run
	};
	run->progress = &run->redacted;
	if (run->config)
		result = learn(&run->redactor, config_get(run->config, KEY_SERIAL));
	if (!result)
		result = run_learn_secrets(run);
	if (run->journal)
		journal_redact(run->journal, &run->redactor);
	return result;
}
