#!/usr/bin/env bash
# Builds a real kube-apiserver under target/kubernetes, from Debian's source package, with what Debian itself builds with.
#
#   tests/kubernetes/api_server.sh          build what is missing, and say where it is
#   tests/kubernetes/api_server.sh --check  say whether it is there; status 1 when it is not
#
# Nothing is installed: every package is unpacked under target/kubernetes. It takes about ten minutes of one processor, 100 MB
# of downloads, and 3 GB on the disk while it builds; 180 MB stay. `cargo e2e kubernetes` starts what this script has built.
set -euo pipefail

cd "$(dirname "$0")/../.."
root=${CARGO_TARGET_DIR:-$PWD/target}/kubernetes
mkdir -p "$root"
root=$(cd "$root" && pwd)

# The source package; the server's version follows from it.
suite=bookworm
version=1.20.5+really1.20.2-1.1+deb12u1
server=v1.20.2

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $1"; say "hint: $2"; exit 1; }

there() { test -x "$root/kube-apiserver" && test -x "$root/etcd"; }

case "${1-}" in
  "") ;;
  --check)
    if there; then say "$root/kube-apiserver"; exit 0; fi
    say "no API server is built; \`tests/kubernetes/api_server.sh\` builds one"
    exit 1
    ;;
  *) fail "unknown option" "without an option the API server is built; \`--check\` says whether it is there" ;;
esac

if there; then
  say "already built: $root/kube-apiserver"
  exit 0
fi

for program in apt-get dpkg-deb dpkg-source make gcc; do
  command -v "$program" >/dev/null || fail "\`$program\` is not on PATH" "this needs Debian or a relative of it, with \`apt-get install dpkg-dev make gcc\`"
done
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
test -r "$keyring" || fail "\`$keyring\` is missing" "install it with \`apt-get install debian-archive-keyring\`"

# A package manager of its own: its own lists, its own sources, nothing of this machine's.
say "looking for the packages of Debian $suite"
apt=$root/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
for kind in deb deb-src; do
  echo "$kind [signed-by=$keyring] $mirror $suite main"
done >"$apt/sources.list"
own=(-q -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$apt/lists"
  -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User= -o Acquire::Languages=none)
apt-get "${own[@]}" update >&2

say "downloading"
work=$root/build
rm -rf "$work"
mkdir -p "$work/packages" "$work/tools"
(
  cd "$work/packages"
  apt-get "${own[@]}" download golang-1.19-go golang-1.19-src golang-github-modern-go-reflect2-dev etcd-server rsync libpopt0 libxxhash0 >&2
  for package in *.deb; do
    dpkg-deb -x "$package" "$work/tools"
  done
)
(
  cd "$work"
  # The signature was checked with the lists; the source's own is of a developer whose key few machines have.
  apt-get "${own[@]}" source --download-only "kubernetes=$version" >&2
  dpkg-source --no-check -x kubernetes_*.dsc source >&2
)

say "building kube-apiserver $server, which takes about ten minutes"
tools=$work/tools/usr
libraries=$(dirname "$(find "$tools/lib" -name 'libpopt.so.0' | head -n 1)")
mkdir -p "$work/bin" "$work/go/src/k8s.io"
# For rsync alone: the other programs have their libraries.
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "'$libraries'" "'$tools/bin/rsync'" >"$work/bin/rsync"
chmod +x "$work/bin/rsync"
ln -s "$work/source" "$work/go/src/k8s.io/kubernetes"
# The bundled one reads the runtime of newer Go wrongly, and the server crashes after some seconds.
reflect=vendor/github.com/modern-go/reflect2
rm -rf "${work:?}/source/$reflect"
cp -R "$tools/share/gocode/src/github.com/modern-go/reflect2" "$work/source/$reflect"
cat >"$work/version" <<END
KUBE_GIT_COMMIT='debian'
KUBE_GIT_TREE_STATE='archive'
KUBE_GIT_VERSION='$server'
KUBE_GIT_MAJOR='1'
KUBE_GIT_MINOR='20'
END
goroot=$tools/lib/go-1.19
(
  cd "$work/go/src/k8s.io/kubernetes"
  # Without the clients of cloud providers, which nothing here uses and which take most of the time.
  export GOROOT=$goroot GOPATH=$work/go GOCACHE=$work/cache GO111MODULE=off GOFLAGS=-tags=providerless CGO_ENABLED=0 KUBE_GIT_VERSION_FILE=$work/version
  PATH=$work/bin:$goroot/bin:$PATH nice -n 15 make WHAT=cmd/kube-apiserver GOLDFLAGS="-s -w" >"$root/build.log" 2>&1
) || fail "the build failed" "its output is in $root/build.log"

# Whole or not at all.
built=$(find "$work/source/_output" -type f -name kube-apiserver | head -n 1)
cp "$built" "$root/kube-apiserver.new"
cp "$tools/bin/etcd" "$root/etcd.new"
mv "$root/etcd.new" "$root/etcd"
mv "$root/kube-apiserver.new" "$root/kube-apiserver"
chmod -R u+w "$work"
rm -rf "$work" "$apt"
say "built: $root/kube-apiserver"
