#!/bin/sh
# Installs thv for one user, or for everybody when root runs it. Without arguments it needs no answer and no root.
# In a function, so that a script of which only a part arrived does nothing.
set -u

# Filled in by `npm run release`.
DEFAULT_ADDRESS=''
DEFAULT_VERSION=''
# NAME=SHA256 of each archive of that version, with blanks between: who changes an archive has to change this script, too.
DEFAULT_HASHES=''
# The oldest GNU C library that the executable starts with.
MINIMUM_GLIBC='2.28'

# Bounds of a download: bytes in blocks of 512, and seconds.
ARCHIVE_BLOCKS=1048576
LIST_BLOCKS=2048
ARCHIVE_SECONDS=1800
LIST_SECONDS=60

usage() {
  cat <<'END'
Installs thv from a folder of downloads, after its SHA-256 was compared.

Usage: install.sh [--from ADDRESS] [--version VERSION] [--prefix FOLDER]
       install.sh --uninstall [--prefix FOLDER]

  --from ADDRESS     http(s) address or folder that holds SHA256SUMS and the archives; {version} in it is replaced.
                     The variable THV_DOWNLOADS does the same.
  --version VERSION  Install this version, for example 0.2.0.
  --prefix FOLDER    Install into FOLDER/lib/thv, with a link in FOLDER/bin. Default: ~/.local, for root /usr/local.
  --uninstall        Remove what this script installed. Servers and settings stay.
  --help             Show this text.
END
}

say() { printf '%s\n' "$*"; }

# Ends with a message and, in the second argument, the next step.
fail() {
  printf 'Error: %s\n' "$1" >&2
  if [ $# -gt 1 ]; then printf 'Hint: %s\n' "$2" >&2; fi
  exit 1
}

# As a shell reads it back.
quote() {
  case $1 in
    *[!A-Za-z0-9_./:@%+=,-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
  esac
}

# What was written and is not in use: the scratch folder, and folders that were made for nothing.
clean_up() {
  if [ -n "$child" ]; then kill "$child" 2>/dev/null; wait "$child" 2>/dev/null; fi
  if [ -n "$work" ]; then rm -rf "$work"; fi
  printf '%s' "$created" | while IFS= read -r made; do rmdir "$made" 2>/dev/null; done
}

stop() {
  printf 'Interrupted: nothing was installed.\n' >&2
  exit "$1"
}

# Makes a folder and those above it; keeps their names, the deepest first.
make_folder() {
  if [ -d "$1" ]; then return 0; fi
  make_folder "$(dirname "$1")" || return 1
  reason=$(mkdir "$1" 2>&1) || [ -d "$1" ] || return 1
  created="$1
$created"
}

# Beside what it becomes, so that a rename is enough, and a full or read-only disk is met before anything is replaced.
make_scratch() {
  reason="$prefix/bin: Permission denied"
  [ -w "$prefix/bin" ] || return 1
  if scratch=$(mktemp -d "$prefix/lib/.thv-install.XXXXXX" 2>&1); then work=$scratch; else
    reason=$scratch
    return 1
  fi
}

# In the background, because a shell hears a signal only while it waits. $1: the largest file, in blocks of 512 bytes.
run_bounded() {
  blocks=$1
  shift
  (
    ulimit -f "$blocks"
    exec "$@"
  ) >"$work/errors" 2>&1 </dev/null &
  child=$!
  wait "$child" 2>/dev/null
  code=$?
  child=''
  return "$code"
}

last_error() { grep -v '^[[:space:]]*$' "$work/errors" 2>/dev/null | tail -n 1; }

# Says so when the reason is a full disk; otherwise returns.
check_space() {
  free=$(df -Pk "$work" 2>/dev/null | awk 'NR == 2 { print $4 }')
  if grep -q 'No space left' "$work/errors" || [ "${free:-99999}" -lt 64 ]; then
    fail "There is no space left in $prefix: ${free:-0} KiB are free." "Free 200 MiB there, or choose another folder: --prefix FOLDER"
  fi
}

# $1: name of the file, $2: where to, $3: blocks, $4: seconds.
fetch() {
  case $address in
    http://* | https://*)
      source=$address/$1
      if command -v curl >/dev/null 2>&1; then
        run_bounded "$3" curl --fail --silent --show-error --location --max-redirs 5 --proto "=$protocols" \
          --connect-timeout 20 --speed-limit 1000 --speed-time 60 --max-time "$4" --output "$2" "$source" && return 0
      elif command -v wget >/dev/null 2>&1; then
        if command -v timeout >/dev/null 2>&1; then
          run_bounded "$3" timeout "$4" wget -T 60 -O "$2" "$source" && return 0
        else
          run_bounded "$3" wget -T 60 -O "$2" "$source" && return 0
        fi
      else
        fail "Neither curl nor wget is installed." "Install one of them, or download by hand and run: install.sh --from FOLDER"
      fi
      ;;
    *)
      source=$address/$1
      if [ ! -f "$source" ]; then fail "$source does not exist." "Name the folder that holds SHA256SUMS: --from FOLDER"; fi
      run_bounded "$3" cp "$source" "$2" && return 0
      ;;
  esac
  check_space
  case $code in
    153 | 159) fail "$source is larger than expected, so it was not read to its end." "Check the address: --from ADDRESS" ;;
    18) fail "The download of $source ended early: $(last_error)" "Run the same command again." ;;
    28 | 124) fail "The download of $source took too long: $(last_error)" "Run the same command again, or use a mirror: --from ADDRESS" ;;
  esac
  fail "$source could not be downloaded: $(last_error)" "Check the address and your network, or use a mirror: --from ADDRESS"
}

sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1" | cut -c 1-64
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1" | cut -c 1-64
  elif command -v openssl >/dev/null 2>&1; then
    openssl dgst -sha256 -r "$1" | cut -c 1-64
  else
    fail "Neither sha256sum, shasum nor openssl is installed, so the download cannot be checked." "Install one of them."
  fi
}

# Whether version $1 is older than version $2; both are MAJOR.MINOR.
is_older() {
  [ "${1%%.*}" -lt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${1#*.}" -lt "${2#*.}" ]; }
}

check_c_library() {
  found=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc \([0-9]*\.[0-9]*\).*/\1/p')
  if [ -z "$found" ]; then
    described=$(ldd --version 2>&1 | head -n 1)
    case $described in
      *musl*)
        fail "This system's C library is musl, and the executable needs the GNU C library $MINIMUM_GLIBC or newer." \
          "Use the npm package with this system's Node.js, or the container image."
        ;;
    esac
    found=$(printf '%s' "$described" | sed -n 's/.*[^0-9.]\([0-9][0-9]*\.[0-9][0-9]*\)[^0-9]*$/\1/p')
  fi
  if [ -n "$found" ] && is_older "$found" "$MINIMUM_GLIBC"; then
    fail "This system's GNU C library is $found, and the executable needs $MINIMUM_GLIBC or newer." \
      "Debian 10, Ubuntu 20.04, Fedora 29 and RHEL 8 are new enough. The container image works on older ones."
  fi
}

find_platform() {
  system=$(uname -s)
  processor=$(uname -m)
  case $system in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "There is no file for $system." "On Windows run install.ps1. Elsewhere use the npm package." ;;
  esac
  # A shell for Intel on a Mac with Apple silicon.
  if [ "$system" = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then processor=arm64; fi
  case $processor in
    x86_64 | amd64) processor=amd64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail "There is no file for the processor $processor: only for x86_64 and arm64." "Use the npm package." ;;
  esac
  if [ "$system" = linux ]; then check_c_library; fi
}

# Only what this script wrote is replaced or removed.
check_owner() {
  if [ -e "$folder" ] && ! grep -q '"install-script"' "$folder/installation.json" 2>/dev/null; then
    fail "$folder exists and was not put there by this script." "Move it away, or choose another folder: --prefix FOLDER"
  fi
  if [ -e "$link" ] || [ -L "$link" ]; then
    if [ "$(readlink "$link")" != "$target" ]; then
      fail "$link exists and was not put there by this script." "Remove that thv first, or choose another folder: --prefix FOLDER"
    fi
  fi
}

uninstall() {
  if [ ! -e "$folder" ] && [ ! -e "$link" ] && [ ! -L "$link" ]; then
    say "thv is not installed in $prefix: there is nothing to do."
    return 0
  fi
  check_owner
  reason=$(rm -rf "$link" "$folder" 2>&1) || fail "thv could not be removed from $prefix: $reason" "Run this as the user who installed it."
  say "Removed $link and $folder."
  say "Your servers and settings are still there."
}

# Sets `archive`, `expected`, and `source_of_hash`: this script for its own version, for another one the list at the address.
choose_archive() {
  archive=thv_${version}_${system}_$processor.tar.gz
  for entry in $DEFAULT_HASHES; do
    if [ "${entry%=*}" = "$archive" ]; then
      expected=${entry##*=}
      source_of_hash='this script'
      return 0
    fi
  done
  source_of_hash=SHA256SUMS
  if [ -n "$DEFAULT_HASHES" ]; then
    say "The SHA-256 of thv $version comes from $address itself; install.sh of that version has it, too."
  fi
  fetch SHA256SUMS "$work/SHA256SUMS" "$LIST_BLOCKS" "$LIST_SECONDS"
  ending=_${system}_$processor.tar.gz
  expected=$(awk -v name="$archive" '{ sub(/^\*/, "", $2); if ($2 == name) print $1 }' "$work/SHA256SUMS" | head -n 1)
  if [ -z "$expected" ]; then
    others=$(awk '{ sub(/^\*/, "", $2); print $2 }' "$work/SHA256SUMS" | sed -n "s/^thv_\\(.*\\)$ending\$/\\1/p" | tr '\n' ' ')
    fail "SHA256SUMS at $address has no $archive." "Versions there for this system: ${others:-none}"
  fi
  case $expected in
    *[!0-9a-f]*) expected='' ;;
  esac
  if [ ${#expected} -ne 64 ]; then fail "SHA256SUMS at $address is damaged: it has no SHA-256 of $archive." "Check the address: --from ADDRESS"; fi
}

download() {
  say "Downloading $archive from $address"
  fetch "$archive" "$work/$archive" "$ARCHIVE_BLOCKS" "$ARCHIVE_SECONDS"
  got=$(sha256 "$work/$archive") || exit 1
  if [ "$got" != "$expected" ]; then
    size=$(wc -c <"$work/$archive" | tr -d ' ')
    fail "$archive is not the file that $source_of_hash describes, so nothing was installed.
  expected $expected
  got      $got ($size bytes)" "Run the same command again. If it says the same, tell whoever keeps $address."
  fi
  mkdir "$work/new" || exit 1
  if ! run_bounded "$ARCHIVE_BLOCKS" tar -xzf "$work/$archive" -C "$work/new" || [ ! -f "$work/new/thv" ]; then
    check_space
    fail "$archive could not be unpacked: $(last_error)"
  fi
  chmod 755 "$work/new/thv"
  if ! run_bounded "$ARCHIVE_BLOCKS" env HOME="$work" XDG_CONFIG_HOME="$work" XDG_DATA_HOME="$work" XDG_STATE_HOME="$work" "$work/new/thv" version; then
    fail "The thv of $archive does not start here: $(last_error)" "Use the npm package with this system's Node.js, or the container image."
  fi
  printf '{"channel":"install-script"}\n' >"$work/new/installation.json" || { check_space; exit 1; }
}

# Renames only: whoever starts thv meanwhile gets the old one or the new one.
put_in_place() {
  trap '' INT TERM HUP
  reason=$(mkdir -p "$folder" 2>&1) || fail "$folder could not be made: $reason"
  for file in installation.json LICENSE THIRD-PARTY-NOTICES thv; do
    for each in "$work/new/$file" "$work/new/$file".*; do
      if [ -f "$each" ]; then reason=$(mv -f "$each" "$folder/" 2>&1) || fail "$folder could not be changed: $reason"; fi
    done
  done
  reason=$(ln -s "$target" "$work/link" 2>&1 && mv -f "$work/link" "$link" 2>&1) || fail "$link could not be written: $reason"
  created=''
}

show_path() {
  case :$PATH: in
    *":$prefix/bin:"*) ;;
    *)
      say "Your PATH does not have $prefix/bin. This adds it, for the next terminal too:"
      case ${SHELL##*/} in
        fish) say "  fish_add_path $(quote "$prefix/bin")" ;;
        zsh) say "  echo 'export PATH=\"$prefix/bin:\$PATH\"' >>~/.zshrc && . ~/.zshrc" ;;
        bash) say "  echo 'export PATH=\"$prefix/bin:\$PATH\"' >>~/.bashrc && . ~/.bashrc" ;;
        *) say "  echo 'export PATH=\"$prefix/bin:\$PATH\"' >>~/.profile && . ~/.profile" ;;
      esac
      ;;
  esac
  rest=$PATH:
  while [ -n "$rest" ]; do
    place=${rest%%:*}
    rest=${rest#*:}
    if [ -n "$place" ] && [ "$place" != "$prefix/bin" ] && [ -x "$place/thv" ] && [ ! -d "$place/thv" ]; then
      first=$(command -v thv)
      say "Another thv is installed: $place/thv. The one that runs when you type thv is ${first:-neither of them}."
      say "Remove the one you do not want; thv doctor shows both."
    fi
  done
}

main() {
  address=${THV_DOWNLOADS:-$DEFAULT_ADDRESS}
  version=$DEFAULT_VERSION
  prefix=''
  removes=no
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --version | --prefix)
        if [ $# -lt 2 ] || [ -z "$2" ]; then fail "$1 needs a value." "See: install.sh --help"; fi
        case $1 in
          --from) address=$2 ;;
          --version) version=${2#v} ;;
          --prefix) prefix=$2 ;;
        esac
        shift
        ;;
      --uninstall) removes=yes ;;
      --help | -h)
        usage
        return 0
        ;;
      *) fail "install.sh does not know $1." "See: install.sh --help" ;;
    esac
    shift
  done

  umask 022
  if [ -z "$prefix" ]; then
    if [ "$(id -u)" -eq 0 ]; then
      prefix=/usr/local
      say "Running as root: for every user of this system, in $prefix."
    else
      if [ -z "${HOME:-}" ]; then fail "HOME is not set." "Choose a folder: --prefix FOLDER"; fi
      prefix=$HOME/.local
    fi
  fi
  prefix=${prefix%/}
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  folder=$prefix/lib/thv
  link=$prefix/bin/thv
  target=../lib/thv/thv

  work=''
  created=''
  child=''
  trap clean_up EXIT
  trap 'stop 129' HUP
  trap 'stop 130' INT
  trap 'stop 143' TERM
  if [ "$removes" = yes ]; then
    uninstall
    return 0
  fi

  case $version in
    '') fail "No version was named." "Add for example: --version 0.2.0" ;;
    *[!0-9A-Za-z.+-]*) fail "$version is not a version." "Write it like 0.2.0" ;;
  esac
  if [ -z "$address" ]; then fail "No address to download from was named." "Add: --from ADDRESS"; fi
  case $address in
    *'{version}'*) address=${address%%'{version}'*}$version${address#*'{version}'} ;;
  esac
  address=${address%/}
  # No redirection leads from https to http.
  protocols=https
  case $address in
    file://*) address=${address#file://} ;;
    http://localhost[:/]* | http://127.0.0.1[:/]* | http://\[::1\][:/]*) protocols=http,https ;;
    http://*)
      protocols=http,https
      say "Warning: nothing proves that what comes from $address was not changed on the way. Use an https address where there is one."
      ;;
  esac

  find_platform
  check_owner
  if ! make_folder "$prefix/lib" || ! make_folder "$prefix/bin" || ! make_scratch; then
    fail "$prefix cannot be written to: $reason" "Choose another folder: --prefix FOLDER"
  fi

  choose_archive
  download
  put_in_place
  say "Installed thv $version: $folder, with a link $link."
  say "To undo it: rm -r $(quote "$folder") $(quote "$link")"
  show_path
}

main "$@"
