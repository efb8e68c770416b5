#!/bin/sh
# Installs bot-cli from an archive, whole or not at all: `sh install.sh --help`.
set -euf
umask 022
export LC_ALL=C

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
    http://*) [ -n "$expected" ] || fail "$1 could be changed on its way" "use https, or give the sum with --sha256" ;;
    esac
    case $1 in
    http://*.tar.gz | https://*.tar.gz)
        archive=${1##*/}
        fetch "$1" "$work/$archive"
        [ -n "$expected" ] || fetch "${1%/*}/SHA256SUMS" "$work/SHA256SUMS"
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
        if [ -z "$expected" ]; then
            [ -f "$folder/SHA256SUMS" ] || fail "SHA256SUMS is not beside $archive" "give the sum with --sha256"
            attempt "could not copy $folder/SHA256SUMS" cp "$folder/SHA256SUMS" "$work/SHA256SUMS"
        fi
        ;;
    esac
}

# check: unpacks the archive if it is the one that the sums are of, and everything in it is in one folder.
check() {
    if [ -z "$expected" ]; then
        expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
        [ -n "$expected" ] || fail "SHA256SUMS does not name $archive" "give it the name that it was published with"
    fi
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

# Below the prefix, the stage keeps
#   owners     the processes that have worked here, the last of them now
#   parents    the folders that were made for the prefix
#   work       what was downloaded and unpacked
#   journal    what is about to change: as long as it is there, `undo` takes that back
#   committed  the journal of what is finished
# A new file waits beside its place, and the one that it replaces is kept beside it, so that each step is
# one renaming on one file system.
paths() {
    place=$prefix/$1
    fresh=$prefix/${1%/*}/.${1##*/}.bot-cli-new
    former=$prefix/${1%/*}/.${1##*/}.bot-cli-old
}

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

# plan: what is to be done for the files in `wanted`, in lines `folder - PATH`, `added SUM PATH` and `replaced SUM PATH`.
plan() {
    lines='' conflicts='' kept='' remedy='--replace replaces them'
    while IFS=' ' read -r sum file; do
        paths "$file"
        plan_folder "${file%/*}"
        kind=added
        if [ -d "$place" ]; then
            fail "$place is a folder"
        elif is_there "$place"; then
            kind=replaced
            has_sum "$place" "$sum" || is_ours "$file" || add_conflict
        fi
        lines=$lines"$kind $sum $file$line_end"
    done <"$work/wanted"
    [ -z "$conflicts" ] || [ "$replaces" = yes ] || fail "these files are not of this script: $conflicts" "$remedy"
    [ -f "$prefix/$record" ] || return 0
    # What only the former version had.
    while IFS=' ' read -r sum file; do
        if [ -z "$file" ] || cut -c 67- "$work/wanted" | grep -qxF "$file"; then
            continue
        elif is_ours "$file"; then
            lines=$lines"replaced - $file$line_end"
        elif is_there "$prefix/$file"; then
            kept=$kept"note: $prefix/$file stays, because it was changed$line_end"
        fi
    done <"$prefix/$record"
}

add_conflict() {
    what=$place
    if [ -L "$place" ]; then
        target=$(readlink "$place")
        what="$place (a link to $target)"
        case $target in
        */uv/tools/*/*) owner=${target#*/uv/tools/} remedy="uv tool uninstall $(quoted "${owner%%/*}")" ;;
        */pipx/venvs/*/*) owner=${target#*/pipx/venvs/} remedy="pipx uninstall $(quoted "${owner%%/*}")" ;;
        esac
    fi
    conflicts=$conflicts${conflicts:+, }$what
}

# plan_folder PATH: with those above it.
plan_folder() {
    case $line_end$lines in *"${line_end}folder - $1$line_end"*) return 0 ;; esac
    if [ ! -d "$prefix/$1" ]; then
        case $1 in */*) plan_folder "${1%/*}" ;; esac
        lines=$lines"folder - $1$line_end"
    fi
}

# What is written so far is there after a power failure, too. Not every `sync` can write one file system alone.
flush() { sync -f "$stage" 2>/dev/null || sync; }

write_plan() { printf '%s' "$lines" >"$work/journal" && mv "$work/journal" "$stage/journal"; }

# apply: does what is planned. What can fill a disk comes before the first file is replaced.
apply() {
    attempt "could not write to $stage" write_plan
    while IFS=' ' read -r kind sum file; do
        paths "$file"
        if [ "$kind" = folder ]; then
            attempt "could not create $place" mkdir "$place"
        elif [ "$sum" != - ]; then
            attempt "could not write $place" mv -f "$work/new/$file" "$fresh"
        fi
    done <"$stage/journal"
    attempt "could not write to $stage" flush
    while IFS=' ' read -r kind sum file; do
        paths "$file"
        if [ "$kind" = replaced ]; then
            # Better a second name than a moment without the file.
            { [ "$sum" != - ] && [ ! -L "$place" ] && ln "$place" "$former" 2>/dev/null; } ||
                attempt "could not replace $place" mv -f "$place" "$former"
        fi
        if [ "$kind" != folder ] && [ "$sum" != - ]; then
            attempt "could not write $place" mv -f "$fresh" "$place"
        fi
    done <"$stage/journal"
    attempt "could not write to $stage" flush
    attempt "could not write to $stage" mv "$stage/journal" "$stage/committed"
}

# Takes back what is in the journal, from any step of `apply` or of itself. What others have put there since stays.
undo() {
    undone=yes folders=''
    while IFS=' ' read -r kind sum file; do
        paths "$file"
        if [ "$kind" = folder ]; then
            folders=$file$line_end$folders
            continue
        fi
        rm -f "$fresh" || undone=no
        if is_there "$former"; then
            if is_there "$place" && ! has_sum "$place" "$sum"; then
                rm -f "$former" || undone=no
            else
                # `mv` refuses if both are names of one file.
                rm -f "$place" && mv "$former" "$place" || undone=no
            fi
        elif [ "$kind" = added ] && has_sum "$place" "$sum"; then
            rm -f "$place" || undone=no
        fi
    done <"$stage/journal"
    for folder in $folders; do
        rmdir "$prefix/$folder" 2>/dev/null || :
    done
    [ "$undone" = yes ]
}

# Undoes or finishes what a run has begun, this one or one that was killed.
settle() {
    if [ -f "$stage/journal" ]; then
        undo && rm -f "$stage/journal" || return
    elif [ -f "$stage/committed" ]; then
        while IFS=' ' read -r kind sum file; do
            paths "$file"
            [ "$kind" = folder ] || rm -f "$former" || return
        done <"$stage/committed"
        # The folders of files that are gone.
        sed -n 's,^replaced - \(.*\)/[^/]*$,\1,p' "$stage/committed" | sort -ru | while read -r folder; do
            while rmdir "$prefix/$folder" 2>/dev/null || [ ! -d "$prefix/$folder" ]; do
                case $folder in */*) folder=${folder%/*} ;; *) break ;; esac
            done
        done
        rm -f "$stage/committed" || return
    fi
    rm -rf "$work"
}

# Only one process can link itself under the next number: that one owns the stage.
own() {
    tries=0
    while [ "$tries" -lt 20 ]; do
        tries=$((tries + 1))
        said=$(mkdir -p "$stage/owners" 2>&1) || continue
        last='' number=1
        while process=$(readlink "$stage/owners/$number"); do
            [ "$process" = $$ ] || ! is_running "$process" ||
                fail "another installation into $prefix is running, as process $process" \
                    "if process $process is something else: rm -r $(quoted "$stage/owners")"
            last=$process
            number=$((number + 1))
        done
        [ "$last" != $$ ] || return 0
        said=$(ln -s $$ "$stage/owners/$number" 2>&1) || :
    done
    fail "could not write to $prefix: $said"
}

is_running() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ]; }

begin() {
    has sha256sum || has shasum || has openssl || fail "none of sha256sum, shasum and openssl is installed"
    parents='' folder=$prefix
    until [ -d "$folder" ]; do
        parents=$parents$folder$line_end
        folder=$(dirname "$folder")
    done
    own
    trap leave EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 141' PIPE
    trap 'exit 143' TERM
    printf '%s' "$parents" >>"$stage/parents"
    had_left=no
    [ ! -d "$work" ] || had_left=yes
    settle || fail "could not take back what an interrupted run has left below $prefix"
    set +f
    rm -rf "$stage".[0-9]*
    set -f
    attempt "could not write to $stage" mkdir "$work"
}

# The stage gets another name first: nobody may own it while it is removed.
leave() {
    trap '' HUP INT PIPE TERM
    settle || return
    parents=$(cat "$stage/parents" 2>/dev/null || :)
    mv "$stage" "$stage.$$" && rm -rf "$stage.$$" || return
    for folder in $parents; do
        rmdir "$folder" 2>/dev/null || break
    done
}

finish() {
    leave
    trap - EXIT HUP INT PIPE TERM
    printf '%s' "$kept"
}

install() {
    begin
    obtain "$1"
    check
    attempt "could not write to $stage" list_new
    plan
    apply
    finish
    tell
}

uninstall() {
    [ -f "$prefix/$record" ] || [ -d "$stage" ] || fail "this script has installed nothing below $prefix"
    begin
    if [ ! -f "$prefix/$record" ]; then
        [ "$had_left" = yes ] || fail "this script has installed nothing below $prefix"
        echo "what an interrupted installation had left below $prefix is removed"
        return
    fi
    : >"$work/wanted"
    plan
    lines=$lines"replaced - $record$line_end"
    apply
    finish
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

# expect SUM: as `plugin add --sha256` takes it.
expect() {
    expected=$(printf '%s' "${1#sha256:}" | tr A-F a-f)
    case $expected in
    *[!0-9a-f]*) ;;
    *) [ ${#expected} -ne 64 ] || return 0 ;;
    esac
    fail "$1 is not a SHA-256 sum: it would have 64 digits and letters from a to f"
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
            [ -n "${2:-}" ] || fail "$1 needs a value" "sh install.sh --help"
            if [ "$1" = --prefix ]; then prefix=$2; else expect "$2"; fi
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
    stage=$prefix/.bot-cli-installation
    work=$stage/work
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
