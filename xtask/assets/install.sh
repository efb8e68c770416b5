#!/bin/sh
# Installs bot-cli from an archive: `sh install.sh --help`.
set -euf
umask 022
export LC_ALL=C

usage() {
    cat <<'END'
Usage: sh install.sh [OPTIONS] [SOURCE]
       sh install.sh --uninstall [--prefix FOLDER]

Installs bot-cli from an archive, after comparing its SHA-256 sum. A run that is
interrupted while it replaces files is completed by the next one; one that was
killed leaves a folder, which the next one names: remove it first.

  SOURCE           an archive, a folder with one, or the address of either
                   [default: the folder of this script]; the file SHA256SUMS
                   must be beside the archive

  --prefix FOLDER  install below this folder [default: ~/.local]
  --replace        replace files that this script has not installed, or that
                   were changed since
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

# attempt PROBLEM COMMAND…: fails with the problem and what the command says about it.
attempt() {
    problem=$1
    shift
    said=$("$@" 2>&1 >/dev/null) || {
        # `tar` has more to say about a full disk before it names it.
        cause=$(printf '%s\n' "$said" | grep 'No space left' || printf '%s\n' "$said" | grep . || :)
        fail "$problem${cause:+: $(printf '%s\n' "$cause" | head -n 1)}"
    }
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

# fetch ADDRESS FILE
fetch() {
    if has curl; then
        case $1 in
        https:*) attempt "could not download $1" curl -fsSL --proto =https "$1" -o "$2" ;;
        *) attempt "could not download $1" curl -fsS "$1" -o "$2" ;;
        esac
    elif has wget; then
        attempt "could not download $1" wget -q -O "$2" "$1"
    else
        fail "neither curl nor wget is installed"
    fi
}

# The archive of this machine in a list of sums.
named_in() {
    for target in $targets; do
        sed -n "s/^[0-9a-f]*  \(bot-cli-[0-9][^/]*-$target\.tar\.gz\)\$/\1/p" "$1"
    done | head -n 1
}

# obtain SOURCE: puts the archive, and the sums that are beside it, into the work folder.
obtain() {
    targets=$(targets)
    case $1 in
    http://127.0.0.1[:/]* | http://localhost[:/]* | https://*) ;;
    http://*) fail "$1 could be changed on its way" "use https" ;;
    esac
    case $1 in
    http://*.tar.gz | https://*.tar.gz)
        archive=${1##*/}
        fetch "$1" "$work/$archive"
        fetch "${1%/*}/SHA256SUMS" "$work/SHA256SUMS"
        ;;
    http://* | https://*)
        fetch "${1%/}/SHA256SUMS" "$work/SHA256SUMS"
        archive=$(named_in "$work/SHA256SUMS")
        [ -n "$archive" ] || fail "$1 has no archive for this kind of machine"
        fetch "${1%/}/$archive" "$work/$archive"
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
        attempt "could not copy $folder/$archive" cp "$folder/$archive" "$work/$archive"
        [ -f "$folder/SHA256SUMS" ] || fail "SHA256SUMS is not beside $archive" "download it, too"
        attempt "could not copy $folder/SHA256SUMS" cp "$folder/SHA256SUMS" "$work/SHA256SUMS"
        ;;
    esac
}

# check: unpacks the archive if it is the one that the sums are of, and everything in it is in one folder.
check() {
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
    [ -n "$expected" ] || fail "SHA256SUMS does not name $archive" "give it the name that it was published with"
    actual=$(sum_of "$work/$archive")
    [ "$actual" = "$expected" ] ||
        fail "$archive is not the file that was released: its sum is $actual, not $expected" "download it again"
    attempt "could not unpack $archive" unzip "$work/$archive" "$work/tar"
    attempt "could not unpack $archive" list_members
    top=$(cut -d / -f 1 "$work/members" | sort -u)
    case $top in
    '' | . | .. | *"$line_end"*) fail "$archive has files outside of its folder" ;;
    esac
    ! grep -qE '/\.\.(/|$)' "$work/members" || fail "$archive has files outside of its folder"
    mkdir "$work/unpacked"
    attempt "could not unpack $archive" tar -xf "$work/tar" -C "$work/unpacked"
    attempt "could not unpack $archive" mv "$work/unpacked/$top" "$work/new"
    [ -f "$work/new/bin/bot-cli" ] || fail "$archive has no bin/bot-cli"
    version=$("$work/new/bin/bot-cli" --version 2>&1) || case $version in
    *[Pp]'ermission denied'*) fail "programs below $prefix can't be run: permission denied" \
        "name another folder with --prefix" ;;
    *) fail "$archive is for another kind of machine" ;;
    esac
}

unzip() { gzip -dc "$1" >"$2"; }

list_members() { tar -tf "$work/tar" >"$work/members"; }

is_there() { [ -e "$1" ] || [ -L "$1" ]; }

# has_sum FILE SUM
has_sum() {
    [ -f "$1" ] && [ ! -L "$1" ] || return 1
    found=$(sum_of "$1")
    [ -n "$found" ] || fail "could not read $1"
    [ "$found" = "$2" ]
}

# is_ours PATH: this script has installed the file, and nobody has changed it.
is_ours() {
    [ -f "$prefix/$record" ] && [ -f "$prefix/$1" ] && [ ! -L "$prefix/$1" ] || return 1
    [ "$1" = "$record" ] || grep -qxF "$(sum_of "$prefix/$1")  $1" "$prefix/$record"
}

# The files of the new version, each as `SUM  PATH`: these lines are also the record of what is installed.
list_new() {
    cd "$work/new"
    find bin share -type f | sort >"$work/names" || return
    while read -r file; do
        printf '%s  %s\n' "$(sum_of "$file")" "$file" || return
    done <"$work/names" >"$work/wanted"
    mkdir -p "${record%/*}" && cp "$work/wanted" "$record" &&
        printf '%s  %s\n' "$(sum_of "$record")" "$record" >>"$work/wanted"
}

# check_places: nothing is in the way of the files in `wanted`, or it may be replaced.
check_places() {
    conflicts=''
    while IFS=' ' read -r sum file; do
        place=$prefix/$file folder=$prefix/${file%/*}
        until [ -d "$folder" ]; do
            ! is_there "$folder" || fail "$folder is not a folder"
            folder=${folder%/*}
        done
        if [ -d "$place" ]; then
            fail "$place is a folder"
        elif is_there "$place"; then
            has_sum "$place" "$sum" || is_ours "$file" || conflicts=$conflicts${conflicts:+, }$place
        fi
    done <"$work/wanted"
    [ -z "$conflicts" ] || [ "$replaces" = yes ] ||
        fail "these files are not of this script: $conflicts" "--replace replaces them"
}

# put FILE PATH: by one renaming on one file system.
put() {
    attempt "could not create $prefix/${2%/*}" mkdir -p "$prefix/${2%/*}"
    attempt "could not write $prefix/$2" mv -f "$1" "$prefix/$2"
}

# remove PATH: and the folders that are empty then.
remove() {
    attempt "could not remove $prefix/$1" rm -f "$prefix/$1"
    folder=${1%/*}
    while rmdir "$prefix/$folder" 2>/dev/null; do
        case $folder in */*) folder=${folder%/*} ;; *) break ;; esac
    done
}

# remove_ours PATH: unless somebody has changed it. The record goes last.
remove_ours() {
    if [ "$1" = "$record" ]; then
        return
    elif is_there "$prefix/$1" && ! is_ours "$1"; then
        echo "note: $prefix/$1 stays, because it was changed"
    else
        remove "$1"
    fi
}

both_records() { cat "$prefix/$record" "$work/wanted" >"$work/both" 2>/dev/null || cp "$work/wanted" "$work/both"; }

apply() {
    # Until all of it is done, the files of either version are this script's.
    attempt "could not write to $work" both_records
    begun=yes
    put "$work/both" "$record"
    while IFS=' ' read -r sum file; do
        [ "$file" = "$record" ] || put "$work/new/$file" "$file"
    done <"$work/wanted"
    # What only the former version had.
    cut -c 67- "$prefix/$record" | sort -u >"$work/known"
    while read -r file; do
        cut -c 67- "$work/wanted" | grep -qxF "$file" || remove_ours "$file"
    done <"$work/known"
    put "$work/new/$record" "$record"
    begun=no
}

# own: one run at a time has the work folder.
own() {
    parents='' folder=$prefix
    until [ -d "$folder" ]; do
        parents=$parents$folder$line_end
        folder=$(dirname "$folder")
    done
    attempt "could not write to $prefix" mkdir -p "$prefix"
    [ ! -d "$work" ] || fail "another installation into $prefix is running, or was killed" \
        "if none is running: rm -r $(quoted "$work")"
    attempt "could not write to $prefix" mkdir "$work"
}

begin() {
    has sha256sum || has shasum || has openssl || fail "none of sha256sum, shasum and openssl is installed"
    own
    begun=no
    trap leave EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 141' PIPE
    trap 'exit 143' TERM
}

leave() {
    trap '' HUP INT PIPE TERM
    [ "$begun" = no ] || echo "note: some files below $prefix are replaced and some are not: run it again to complete it" >&2
    rm -rf "$work"
    for folder in $parents; do
        rmdir "$folder" 2>/dev/null || break
    done
}

install() {
    begin
    obtain "$1"
    check
    attempt "could not write to $work" list_new
    check_places
    apply
    tell
}

uninstall() {
    [ -f "$prefix/$record" ] || fail "this script has installed nothing below $prefix"
    begin
    begun=yes
    cut -c 67- "$prefix/$record" | sort -u >"$work/known"
    while read -r file; do
        remove_ours "$file"
    done <"$work/known"
    remove "$record"
    begun=no
    echo "bot-cli is no longer below $prefix; settings, secrets and plugins stay in the folders of their own"
}

tell() {
    echo "$version is in $prefix/bin"
    host=$(quoted "$prefix/bin/bot-cli")
    case :$PATH: in
    *":$prefix/bin:"* | *":$prefix/bin/:"*)
        found=$(command -v bot-cli || :)
        case $found in
        "$prefix/bin/bot-cli" | "$prefix/bin//bot-cli") host=bot-cli ;;
        *) echo "note: \`bot-cli\` runs another one, $found, which is earlier on PATH" ;;
        esac
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
    replaces=no removes=no source=''
    while [ $# -gt 0 ]; do
        case $1 in
        --help | -h) usage && exit ;;
        --uninstall) removes=yes ;;
        --replace) replaces=yes ;;
        --prefix)
            [ -n "${2:-}" ] || fail "$1 needs a value" "sh install.sh --help"
            prefix=$2
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
    line_end='
'
    # Names may have spaces: lists have one on each line.
    IFS=$line_end
    case $prefix in
    /.local) fail "HOME is not set" "name a folder with --prefix" ;;
    *"$line_end"*) fail "the name of $prefix has a line end" "name another folder with --prefix" ;;
    /*) ;;
    *) prefix=$PWD/$prefix ;;
    esac
    while [ "$prefix" != "${prefix%/}" ]; do prefix=${prefix%/}; done
    work=$prefix/.bot-cli-installation
    if [ "$removes" = yes ]; then
        uninstall
        return
    fi
    if [ -z "$source" ]; then
        case $0 in */install.sh) source=${0%/*} ;; install.sh) source=. ;; *) source='@SOURCE@' ;; esac
        [ -n "$source" ] || fail "no archive is named" "sh install.sh --help"
    fi
    install "$source"
}

main "$@"
