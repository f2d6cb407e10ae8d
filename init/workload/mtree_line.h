/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of one line of a manifest. Everything here works in place, in the reader's line. */
#ifndef BLITBENCH_WORKLOAD_MTREE_LINE_H
#define BLITBENCH_WORKLOAD_MTREE_LINE_H

#include "workload/mtree.h"

enum mtree_keyword {
	KEYWORD_TYPE,
	KEYWORD_MODE,
	KEYWORD_UID,
	KEYWORD_GID,
	KEYWORD_SIZE,
	KEYWORD_LINK,
	KEYWORD_INODE,
	KEYWORD_COUNT,
};

struct mtree_keywords {
	unsigned present; /* a bit for each enum mtree_keyword */
	enum entry_type type;
	bool special;                    /* a device, pipe or socket; then type means nothing */
	uint64_t numbers[KEYWORD_COUNT]; /* of those that are numbers */
	const char *link_text;
};

static inline bool mtree_is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

/* Cuts the next word off *rest and terminates it; NULL when there is none. */
char *mtree_next_word(char **rest);

/* Undoes the escapes of vis(3) in place: \ooo, \a \b \f \n \r \s \t \v \\ \#. -EINVAL for others
 * and for \000. */
int mtree_unescape(char *word);

/* Reads "key=value ..." over what keywords holds already. A link text stays where it is in rest. */
int mtree_keywords_parse(struct mtree_keywords *keywords, char *rest);

/* The same for "/set", whose line does not last as long as what it sets: link= is refused. */
int mtree_keywords_set(struct mtree_keywords *keywords, char *rest);

/* Takes out the keywords that "/unset" names, or all of them. */
void mtree_keywords_unset(struct mtree_keywords *keywords, char *rest);

/* The entry that a line describes, which must not be special; -EINVAL where the type is missing, or
 * the size of a file. */
int mtree_keywords_entry(const struct mtree_keywords *keywords, const char *path,
			 struct listed_entry *entry);

#endif
