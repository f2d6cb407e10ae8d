/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/keys.h"

static const char *names_of(config_names *names, const struct key *key)
{
	const char *known = names((enum config_key)(key - config_table));

	return known ? known : "";
}

void config_print_conf(FILE *out, config_names *names)
{
	fputs("# blitbench.conf: what is measured, and which partition is FORMATTED for it.\n"
	      "#\n"
	      "# Every key is shown with its default. Take the # off a line to change it. A line that begins with # or ; is a\n"
	      "# comment, and so is what follows a blank and a ; in a line. Lists are words with blanks or commas between them.\n"
	      "# A word blitbench.KEY=VALUE on the kernel command line wins over this file, this file over the profile.\n"
	      "# Any mistake stops the run before anything is written to a disk, and all mistakes are told at once.\n"
	      "\n"
	      "[blitbench]\n", out);
	for (const struct key *key = config_table; key < config_table + CONFIG_KEYS; key++)
		fprintf(out, "\n# %s\n# Values: %s%s.\n#%s =%s%s\n", key->comment, key->allowed, names_of(names, key),
			key->name, key->fallback[0] ? " " : "", key->fallback);
}

void config_print_markdown(FILE *out, config_names *names)
{
	fputs("# Configuration\n"
	      "\n"
	      "The same table of keys makes the parser, the commented `blitbench.conf` on the stick and this page.\n"
	      "\n"
	      "A value comes from the first of these that gives it: the kernel command line (`blitbench.KEY=VALUE`; a value with\n"
	      "blanks stands in double quotes, or its list has commas), `blitbench.conf` on the stick (INI, section\n"
	      "`[blitbench]`), the profile that it names, the default. Unknown keys, bad values, and a key given twice in one file\n"
	      "stop the run before anything is written to a target; all mistakes are told at once, with file, line, key and what\n"
	      "is allowed. For `blitbench run --directory` its arguments KEY=VALUE stand in the place of the kernel command line,\n"
	      "there is no blitbench.conf, a profile is read where one is named, and paths may lie anywhere.\n", out);
	for (const struct key *key = config_table; key < config_table + CONFIG_KEYS; key++) {
		fprintf(out, "\n## %s\n\n%s\n\n- Values: %s%s\n", key->name, key->comment, key->allowed,
			names_of(names, key));
		if (key->fallback[0])
			fprintf(out, "- Default: `%s`\n", key->fallback);
		else
			fputs("- Default: nothing\n", out);
	}
}
