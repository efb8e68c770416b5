#!/bin/sh
# Installs bot-cli from an archive, whole or not at all: `sh install.sh --help`.
set -euf
umask 022

usage() {
    cat <<'END'
Usage: sh install.sh [OPTIONS] [SOURCE]
       sh install.sh --uninstall [--prefix FOLDER]

Installs bot-cli from an archive, after comparing its SHA-256 sum. Either
everything is installed, or nothing has changed.

  SOURCE           an archive, a folder with one, or the address of either
                   [default: the folder of this script]; the file SHA256SUMS
                   must be beside the archive

  --prefix FOLDER  install below this folder [default: ~/.local]
  --sha256 SUM     the sum that the archive must have, instead of SHA256SUMS;
                   a SHA256SUMS from the same place can't show that both were
                   replaced
  --replace        replace files that this script has not installed
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

# fetch ADDRESS FILE
fetch() {
    if has curl; then
        case $1 in
        https:*) curl -fsSL --proto =https "$1" -o "$2" ;;
        *) curl -fsS "$1" -o "$2" ;;
        esac
    elif has wget; then
        wget -q -O "$2" "$1"
    else
        fail "neither curl nor wget is installed"
    fi || fail "could not download $1"
}

# The archive of this machine in a list of sums.
named_in() {
    for target in $targets; do
        sed -n "s/^[0-9a-f]*  \(bot-cli-[0-9][^/]*-$target\.tar\.gz\)\$/\1/p" "$1"
    done | head -n 1
}

# obtain SOURCE: puts the archive, and the sums that are beside it, into the stage.
obtain() {
    has sha256sum || has shasum || has openssl || fail "none of sha256sum, shasum and openssl is installed"
    targets=$(targets)
    case $1 in
    http://127.0.0.1[:/]* | http://localhost[:/]* | https://*) ;;
    http://*) [ -n "$expected" ] || fail "$1 could be changed on its way" "use https, or give the sum with --sha256" ;;
    esac
    case $1 in
    http://*.tar.gz | https://*.tar.gz)
        archive=${1##*/}
        fetch "$1" "$stage/$archive"
        [ -n "$expected" ] || fetch "${1%/*}/SHA256SUMS" "$stage/SHA256SUMS"
        ;;
    http://* | https://*)
        fetch "${1%/}/SHA256SUMS" "$stage/SHA256SUMS"
        archive=$(named_in "$stage/SHA256SUMS")
        [ -n "$archive" ] || fail "$1 has no archive for this kind of machine"
        fetch "${1%/}/$archive" "$stage/$archive"
        ;;
    *)
        [ -e "$1" ] || fail "there is no file or folder $1"
        folder=$1
        if [ -d "$1" ]; then
            [ -f "$1/SHA256SUMS" ] || fail "$1 has no SHA256SUMS" "sh install.sh --help"
            archive=$(named_in "$1/SHA256SUMS")
            [ -n "$archive" ] || fail "$1 has no archive for this kind of machine"
        else
            archive=$(basename "$1")
            folder=$(dirname "$1")
        fi
        cp "$folder/$archive" "$stage/$archive" || fail "could not read $folder/$archive"
        if [ -z "$expected" ]; then
            cp "$folder/SHA256SUMS" "$stage/SHA256SUMS" 2>/dev/null ||
                fail "SHA256SUMS is not beside $archive" "give the sum with --sha256"
        fi
        ;;
    esac
}

# check: the archive is the one that the sums are of, and everything in it is in one folder.
check() {
    if [ -z "$expected" ]; then
        expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$stage/SHA256SUMS")
        [ -n "$expected" ] || fail "SHA256SUMS does not name $archive"
    fi
    actual=$(sum_of "$stage/$archive")
    [ "$actual" = "$expected" ] ||
        fail "$archive is not the file that was released: its sum is $actual, not $expected" "download it again"
    top=${archive%.tar.gz}
    gzip -dc "$stage/$archive" >"$stage/archive.tar" || fail "$archive can't be unpacked"
    if tar -tf "$stage/archive.tar" | grep -qvE "^$top/|^$top\$" || tar -tf "$stage/archive.tar" | grep -qE '(^|/)\.\.(/|$)'; then
        fail "$archive has files outside of $top"
    fi
    tar -xf "$stage/archive.tar" -C "$stage" || fail "$archive can't be unpacked"
    mv "$stage/$top" "$stage/new"
    version=$("$stage/new/bin/bot-cli" --version 2>/dev/null) || fail "$archive is for another kind of machine"
}

# Names may have spaces: one on each line, and IFS is a line end wherever a list is read.
files_of() { (cd "$1" && find bin share -type f | LC_ALL=C sort); }

# Puts everything into place; `undo` takes it back from any moment on.
install() {
    mkdir -p "$stage/new/${record%/*}"
    files=$(files_of "$stage/new"; echo "$record")
    printf '%s\n' "$files" >"$stage/new/$record"
    conflicts=
    for file in $files; do
        if [ -d "$prefix/$file" ]; then
            fail "$prefix/$file is a folder"
        elif { [ -e "$prefix/$file" ] || [ -L "$prefix/$file" ]; } && ! is_ours "$file"; then
            conflicts="$conflicts $prefix/$file"
        fi
    done
    [ -z "$conflicts" ] || [ "$replaces" = yes ] ||
        fail "these files are not of this script:$conflicts" "--replace replaces them"
    if [ -f "$prefix/$record" ]; then
        cp "$prefix/$record" "$stage/former"
    fi
    for file in $files; do
        make_folder "${file%/*}"
        touch_file "$file"
        mv "$stage/new/$file" "$prefix/$file" || fail "could not write $prefix/$file"
    done
    # What only the former version had.
    if [ -f "$stage/former" ]; then
        while read -r file; do
            printf '%s\n' "$files" | grep -qxF "$file" || touch_file "$file"
        done <"$stage/former"
    fi
    echo yes >"$stage/complete"
}

is_ours() { [ -f "$prefix/$record" ] && grep -qxF "$1" "$prefix/$record"; }

# make_folder PATH: with those above it, which `undo` removes again.
make_folder() {
    if [ ! -d "$prefix/$1" ]; then
        case $1 in */*) make_folder "${1%/*}" ;; esac
        echo "$1" >>"$stage/folders"
        mkdir "$prefix/$1" || fail "could not create $prefix/$1"
    fi
}

# touch_file PATH: moves a file that is there into the stage.
touch_file() {
    echo "$1" >>"$stage/touched"
    if [ -e "$prefix/$1" ] || [ -L "$prefix/$1" ]; then
        case $1 in */*) mkdir -p "$stage/old/${1%/*}" ;; esac
        mv "$prefix/$1" "$stage/old/$1" || fail "could not replace $prefix/$1"
    fi
}

# Takes back what a run has begun, this one's or that of one that was killed.
undo() {
    [ ! -d "$stage" ] || [ -f "$stage/complete" ] || {
        if [ -f "$stage/touched" ]; then
            while read -r file; do
                if [ -e "$stage/old/$file" ] || [ -L "$stage/old/$file" ]; then
                    mv -f "$stage/old/$file" "$prefix/$file"
                elif [ ! -e "$stage/new/$file" ]; then
                    rm -f "$prefix/$file"
                fi
            done <"$stage/touched"
        fi
        if [ -f "$stage/folders" ]; then
            sed '1!G;h;$!d' "$stage/folders" | while read -r folder; do rmdir "$prefix/$folder" 2>/dev/null || :; done
        fi
    }
    rm -rf "$stage"
    [ -z "$made_prefix" ] || rmdir "$prefix" 2>/dev/null || :
}

# The stage is in the prefix, so that files are moved and not copied, and it keeps a second run out.
begin() {
    made_prefix=
    [ -d "$prefix" ] || made_prefix=yes
    mkdir -p "$prefix" || fail "could not create $prefix"
    if [ -d "$stage" ]; then
        other=$(cat "$stage/process" 2>/dev/null || :)
        if [ -n "$other" ] && kill -0 "$other" 2>/dev/null; then
            fail "another installation into $prefix is running, as process $other"
        fi
        [ ! -f "$stage/made-prefix" ] || made_prefix=yes
        undo
        mkdir -p "$prefix"
    fi
    mkdir "$stage" || fail "could not write to $prefix"
    trap 'undo' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    echo $$ >"$stage/process"
    [ -z "$made_prefix" ] || : >"$stage/made-prefix"
}

uninstall() {
    [ -f "$prefix/$record" ] || fail "this script has installed nothing below $prefix"
    # The list goes last: what fails can be tried again.
    while read -r file; do
        [ "$file" = "$record" ] || rm -f "$prefix/$file" || fail "could not remove $prefix/$file"
    done <"$prefix/$record"
    folders=$(while read -r file; do echo "${file%/*}"; done <"$prefix/$record" | LC_ALL=C sort -ru)
    rm -f "$prefix/$record" || fail "could not remove $prefix/$record"
    for folder in $folders; do
        while rmdir "$prefix/$folder" 2>/dev/null; do
            case $folder in */*) folder=${folder%/*} ;; *) break ;; esac
        done
    done
    echo "bot-cli is no longer below $prefix; settings, secrets and plugins stay in the folders of their own"
}

tell() {
    echo "$version is in $prefix/bin"
    host=bot-cli
    case :$PATH: in
    *":$prefix/bin:"*)
        found=$(command -v bot-cli || :)
        if [ "$found" != "$prefix/bin/bot-cli" ]; then
            echo "note: \`bot-cli\` runs another one, $found, which is earlier on PATH"
            host=$prefix/bin/bot-cli
        fi
        ;;
    *)
        echo "note: $prefix/bin is not on PATH; this line in the profile of your shell adds it:"
        echo "  export PATH=\"$prefix/bin:\$PATH\""
        host=$prefix/bin/bot-cli
        ;;
    esac
    case ${SHELL:-} in
    */zsh)
        echo "note: zsh completes after this line, before \`compinit\`, in ~/.zshrc:"
        echo "  fpath+=(\"$prefix/share/zsh/site-functions\")"
        ;;
    esac
    echo "next: $host init quickstart"
}

main() {
    prefix=${HOME:-}/.local
    record=share/doc/bot-cli/installed-files
    expected='' replaces=no removes=no source=''
    while [ $# -gt 0 ]; do
        case $1 in
        --help | -h) usage && exit ;;
        --uninstall) removes=yes ;;
        --replace) replaces=yes ;;
        --prefix | --sha256)
            [ $# -gt 1 ] || fail "$1 needs a value" "sh install.sh --help"
            if [ "$1" = --prefix ]; then prefix=$2; else expected=$2; fi
            shift
            ;;
        -*) fail "there is no option $1" "sh install.sh --help" ;;
        *)
            [ -z "$source" ] || fail "there are two sources, $source and $1"
            source=$1
            ;;
        esac
        shift
    done
    case $prefix in
    /.local) fail "HOME is not set" "name a folder with --prefix" ;;
    /*) ;;
    *) prefix=$PWD/$prefix ;;
    esac
    IFS='
'
    stage=$prefix/.bot-cli-installation
    if [ "$removes" = yes ]; then
        uninstall
        return
    fi
    if [ -z "$source" ]; then
        case $0 in */install.sh) source=${0%/*} ;; install.sh) source=. ;; *) source='@SOURCE@' ;; esac
        [ -n "$source" ] || fail "no archive is named" "sh install.sh --help"
    fi
    begin
    obtain "$source"
    check
    install
    tell
}

main "$@"
