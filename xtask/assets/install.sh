#!/bin/sh
# Installs bot-cli from an archive: `sh install.sh --help`.
set -euf
umask 022
export LC_ALL=C

usage() {
    cat <<'END'
Usage: sh install.sh [--prefix FOLDER] [SOURCE]
       sh install.sh [--prefix FOLDER] --uninstall

Installs bot-cli from an archive, after comparing its SHA-256 sum. Run it again
to upgrade, or if it was interrupted; files that you have changed are replaced.

  SOURCE           a folder with the archive and SHA256SUMS, or its address
                   [default: the folder of this script]

  --prefix FOLDER  install below this folder [default: ~/.local]
  --uninstall      remove what this script has installed
  --help           print this help

Needs tar, gzip, and one of sha256sum, shasum and openssl; for an address, curl
or wget.
END
}

fail() {
    printf 'error: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# What a shell reads as this one word.
quoted() {
    case $1 in
    *[!A-Za-z0-9/._+-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
    esac
}

# The kinds of archives for this machine, the best first: static executables serve every Linux.
targets() {
    case $(uname -m) in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no archive for $(uname -m) machines" ;;
    esac
    case $(uname -s) in
    Linux) printf '%s\n' "$machine-unknown-linux-musl" "$machine-unknown-linux-gnu" ;;
    Darwin) echo "$machine-apple-darwin" ;;
    *) fail "there is no archive for $(uname -s)" ;;
    esac
}

sum_of() {
    if has sha256sum; then
        sha256sum <"$1"
    elif has shasum; then
        shasum -a 256 <"$1"
    else
        openssl dgst -sha256 -r <"$1"
    fi | cut -d ' ' -f 1
}

# fetch NAME: copies a file of the source into the work folder.
fetch() {
    case $source in
    http://*) fail "$source could be changed on its way" "use https" ;;
    https://*)
        if has curl; then
            curl -fsSL --proto =https "$source/$1" -o "$work/$1"
        elif has wget; then
            wget -q -O "$work/$1" "$source/$1"
        else
            fail "neither curl nor wget is installed"
        fi
        ;;
    *) cp "$source/$1" "$work/$1" ;;
    esac || fail "could not get $source/$1"
}

# unpack: gets the archive for this machine, and unpacks it if it is the one that was released.
unpack() {
    fetch SHA256SUMS
    targets=$(targets)
    archive=$(for target in $targets; do
        sed -n "s/^[0-9a-f]*  \(bot-cli-[0-9][^/]*-$target\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS"
    done | head -n 1)
    [ -n "$archive" ] || fail "$source has no archive for this kind of machine"
    fetch "$archive"
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
    actual=$(sum_of "$work/$archive")
    [ "$actual" = "$expected" ] ||
        fail "$archive is not the file that was released: its sum is $actual, not $expected" "download it again"
    gzip -dc "$work/$archive" >"$work/tar" && tar -xf "$work/tar" -C "$work" || fail "could not unpack $archive"
    new=$work/${archive%.tar.gz}
    version=$("$new/bin/bot-cli" --version) ||
        fail "bot-cli does not run below $prefix on this machine" "name another folder with --prefix"
    (cd "$new" && find bin share -type f | sort) >"$work/wanted"
}

# check_places: no file of somebody else is in the way.
check_places() {
    conflicts=''
    while read -r file; do
        [ ! -e "$prefix/$file" ] && [ ! -L "$prefix/$file" ] || grep -qxF "$file" "$work/known" ||
            conflicts=$conflicts${conflicts:+, }$prefix/$file
    done <"$work/wanted"
    [ -z "$conflicts" ] || fail "these files are not of this script: $conflicts" "move them away, or use --prefix"
}

# put FILE PATH: by one renaming on one file system.
put() {
    mkdir -p "$prefix/${2%/*}" && mv -f "$1" "$prefix/$2" || fail "could not write $prefix/$2"
}

# remove PATH: and the folders that are empty then.
remove() {
    rm -f "$prefix/$1" || fail "could not remove $prefix/$1"
    folder=${1%/*}
    while rmdir "$prefix/$folder" 2>/dev/null; do
        case $folder in */*) folder=${folder%/*} ;; *) break ;; esac
    done
}

install() {
    if [ -z "$source" ]; then
        case $0 in */install.sh) source=${0%/*} ;; install.sh) source=. ;; *) source='@SOURCE@' ;; esac
        [ -n "$source" ] || fail "no archive is named" "sh install.sh --help"
    fi
    has sha256sum || has shasum || has openssl || fail "none of sha256sum, shasum and openssl is installed"
    unpack
    check_places
    # Until all of it is done, the files of either version are this script's.
    sort -u "$work/known" "$work/wanted" >"$work/both"
    cp "$work/both" "$work/record"
    put "$work/record" "$record"
    while read -r file; do
        put "$new/$file" "$file"
    done <"$work/wanted"
    grep -vxF -f "$work/wanted" "$work/both" >"$work/old" || :
    while read -r file; do
        remove "$file"
    done <"$work/old"
    put "$work/wanted" "$record"
    tell
}

uninstall() {
    [ -f "$prefix/$record" ] || fail "this script has installed nothing below $prefix"
    while read -r file; do
        remove "$file"
    done <"$work/known"
    remove "$record"
    echo "bot-cli is no longer below $prefix; settings, secrets and plugins stay in the folders of their own"
}

tell() {
    echo "$version is in $prefix/bin"
    host=$(quoted "$prefix/bin/bot-cli")
    found=$(command -v bot-cli || :)
    case :$PATH: in
    *":$prefix/bin:"*)
        if [ "$found" = "$prefix/bin/bot-cli" ]; then
            host=bot-cli
        else
            echo "note: \`bot-cli\` runs $found, which is earlier on PATH"
        fi
        ;;
    *)
        echo "note: $prefix/bin is not on PATH; this line in the profile of your shell adds it:"
        echo "  export PATH=$(quoted "$prefix/bin"):\"\$PATH\""
        ;;
    esac
    case ${SHELL:-} in
    */zsh)
        echo "note: zsh completes after this line, before \`compinit\`, in ~/.zshrc:"
        echo "  fpath+=($(quoted "$prefix/share/zsh/site-functions"))"
        ;;
    esac
    echo "next: $host init quickstart"
}

main() {
    prefix=${HOME:-}/.local
    record=share/doc/bot-cli/installed-files
    act=install source=''
    while [ $# -gt 0 ]; do
        case $1 in
        --help | -h) usage && exit ;;
        --uninstall) act=uninstall ;;
        --prefix)
            [ -n "${2:-}" ] || fail "$1 needs a value" "sh install.sh --help"
            prefix=${2%/}
            shift
            ;;
        -*) fail "there is no option $1" "sh install.sh --help" ;;
        *)
            [ -z "$source" ] || fail "there are two sources, $source and $1"
            source=${1%/}
            ;;
        esac
        shift
    done
    case $prefix in
    /.local) fail "HOME is not set" "name a folder with --prefix" ;;
    '' | /*) ;;
    *) prefix=$PWD/$prefix ;;
    esac
    # Below the prefix, so that a file is put into its place by renaming it.
    work=$prefix/.bot-cli-installation
    made=''
    [ -d "$prefix" ] || made=$prefix
    trap 'rm -rf "$work"; [ -z "$made" ] || rmdir "$made" 2>/dev/null || :' EXIT
    trap 'exit 1' HUP INT PIPE TERM
    rm -rf "$work" && mkdir -p "$work" || fail "could not write to $prefix"
    cat "$prefix/$record" >"$work/known" 2>/dev/null || :
    $act
}

main "$@"
