/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/walk.h"

#include "blit/crew.h"
#include "blit/timed.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

/* Threads write to their own lines of the processors' caches. */
enum { CACHE_LINE_BYTES = 64 };

/* A directory of the layout while it is open; by the entry's index. */
struct open_directory {
	int fd;           /* -1 while closed */
	uint32_t pending; /* children that are not done; atomic */
};

/* Children of one directory that nobody has begun: entries first to end - 1. Atomic, in one word. A
 * range never comes back: its first entry is begun by whoever takes it. */
typedef uint64_t range;

struct walker {
	range *ranges;  /* by depth; of directories above each other, all but a stolen first one */
	uint32_t *done; /* by depth: children that this thread has made and not reported yet */
};

struct walk {
	struct blit *blit;
	walk_file make_file;
	mode_t stripped;
	struct open_directory *directories;
	struct walker *walkers;
	unsigned depth;  /* of ranges that a walker may have */
	bool over;       /* atomic: all is made, or something failed */
	unsigned asleep; /* atomic; threads that found nothing to take */
	pthread_mutex_t lock;
	pthread_cond_t news;
};

static inline range range_of(uint32_t first, uint32_t end)
{
	return (range)first << 32 | end;
}

static inline uint32_t range_first(range children)
{
	return (uint32_t)(children >> 32);
}

static inline uint32_t range_end(range children)
{
	return (uint32_t)children;
}

static inline bool range_change(range *place, range *seen, range wanted)
{
	return __atomic_compare_exchange_n(place, seen, wanted, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static inline bool is_over(const struct walk *walk)
{
	return __atomic_load_n(&walk->over, __ATOMIC_RELAXED);
}

/* --- before and after --- */

static unsigned depth_of(const struct layout *layout)
{
	unsigned most = 0;

	for (uint32_t i = 0; i < layout->entry_count; i++) {
		unsigned depth = 1;

		for (uint32_t at = i; at; at = layout->entries[at].parent)
			depth++;
		most = depth > most ? depth : most;
	}
	return most;
}

int walk_new(struct walk **walk, struct blit *blit)
{
	size_t directories_bytes = blit->layout->entry_count * sizeof(struct open_directory);
	unsigned depth = depth_of(blit->layout) + 1;
	/* Ranges first, then the counts. */
	size_t walker_bytes = depth * (sizeof(range) + sizeof(uint32_t));
	struct walk *new = calloc(1, sizeof(*new));

	*walk = new;
	if (!new)
		return error_set(-ENOMEM, "out of memory for a blit");
	new->blit = blit;
	new->depth = depth;
	pthread_mutex_init(&new->lock, NULL);
	pthread_cond_init(&new->news, NULL);
	walker_bytes = (walker_bytes + CACHE_LINE_BYTES - 1) & ~(size_t)(CACHE_LINE_BYTES - 1);
	new->directories = malloc(directories_bytes);
	new->walkers = calloc(blit->threads, sizeof(*new->walkers));
	char *lines = aligned_alloc(CACHE_LINE_BYTES, blit->threads * walker_bytes);
	if (new->walkers)
		new->walkers[0].ranges = (range *)lines;
	if (!new->directories || !new->walkers || !lines)
		return error_set(-ENOMEM, "out of memory for blitting %u entries",
				 blit->layout->entry_count);
	/* Written to, so that the timer sees no page of it for the first time. */
	memset(new->directories, 0xff, directories_bytes);
	memset(lines, 0, blit->threads * walker_bytes);
	for (unsigned i = 0; i < blit->threads; i++) {
		new->walkers[i].ranges = (range *)(lines + i * walker_bytes);
		new->walkers[i].done = (uint32_t *)(new->walkers[i].ranges + depth);
	}
	return 0;
}

void walk_free(struct walk **walk)
{
	struct walk *old = take_pointer(*walk);

	if (!old)
		return;
	if (old->walkers)
		free(old->walkers[0].ranges);
	free(old->walkers);
	free(old->directories);
	pthread_mutex_destroy(&old->lock);
	pthread_cond_destroy(&old->news);
	free(old);
}

/* --- threads without work --- */

static void end_all(struct walk *walk)
{
	__atomic_store_n(&walk->over, true, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&walk->lock);
	pthread_cond_broadcast(&walk->news);
	pthread_mutex_unlock(&walk->lock);
}

/* After a range of several was made. The fence is one half of a pair: either who falls asleep sees
 * the range, or we see that they do. */
static void wake_one(struct walk *walk)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&walk->asleep, __ATOMIC_SEQ_CST))
		return;
	pthread_mutex_lock(&walk->lock);
	pthread_cond_signal(&walk->news);
	pthread_mutex_unlock(&walk->lock);
}

/* Takes the second half of a range, or the one that is left of it. */
static bool take_half(range *from, range *taken)
{
	range seen = __atomic_load_n(from, __ATOMIC_ACQUIRE);

	while (range_first(seen) < range_end(seen)) {
		uint32_t first = range_first(seen), end = range_end(seen);
		uint32_t middle = first + (end - first) / 2;

		*taken = range_of(middle, end);
		if (range_change(from, &seen, range_of(first, middle)))
			return true;
	}
	return false;
}

/* From the next thread that has something, of the directory highest up; its depth, or -1. */
static int steal(struct walk *walk, unsigned self, range *taken)
{
	unsigned count = walk->blit->threads;

	for (unsigned i = 1; i < count; i++)
		for (unsigned depth = 0; depth < walk->depth; depth++)
			if (take_half(&walk->walkers[(self + i) % count].ranges[depth], taken))
				return (int)depth;
	return -1;
}

/* Waits for something to steal; -1 once all is over. */
static int steal_or_sleep(struct walk *walk, unsigned self, range *taken)
{
	int depth = is_over(walk) ? -1 : steal(walk, self, taken);

	if (depth >= 0)
		return depth;
	pthread_mutex_lock(&walk->lock);
	__atomic_fetch_add(&walk->asleep, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	while (!is_over(walk) && (depth = steal(walk, self, taken)) < 0)
		pthread_cond_wait(&walk->news, &walk->lock);
	__atomic_fetch_sub(&walk->asleep, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&walk->lock);
	return depth;
}

/* --- entries --- */

static int make_empty_file(const struct walk *walk, int parent, const struct entry *entry,
			   const char *name)
{
	int fd = blit_open_new(parent, name, O_CREAT | O_WRONLY | O_TRUNC,
			       entry->mode & ~walk->stripped);

	if (fd < 0)
		return blit_failed(walk->blit, entry, "openat");
	blit_close(fd);
	return 0;
}

static inline int make_entry(const struct walk *walk, int parent, const struct entry *entry)
{
	struct blit *blit = walk->blit;
	const char *name = entry_name(blit->layout, entry);

	if (entry->type == ENTRY_SYMLINK)
		return blit_symlinkat(entry_link_text(blit->layout, entry), parent, name)
			       ? blit_failed(blit, entry, "symlinkat")
			       : 0;
	if (entry->asset == NO_ASSET)
		return make_empty_file(walk, parent, entry, name);
	return walk->make_file(blit, parent, entry, name);
}

/* Makes what is no directory, from *index on until end or until one comes, which *index then is. */
static int make_leaves(const struct walk *walk, int parent, uint32_t *index, uint32_t end)
{
	const struct entry *entries = walk->blit->layout->entries;
	const struct entry *entry = entries + *index, *last = entries + end;
	int result = 0;

	while (entry < last && entry->type != ENTRY_DIRECTORY && !result)
		result = make_entry(walk, parent, entry++);
	*index = (uint32_t)(entry - entries);
	return result;
}

/* So many more children of a directory are done. With the last one it is closed, and is one done
 * of its own parent's. */
static void report_done(struct walk *walk, uint32_t index, uint32_t done)
{
	for (;;) {
		struct open_directory *directory = &walk->directories[index];

		if (__atomic_sub_fetch(&directory->pending, done, __ATOMIC_ACQ_REL))
			return;
		blit_close(take_fd(&directory->fd));
		if (!index) {
			end_all(walk);
			return;
		}
		index = walk->blit->layout->entries[index].parent;
		done = 1;
	}
}

/* These children of one directory are for all to take from now on. */
static void offer(struct walk *walk, struct walker *self, unsigned depth, range children)
{
	self->done[depth] = 0;
	__atomic_store_n(&self->ranges[depth], children, __ATOMIC_RELEASE);
	if (walk->blit->threads > 1 && range_end(children) - range_first(children) > 1)
		wake_one(walk);
}

/* The first of them; all, where there is nobody to share them with. */
static bool take(const struct walk *walk, range *from, uint32_t *first, uint32_t *end)
{
	range seen = __atomic_load_n(from, __ATOMIC_RELAXED);

	while (range_first(seen) < range_end(seen)) {
		*first = range_first(seen);
		*end = walk->blit->threads == 1 ? range_end(seen) : *first + 1;
		if (range_change(from, &seen, range_of(*end, range_end(seen))))
			return true;
	}
	return false;
}

/* Makes and opens a directory, and offers its children at this depth. One without any is closed at
 * once, and *inside is false. */
static int enter_directory(struct walk *walk, struct walker *self, unsigned depth, int parent,
			   const struct entry *entry, bool *inside)
{
	const char *name = entry_name(walk->blit->layout, entry);
	uint32_t first = entry->first_child;

	if (blit_mkdirat(parent, name, entry->mode))
		return blit_failed(walk->blit, entry, "mkdirat");
	int fd = blit_open_directory(parent, name);
	if (fd < 0)
		return blit_failed(walk->blit, entry, "openat");
	*inside = entry->child_count;
	if (!*inside) {
		blit_close(fd);
		return 0;
	}
	walk->directories[entry - walk->blit->layout->entries] =
		(struct open_directory){ fd, entry->child_count };
	offer(walk, self, depth, range_of(first, first + entry->child_count));
	return 0;
}

/* Makes what a walker has at this depth, children of directory parent, and everything below it, as
 * far as nobody else takes it. */
static int make_range(struct walk *walk, struct walker *self, unsigned base, uint32_t parent)
{
	const struct entry *entries = walk->blit->layout->entries;
	unsigned depth = base;
	uint32_t index, end;

	while (!is_over(walk)) {
		if (take(walk, &self->ranges[depth], &index, &end)) {
			uint32_t first = index;
			int fd = walk->directories[parent].fd;
			bool inside = false;

			int result = make_leaves(walk, fd, &index, end);
			self->done[depth] += index - first;
			if (result)
				return result;
			if (index == end)
				continue;
			/* What comes after the directory is taken again when it is done. */
			if (index + 1 < end)
				__atomic_store_n(&self->ranges[depth], range_of(index + 1, end),
						 __ATOMIC_RELAXED);
			result = enter_directory(walk, self, depth + 1, fd, &entries[index],
						 &inside);
			if (result)
				return result;
			if (inside) {
				parent = index;
				depth++;
			} else {
				self->done[depth]++;
			}
			continue;
		}
		uint32_t finished = parent;

		parent = entries[finished].parent;
		if (self->done[depth])
			report_done(walk, finished, self->done[depth]);
		if (depth-- == base)
			break;
	}
	return 0;
}

static void make_until_over(void *context, unsigned number)
{
	struct walk *walk = context;
	struct walker *self = &walk->walkers[number];
	const struct entry *entries = walk->blit->layout->entries;
	int depth = 0, result = number ? 0 : make_range(walk, self, 0, 0);
	range taken;

	while (!result && (depth = steal_or_sleep(walk, number, &taken)) >= 0) {
		offer(walk, self, (unsigned)depth, taken);
		result =
			make_range(walk, self, (unsigned)depth, entries[range_first(taken)].parent);
	}
	if (result)
		end_all(walk);
}

static void close_what_is_open(struct walk *walk)
{
	for (uint32_t i = 0; i < walk->blit->layout->entry_count; i++)
		if (walk->directories[i].fd >= 0)
			close(take_fd(&walk->directories[i].fd));
}

int walk_tree(struct blit *blit, walk_file make_file, mode_t stripped)
{
	struct walk *walk = blit->walk;
	bool inside;

	walk->make_file = make_file;
	walk->stripped = stripped;
	int result = enter_directory(walk, &walk->walkers[0], 0, blit->staging_fd,
				     &blit->layout->entries[0], &inside);
	if (result || !inside)
		return result;
	crew_run(blit->crew, make_until_over, walk);
	if (!blit->failed)
		return 0;
	close_what_is_open(walk);
	return -blit->failure.error;
}
