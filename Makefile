# The two commands, and a few for developers. Everything is done by `cargo xtask`.
PREFIX ?= /usr/local

.PHONY: demo test build install bench check clean

# Sets up, builds, and shows Toft at work on real files.
demo:
	@cargo xtask setup
	@cargo xtask demo

# Sets up, builds, and passes every test.
test:
	@cargo xtask setup
	@cargo xtask ci

build:
	cargo build --release

# Quick: formatting, lints, house rules.
check:
	@cargo xtask tidy

bench:
	@cargo xtask setup
	@cargo xtask bench

install: build
	install -d $(PREFIX)/bin $(PREFIX)/lib/toft/runtime
	install -m 755 target/release/toft $(PREFIX)/bin/toft
	install -m 644 target/release/libtoft_rt.a $(PREFIX)/lib/toft/
	install -m 644 runtime/include/*.h $(PREFIX)/lib/toft/runtime/
	cp -R lib $(PREFIX)/lib/toft/

clean:
	cargo clean
