#!/bin/sh
# Installs climax @VERSION@, after its archive was compared with the SHA-256 below:
#
#   curl -fsSL @DOWNLOADS@/v@VERSION@/install.sh | sh
#
# It reads two variables, changes no settings, needs no root, and replaces an older climax at once or
# not at all.
#
#   CLIMAX_INSTALL_DIR  the folder the program is put into; without it, ~/.local/bin
#   CLIMAX_VERSION      another release, whose own SHA256SUMS is believed then
#
# Only the last line runs anything, so that what is cut off does nothing.

main() {
  set -eu
  [ "$#" -eq 0 ] ||
    fail "Nothing was installed: '$1' is not understood" \
      "Settings are the variables CLIMAX_INSTALL_DIR and CLIMAX_VERSION"
  version=${CLIMAX_VERSION:-@VERSION@}
  version=${version#v}
  case $version in
    '' | *[!0-9A-Za-z.+-]*) fail "CLIMAX_VERSION takes a release such as @VERSION@, not '$version'" ;;
  esac
  need uname mktemp mkdir tar gzip chmod cat mv rm
  target=$(target_here)
  archive=climax-$version-$target.tar.gz
  directory=$(directory_wanted)

  downloads=$(mktemp -d)
  staged=
  trap 'rm -rf -- "$downloads" ${staged:+"$staged"}' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM

  expected=$(sum_expected)
  say "Downloading $archive"
  fetch "v$version/$archive" "$downloads/$archive"
  found=$(sum_found "$downloads/$archive")
  [ "$found" = "$expected" ] ||
    fail "$archive is not what was released: its SHA-256 is '$found', expected '$expected'"

  # Beside the place it goes to, so that the last step is a renaming
  mkdir -p "$directory" || fail "'$directory' cannot be made" "Choose a folder by CLIMAX_INSTALL_DIR"
  staged=$(mktemp -d "$directory/.climax-XXXXXX") ||
    fail "'$directory' cannot be written to" "Choose a folder by CLIMAX_INSTALL_DIR"
  tar -xzof "$downloads/$archive" -C "$staged" climax </dev/null ||
    fail "$archive cannot be unpacked"
  chmod 755 "$staged/climax"
  "$staged/climax" --version >/dev/null 2>"$downloads/said" </dev/null ||
    fail "climax does not start here: $(cat "$downloads/said")" \
      "On Linux it takes glibc, which Alpine and other systems with musl do not have"
  mv -f "$staged/climax" "$directory/climax"
  printf 'climax %s is installed: %s\n' "$version" "$directory/climax"
  say_how_to_start
}

say() {
  printf '%s\n' "$1" >&2
}

# Ends with a message, and perhaps with what may be done about it.
fail() {
  say "error: $1"
  [ "$#" -lt 2 ] || say "  hint: $2"
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

need() {
  for program in "$@"; do
    has "$program" || fail "This takes '$program', which is not on PATH"
  done
  has curl || has wget || fail "This takes 'curl' or 'wget', and neither is on PATH"
  has sha256sum || has shasum || has openssl ||
    fail "This takes 'sha256sum', 'shasum' or 'openssl', and none of them is on PATH"
}

# The system's name in those of the archives.
target_here() {
  system=$(uname -s)
  machine=$(uname -m)
  # A shell that Rosetta translates
  if [ "$system $machine" = 'Darwin x86_64' ] &&
    [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then
    machine=arm64
  fi
  case $system/$machine in
    Linux/x86_64 | Linux/amd64) echo x86_64-unknown-linux-gnu ;;
    Linux/aarch64 | Linux/arm64) echo aarch64-unknown-linux-gnu ;;
    Darwin/x86_64) echo x86_64-apple-darwin ;;
    Darwin/arm64) echo aarch64-apple-darwin ;;
    MINGW*/* | MSYS*/* | CYGWIN*/* | Windows*/*)
      fail 'This does not install on Windows' \
        "Use the release's script for PowerShell: irm @DOWNLOADS@/v$version/install.ps1 | iex"
      ;;
    *)
      fail "There is no climax for $system on $machine: expected Linux or macOS on x86_64 or arm64" \
        "climax-$version.mjs of the same release runs wherever Deno does"
      ;;
  esac
}

# The folder the program is put into, as an absolute path.
directory_wanted() {
  wanted=${CLIMAX_INSTALL_DIR:-${HOME:+$HOME/.local/bin}}
  case $wanted in
    '') fail 'HOME is not set' 'Choose a folder by CLIMAX_INSTALL_DIR' ;;
    /*) ;;
    *) wanted=$(pwd)/$wanted ;;
  esac
  # Not the slash that is all of a path
  case $wanted in ?*/) wanted=${wanted%/} ;; *) ;; esac
  [ ! -d "$wanted/climax" ] || fail "'$wanted/climax' is a folder"
  printf '%s\n' "$wanted"
}

# fetch PATH FILE: a file of the releases.
fetch() {
  url=@DOWNLOADS@/$1
  if has curl; then
    curl @CURL@ --fail --silent --show-error --location --output "$2" "$url" </dev/null ||
      fail "$url cannot be downloaded"
  else
    wget -q -O "$2" "$url" </dev/null || fail "$url cannot be downloaded"
  fi
}

# The SHA-256 that the archive has to have.
sum_expected() {
  if [ "$version" = '@VERSION@' ]; then
    case $target in
      # @SUMS@
    esac
    return
  fi
  fetch "v$version/SHA256SUMS" "$downloads/SHA256SUMS"
  while read -r sum name; do
    # Before the name stands a star where the file was read as bytes
    [ "${name#\*}" != "$archive" ] || { printf '%s\n' "$sum" && return; }
  done <"$downloads/SHA256SUMS"
  fail "The release $version has no $archive"
}

sum_found() {
  if has sha256sum; then
    sum=$(sha256sum <"$1")
  elif has shasum; then
    sum=$(shasum -a 256 <"$1")
  else
    sum=$(openssl dgst -sha256 -r <"$1")
  fi
  printf '%s\n' "${sum%% *}"
}

# What is left to do before `climax` is a command here.
say_how_to_start() {
  case :${PATH:-}: in
    *:"$directory":* | *:"$directory"/:*) ;;
    *)
      say "  hint: That folder is not on PATH; what starts your shell can put it there:"
      say "    export PATH=$(quoted "$directory"):\"\$PATH\""
      return
      ;;
  esac
  first=$(command -v climax || true)
  case $first in
    "$directory/climax" | "$directory//climax") ;;
    *) say "  hint: 'climax' starts ${first:-nothing} here, which comes earlier on PATH" ;;
  esac
}

# A text as one word of a shell.
quoted() {
  rest=$1
  ready=
  while :; do
    case $rest in
      *\'*) ready=$ready${rest%%\'*}"'\\''" rest=${rest#*\'} ;;
      *) break ;;
    esac
  done
  printf "'%s'\n" "$ready$rest"
}

{ main "$@"; }
