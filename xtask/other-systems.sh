#!/usr/bin/env bash
# Lints the product for Windows and macOS, which this machine can't run.
#
#   xtask/other-systems.sh            what is missing is an error
#   xtask/other-systems.sh --install  adds the targets with rustup, and Zig, a C compiler for all systems, under target/ with pip
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/target/tools/zig
targets=(x86_64-pc-windows-gnu:x86_64-windows-gnu aarch64-apple-darwin:aarch64-macos)

if [ "${1-}" = --install ]; then
  rustup target add "${targets[@]%%:*}"
  "$tools/bin/python3" -m ziglang version >/dev/null 2>&1 || {
    python3 -m venv "$tools"
    "$tools/bin/python3" -m pip install --quiet ziglang==0.17.0
  }
fi

for target in "${targets[@]}"; do
  # Build scripts name the target as clang does, which Zig does not know.
  compiler=$tools/cc-${target%%:*}
  cat >"$compiler" <<END
#!/bin/sh
for word do
  shift
  case \$word in
  --target=* | -mmacosx-version-min=*) ;;
  *) set -- "\$@" "\$word" ;;
  esac
done
exec "$tools/bin/python3" -m ziglang cc -target ${target##*:} "\$@"
END
  chmod +x "$compiler"
  name=CC_${target%%:*}
  # Only Apple's own tools could tell where the headers of the system are. Zig has its own.
  env SDKROOT=/ "${name//-/_}=$compiler" cargo clippy --locked --target "${target%%:*}" \
    -p bot-cli -p bot-cli-plugin -p bot-cli-init -p bot-cli-dev -p bot-cli-cloud -p bot-cli-vault -p bot-cli-secrets-kubernetes -- -D warnings
done
