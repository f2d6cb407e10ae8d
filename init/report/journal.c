/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/regular.h"
#include "lib/values.h"
#include "report/json.h"

#define JOURNAL_NAME "journal.jsonl"

/* Far above any run's; keeps a wrong file from eating the memory. */
enum { JOURNAL_BYTES_MAX = 256 * 1024 * 1024, JOURNAL_LINES_MAX = 1000 * 1000 };

struct journal {
	int fd;    /* -1: in memory only */
	bool lost; /* a record that never became a line */
	json_t *lines;
	const struct redactor *redactor; /* NULL: lines are kept as they come; borrowed */
	const struct progress *progress; /* NULL: failures are told to nobody else; borrowed */
	bool failing;                    /* the last write to the file failed, and that was told */
	/* How many of them are whole and flushed, and where in the file they end. */
	size_t saved_lines;
	off_t saved_bytes;
};

static int write_at(int fd, const char *text, size_t length, off_t offset)
{
	while (length) {
		ssize_t written = pwrite(fd, text, length, offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		text += written;
		offset += written;
		length -= (size_t)written;
	}
	return 0;
}

static int write_line(int fd, const json_t *line, off_t *offset)
{
	_cleanup_free_ char *text = json_dumps(line, JSON_LINE_FLAGS);
	size_t length;
	int error;

	if (!text)
		return -ENOMEM;
	length = strlen(text);
	text[length] = '\n'; /* in the place of the NUL: the length is kept apart */
	error = write_at(fd, text, length + 1, *offset);
	if (!error)
		*offset += (off_t)length + 1;
	return error;
}

/*
 * Writes all lines that are not on the medium yet, from the end of the last one that is. So after a
 * failure the same bytes are written again at the same place, and no torn line stays in the middle.
 */
static int save_lines(struct journal *journal)
{
	size_t count = journal->saved_lines;
	off_t end = journal->saved_bytes;
	int error = 0;

	while (count < json_array_size(journal->lines)) {
		error = write_line(journal->fd, json_array_get(journal->lines, count), &end);
		if (error)
			break;
		count++;
	}
	/* Should this fail too, a torn line is at the end, which the next try overwrites. */
	if (error && ftruncate(journal->fd, end))
		error_set(-errno, "%s: cannot cut off a torn line", JOURNAL_NAME);
	if (fdatasync(journal->fd))
		return error_set(-errno, "%s: cannot flush to the results volume: %s", JOURNAL_NAME,
				 strerror(errno));
	journal->saved_lines = count;
	journal->saved_bytes = end;
	if (error)
		return error_set(error, "%s: cannot write to the results volume: %s", JOURNAL_NAME,
				 strerror(-error));
	return 0;
}

/* What a reader of the file gets: a report made in memory must be the one made from the file. */
static json_t *as_read_back(json_t *line)
{
	_cleanup_free_ char *text = json_dumps(line, JSON_LINE_FLAGS);

	return text ? json_loads(text, 0, NULL) : NULL;
}

void journal_watch(struct journal *journal, const struct progress *progress)
{
	journal->progress = progress;
}

void journal_redact(struct journal *journal, const struct redactor *redactor)
{
	journal->redactor = redactor;
}

/* Once for a volume that fails and once for one that works again, however many lines there are between. */
static int save_and_tell(struct journal *journal)
{
	int result = save_lines(journal);
	char reason[512];

	if (!journal->progress || journal->failing == !!result)
		return result;
	journal->failing = result;
	if (!result) {
		progress_say(journal->progress, "the results volume works again: all of the journal is "
						"on it");
		return 0;
	}
	snprintf(reason, sizeof(reason), "%s", error_text());
	progress_say(journal->progress,
		     "RESULTS CANNOT BE SAVED NOW: %s; measuring goes on, the journal goes on in "
		     "memory, and is written again when the run ends",
		     reason);
	journal_note(journal, "the results volume failed during the run, and the journal went on in "
			      "memory: %s", reason);
	return error_set(result, "%s", reason);
}

int journal_append(struct journal *journal, const char *name, json_t *object)
{
	json_t *line = json_object();

	/* The name comes first, so that a line can be read by eye. */
	if (!line || json_object_set_new(line, "record", json_string(name)) ||
	    json_object_update(line, object) ||
	    json_object_set_new(line, "record", json_string(name)) ||
	    (journal->redactor && redact_json(journal->redactor, line)) ||
	    json_array_append_new(journal->lines, as_read_back(line))) {
		json_decref(line);
		json_decref(object);
		journal->lost = true;
		return error_set(-ENOMEM, "%s: \"%s\" is no object, or there is no memory for it",
				 JOURNAL_NAME, name);
	}
	json_decref(line);
	json_decref(object);
	return journal->fd < 0 ? 0 : save_and_tell(journal);
}

int journal_note(struct journal *journal, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return journal_append(journal, "note", json_pack("{s:o}", "text", json_text(text)));
}

int journal_verdict(struct journal *journal, enum run_status status, const char *rule,
		    const char *reason)
{
	struct timespec now;
	json_t *verdict;
	struct tm utc;
	char text[32] = "";

	clock_gettime(CLOCK_REALTIME, &now);
	if (gmtime_r(&now.tv_sec, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	/* The clock of the day may be wrong or jump; how long the run took comes from the other. */
	verdict = json_pack("{s:s, s:o, s:o, s:s, s:f}", "status", run_status_name(status),
			    "reason", json_text(reason), "rule", json_text(rule), "time", text,
			    "uptime_seconds", clock_boot_seconds());
	return journal_append(journal, "verdict", verdict);
}

static int open_new(struct journal *journal, int directory_fd)
{
	journal->fd =
		openat(directory_fd, JOURNAL_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (journal->fd < 0)
		return error_set(-errno, "%s: cannot make it in the run's folder: %s", JOURNAL_NAME,
				 strerror(errno));
	return 0;
}

/* A run that could not even begin its journal leaves no empty one behind. */
static int begin_file(struct journal *journal, int directory_fd)
{
	int error = journal_verdict(journal, RUN_INCOMPLETE, NULL, NULL);

	if (!error && fsync(directory_fd))
		error = error_set(-errno, "%s: cannot flush its folder: %s", JOURNAL_NAME,
				  strerror(errno));
	if (error)
		unlinkat(directory_fd, JOURNAL_NAME, 0);
	return error;
}

int journal_create(struct journal **journal, int directory_fd)
{
	struct journal *made = calloc(1, sizeof(*made));
	int error;

	*journal = NULL;
	if (!made)
		return error_set(-ENOMEM, "%s: out of memory", JOURNAL_NAME);
	made->fd = -1;
	made->lines = json_array();
	if (!made->lines)
		error = error_set(-ENOMEM, "%s: out of memory", JOURNAL_NAME);
	else if (directory_fd < 0)
		error = journal_verdict(made, RUN_INCOMPLETE, NULL, NULL);
	else
		error = open_new(made, directory_fd) ?: begin_file(made, directory_fd);
	if (error) {
		journal_close(made);
		return error;
	}
	*journal = made;
	return 0;
}

bool journal_unsaved(const struct journal *journal)
{
	return journal->lost || journal->saved_lines < json_array_size(journal->lines);
}

void journal_detach(struct journal *journal)
{
	if (journal->fd >= 0)
		close(take_fd(&journal->fd));
}

/* Opens it where all that it holds is the beginning of the text; how long that is becomes held. */
static int open_beginning(int directory_fd, const char *text, size_t length, off_t *held)
{
	_cleanup_close_ int fd = openat(directory_fd, JOURNAL_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	_cleanup_free_ char *found = NULL;
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		return error_set(-errno, "%s: cannot open it again: %s", JOURNAL_NAME,
				 strerror(errno));
	*held = status.st_size;
	if (!S_ISREG(status.st_mode) || (size_t)*held > length)
		return error_set(-EEXIST, "%s: there is another one in the folder", JOURNAL_NAME);
	found = malloc(length + 1);
	if (!found)
		return error_set(-ENOMEM, "%s: out of memory", JOURNAL_NAME);
	ssize_t got = pread(fd, found, (size_t)*held, 0);
	if (got < 0)
		return error_set(-errno, "%s: cannot read it again: %s", JOURNAL_NAME,
				 strerror(errno));
	if (got != *held || memcmp(found, text, (size_t)got))
		return error_set(-EEXIST, "%s: there is another one in the folder", JOURNAL_NAME);
	return take_fd(&fd);
}

int journal_save(struct journal *journal, int directory_fd)
{
	_cleanup_free_ char *text = journal_text(journal->lines);
	size_t length = text ? strlen(text) : 0;
	off_t held = 0;

	if (!text)
		return error_set(-ENOMEM, "%s: out of memory", JOURNAL_NAME);
	_cleanup_close_ int fd = openat(directory_fd, JOURNAL_NAME,
					O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 && errno == EEXIST)
		fd = open_beginning(directory_fd, text, length, &held);
	else if (fd < 0)
		return error_set(-errno, "%s: cannot make it: %s", JOURNAL_NAME, strerror(errno));
	if (fd < 0)
		return fd;
	int error = write_at(fd, text + held, length - (size_t)held, held);
	if (!error && (fdatasync(fd) || fsync(directory_fd)))
		error = -errno;
	if (error)
		return error_set(error, "%s: cannot write to the results volume: %s", JOURNAL_NAME,
				 strerror(-error));
	journal->saved_lines = json_array_size(journal->lines);
	return 0;
}

const json_t *journal_lines(const struct journal *journal)
{
	return journal->lines;
}

char *journal_text(const json_t *lines)
{
	char *text = NULL;
	const json_t *line;
	size_t size, index;
	FILE *out = open_memstream(&text, &size);
	bool lost = !out;

	json_array_foreach(lines, index, line)
		lost = lost || json_dumpf(line, out, JSON_LINE_FLAGS) || fputc('\n', out) == EOF;
	if (out && fclose(out))
		lost = true;
	if (!lost)
		return text;
	free(text);
	return NULL;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	if (journal->fd >= 0)
		close(journal->fd);
	json_decref(journal->lines);
	free(journal);
}

static int too_large(const char *name)
{
	return error_set(-EFBIG, "%s: too large to be a journal (over %d MiB)", name,
			 JOURNAL_BYTES_MAX >> 20);
}

static int slurp(const char *path, char **text, size_t *length)
{
	uint64_t size = 0;
	_cleanup_close_ int fd = regular_open(
		path, "the journal", "give a journal or the folder of a run", &size);
	_cleanup_free_ char *buffer = NULL;
	size_t used = 0;

	if (fd < 0)
		return fd;
	if (size > JOURNAL_BYTES_MAX)
		return too_large(path);
	buffer = malloc((size_t)size + 1);
	if (!buffer)
		return error_set(-ENOMEM, "%s: out of memory", path);
	while (used < size) {
		ssize_t got = read(fd, buffer + used, (size_t)size - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(-errno, "%s: cannot read the journal: %s", path,
					 strerror(errno));
		if (!got)
			break;
		used += (size_t)got;
	}
	*length = used;
	*text = take_pointer(buffer);
	return 0;
}

/* A line is good when it is an object that names its record. Otherwise it is null. */
static json_t *parse_line(const char *text, size_t length)
{
	json_t *line = json_loadb(text, length, 0, NULL);

	if (json_is_string(json_object_get(line, "record")) && json_is_tame(line, JOURNAL_DEPTH_MAX))
		return line;
	json_decref(line);
	return json_null();
}

int journal_visit_text(const char *name, const char *text, size_t length, journal_visitor visit,
		       void *data)
{
	size_t count = 0, damaged = 0, torn = 0;

	if (length > JOURNAL_BYTES_MAX)
		return too_large(name);
	for (size_t start = 0; start < length;) {
		const char *end = memchr(text + start, '\n', length - start);
		size_t size = end ? (size_t)(end - text) - start : length - start;
		json_t *line = parse_line(text + start, size);
		bool null = json_is_null(line);
		int error = visit(data, line);

		json_decref(line);
		if (error)
			return error_set(error, "%s: out of memory", name);
		if (++count > JOURNAL_LINES_MAX)
			return error_set(-EFBIG, "%s: too many lines to be a journal (over %d)",
					 name, JOURNAL_LINES_MAX);
		damaged += null;
		torn += null && !end;
		start += size + 1;
	}
	/* A torn line alone is a run that lost its power at once; whole lines are another file. */
	if (count == damaged && damaged > torn)
		return error_set(-EINVAL,
				 "%s: not a journal of blitbench: none of its %zu lines can be read",
				 name, damaged);
	return 0;
}

int journal_visit(const char *path, journal_visitor visit, void *data)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	int error = slurp(path, &text, &length);

	return error ? error : journal_visit_text(path, text, length, visit, data);
}

struct collected {
	json_t *lines;
	unsigned damaged;
};

static int collect(void *data, json_t *line)
{
	struct collected *collected = data;

	collected->damaged += json_is_null(line);
	return json_array_append(collected->lines, line) ? -ENOMEM : 0;
}

int journal_read(const char *path, json_t **lines, unsigned *damaged_lines)
{
	struct collected collected = { .lines = json_array() };
	int error = journal_visit(path, collect, &collected);

	if (error) {
		json_decref(collected.lines);
		return error;
	}
	*lines = collected.lines;
	*damaged_lines = collected.damaged;
	return 0;
}
