# SPDX-License-Identifier: GPL-2.0-or-later
# `make` alone prints what there is. V=1 shows every command.

VERSION := 0.1.0
B := build

MAKEFLAGS += --no-builtin-rules -j$(shell nproc)
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)')

.PHONY: help
help:
	@sed -n 's/^#: \?//p' Makefile

#: blitbench: how fast does a package store blit a whole /usr, on each filesystem, hot and cold, and why?
#:
#:   make run            build the image, boot it in QEMU with a virtual SATA SSD, bring the report home
#:                       (ARGS="rounds=2 workload=small" sets keys, qemu/run --help lists the options)
#:   make image          build/blitbench.img, to flash to a USB stick
#:   make usb DEVICE=... write it to a stick, which is shown and has to be named first; alone it lists the sticks
#:   make check          all tests; the last line counts them
#:   make check-unit     those that need no virtual machine
#:   make check-field    the same short run on virtual machines of all kinds: firmware, ports, disks, processors
#:   make check-faults   harms disks in all ways that are known and tells what came out, in an hour or two
#:                       (ARGS="--seed 7 --filter power-cuts", tests/faults/run --help lists the options)
#:   make bench          figures that are not tests: sizes, boot time, build time
#:   make sources        build/sources/: the corresponding sources, for whoever gets an image
#:   make update-sources refresh image/sources.lock from the Debian archives
#:   make clean          remove build/ (downloads and built parts stay in the cache)
#:
#: The first run installs missing Debian packages, as root or with sudo; without, it prints the line to run.
#: DISTFILES=dir takes the sources from a folder, BLITBENCH_CACHE=dir keeps the cache elsewhere.
#: KERNEL_IMAGE=file puts that kernel (a bzImage) into the image instead of the one that is built here; KERNEL_SRC=dir builds one from
#: that source of Linux, with the same configuration and outside of the folder.

.PHONY: run image usb check check-unit check-field check-faults bench sources update-sources clean packages

run: image
	$(Q)qemu/run $(ARGS)

image: $(B)/blitbench.img

packages:
	$(Q)image/install-packages

# --- the program --------------------------------------------------------------------------------------------------

warnings := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
common := -std=gnu11 -D_GNU_SOURCE -DBLITBENCH_VERSION='"$(VERSION)"' -Iinit -MMD -MP $(warnings)
libraries := -larchive -lxxhash -lfdisk -lblkid -luuid -ljansson -linih -lzstd -llzma -lz -lm

sources_c := $(sort $(wildcard init/*.c init/*/*.c))
objects := $(sources_c:%.c=$(B)/static/%.o)
musl_gcc := $(B)/sysroot/bin/musl-gcc
recipes := $(wildcard image/recipes/*)

$(B)/sysroot.stamp: image/build-static image/fetch-sources image/lib.sh image/sources.lock $(recipes) | packages
	$(Q)image/build-static
	$(Q)touch $@

$(B)/static/%.o: %.c $(B)/sysroot.stamp Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(musl_gcc) -O2 -g0 -ffile-prefix-map=$(CURDIR)=. $(common) -c $< -o $@

$(B)/blitbench: $(objects)
	$(call say,LINK,$@)
	$(Q)$(musl_gcc) -static -s -Wl,--build-id=none -L$(B)/sysroot/lib $^ $(libraries) -o $@
	$(Q)if readelf -lW $@ | grep -q INTERP; then echo "$@ is not static" >&2; rm $@; exit 1; fi

# --- the image ----------------------------------------------------------------------------------------------------

fragments := $(sort $(wildcard kconfig/*.config))

# Another kernel takes the built one's place; of one that is given ready its configuration is not known. Which one it was is kept, so
# that the next make without the word, or with another, takes the right one again. Of a source only its own makefiles know what has
# changed, so those are always asked.
ifneq ($(and $(KERNEL_IMAGE),$(KERNEL_SRC)),)
$(error KERNEL_IMAGE and KERNEL_SRC both name a kernel: give one of them)
endif
kernel_choice := $(KERNEL_IMAGE)$(if $(KERNEL_SRC),source $(KERNEL_SRC))
ifneq ($(kernel_choice),$(shell cat $(B)/kernel.choice 2> /dev/null))
$(B)/vmlinuz: kernel-asked-for
endif
ifdef KERNEL_SRC
$(B)/vmlinuz: kernel-asked-for
endif
.PHONY: kernel-asked-for

$(B)/vmlinuz: image/build-kernel image/lib.sh image/sources.lock kconfig/check $(fragments) $(KERNEL_IMAGE) | packages
	$(Q)image/build-kernel $(KERNEL_SRC)
	$(if $(KERNEL_IMAGE),$(Q)cp $(KERNEL_IMAGE) $@ && rm -f $(B)/kernel.config)
	$(Q)echo $(kernel_choice) > $(B)/kernel.choice
	$(if $(KERNEL_SRC),,$(Q)touch $@)

$(B)/initramfs.cpio.zst: $(B)/blitbench $(B)/vmlinuz image/make-initramfs image/initramfs.list image/sources.lock \
		$(wildcard workloads/profiles/*) workloads/small.mtree.zst workloads/small-nano.mtree.zst
	$(call say,PACK,$@)
	$(Q)image/make-initramfs

$(B)/blitbench.efi: $(B)/vmlinuz $(B)/initramfs.cpio.zst $(B)/sysroot.stamp image/make-unified image/cmdline image/os-release
	$(call say,UNIFY,$@)
	$(Q)image/make-unified

$(B)/blitbench.conf: $(B)/blitbench
	$(Q)$< plan --print-conf > $@

# Too large for the initramfs, and found on BLITRESULTS by name.
large_workloads := $(foreach name,server server-nano desktop desktop-nano,workloads/$(name).mtree.zst)

$(B)/blitbench.img: $(B)/blitbench.efi $(B)/blitbench.conf image/make-disk image/cmdline \
		image/stick-readme.txt $(large_workloads)
	$(call say,DISK,$@)
	$(Q)image/make-disk $(large_workloads:%=--workload %)

# Make and shell see no part of what a person writes as their own.
usb: export DEVICE := $(value DEVICE)
usb: export SIGN_KEY := $(value SIGN_KEY)
usb: export SIGN_CERT := $(value SIGN_CERT)
usb: image
	$(Q)image/flash-usb $(if $(FORCE),--force) $(large_workloads:%=--workload %) -- "$$DEVICE"

sources: packages
	$(Q)image/gather-sources

update-sources: packages
	$(Q)image/update-sources

# --- tests --------------------------------------------------------------------------------------------------------

# Built for the host with sanitizers, against its own libraries: no sysroot is needed.
host_objects := $(patsubst %.c,$(B)/host/%.o,$(filter-out init/main.c,$(sources_c)))
unit_tests := $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
sanitize := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

$(B)/host/%.o: %.c Makefile | packages
	$(call say,CC,$< (sanitized))
	$(Q)mkdir -p $(@D)
	$(Q)gcc -O1 -g $(sanitize) $(common) -c $< -o $@

# A test that stands in for the kernel takes the place of the function that writes to it.
$(B)/unit/test_hold: replaced := -Wl,--wrap=sysfs_write
$(B)/unit/test_results: replaced := -Wl,--wrap=syncfs
comma := ,
wraps = $(addprefix -Wl$(comma)--wrap=,$(1))
$(B)/unit/test_save: replaced := $(call wraps,mount fdatasync fat_check devices_scan devices_free nanosleep)
# Nor does one wait for what it can have at once (tests/unit/skipping_clock.h).
$(B)/unit/test_quiet $(B)/unit/test_sensors: replaced := $(call wraps,clock_gettime nanosleep)
$(B)/unit/test_lib: replaced := $(call wraps,clock_gettime nanosleep poll sysfs_slurp)
$(B)/unit/test_filesystem: replaced := $(call wraps,clock_gettime nanosleep poll)
$(B)/unit/test_boot: replaced := $(call wraps,poll sync reboot)

$(B)/unit/%: $(B)/host/tests/unit/%.o $(host_objects)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)gcc $(sanitize) $(replaced) $^ -lcmocka $(libraries) -lpthread -o $@

check-unit: $(unit_tests)
	$(Q)tests/run unit

check: $(unit_tests) image
	$(Q)BLITBENCH_THOROUGH=1 tests/run all

check-field: image
	$(Q)tests/run field

check-faults: image
	$(Q)tests/faults/run $(ARGS)

bench: image
	$(Q)tests/bench/run

clean:
	$(Q)rm -rf $(B)

-include $(shell find $(B)/static $(B)/host -name '*.d' 2>/dev/null)
