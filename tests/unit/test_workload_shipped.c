/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shipped workloads have the entries that are claimed, as inspect and as a run sees them. What inspect sees of desktop
 * tests/unit/workload-statistics.sh asserts, without sanitizers: it is large. */
#include "command_fixture.h"

#include <jansson.h>

#define MANIFEST_LIMIT_BYTES (4 << 20)

static const struct shipped {
	const char *base, *delta;
	unsigned remove, install; /* entries, usr among them */
} small = { "workloads/small.mtree.zst", "workloads/small-nano.mtree.zst", 10422, 10533 },
  server = { "workloads/server.mtree.zst", "workloads/server-nano.mtree.zst", 60000, 60111 },
  /* The published table's numbers. */
	desktop = { "workloads/desktop.mtree.zst", "workloads/desktop-nano.mtree.zst", 231613,
		    231613 + 94 };

static long long inspected(const char *path, const char *key)
{
	long long figure;
	json_t *json;

	assert_int_equal(RUN("workload", "inspect", "--json", path), 0);
	json = json_load_file(in_top("out"), 0, NULL);
	assert_true(json_is_integer(json_object_get(json, key)));
	figure = json_integer_value(json_object_get(json, key));
	json_decref(json);
	return figure;
}

/* Of equal paths a manifest's last one counts, so one after the other is what "install" makes. */
static const char *put_both(const struct shipped *shipped)
{
	size_t base_bytes, delta_bytes;
	_cleanup_free_ char *base = get_bytes(shipped->base, &base_bytes);
	_cleanup_free_ char *delta = get_bytes(shipped->delta, &delta_bytes);

	assert_in_range(base_bytes, 1, MANIFEST_LIMIT_BYTES);
	assert_in_range(delta_bytes, 1, MANIFEST_LIMIT_BYTES);
	base = realloc(base, base_bytes + delta_bytes);
	assert_non_null(base);
	memcpy(base + base_bytes, delta, delta_bytes);
	return put_bytes("both", base, base_bytes + delta_bytes);
}

static void has_what_is_claimed(void **state)
{
	const struct shipped *shipped = *state;
	struct workload workload;

	if (shipped != &desktop) {
		assert_int_equal(inspected(shipped->base, "entries"), shipped->remove);
		assert_int_equal(inspected(put_both(shipped), "entries"), shipped->install);
	}
	assert_int_equal(workload_read(&workload, "", shipped->base, shipped->delta, NULL), 0);
	assert_int_equal(workload.remove.entry_count, shipped->remove);
	assert_int_equal(workload.install.entry_count, shipped->install);
	workload_free(&workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "small_has_what_is_claimed", has_what_is_claimed, NULL, NULL, (void *)&small },
		{ "server_has_what_is_claimed", has_what_is_claimed, NULL, NULL, (void *)&server },
		{ "desktop_has_what_is_claimed", has_what_is_claimed, NULL, NULL,
		  (void *)&desktop },
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
