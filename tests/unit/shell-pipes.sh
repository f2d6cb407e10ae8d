#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With pipefail a reader that stops early (grep -q, head) makes the writer before it fail now and then, and so the pipe: what
# was found is taken for not found. A script of ours reads from a file or <(...), or uses sed, which reads to the end.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"

# early_readers FILE...: the lines with such a pipe.
early_readers() {
	grep -nHE '[^|]\|[[:space:]]*((e|f)?grep( -[A-Za-z]+)* (-[A-Za-z]*q|--quiet|-m)|head( |$))' "$@"
}

printf '%s\n' 'seq 9 | grep -q 1' 'seq 9 | grep -iqE 1' 'seq 9 |head -n 1' 'seq 9 | grep -v 2 | grep -m 1 3' |
	{ [ "$(early_readers - | wc -l)" -eq 4 ] || failed "what is looked for is not found"; }
scripts=()
while read -r file; do
	read -r first < "$file" || true
	if [[ $first == '#!/bin/bash' || $file == *.sh ]]; then scripts+=("$file"); fi
done < <(find "$root"/{image,kconfig,qemu,tests,workloads} -type f ! -name "$(basename "$0")")
[ ${#scripts[@]} -gt 20 ] || failed "only ${#scripts[@]} scripts were found"
# These say what becomes of the writer.
! early_readers "${scripts[@]}" | grep -vE '\|\| true; \}' || failed "pipes that may fail, above"
