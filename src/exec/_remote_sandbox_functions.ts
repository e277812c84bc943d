/**
 * Functions of the script of `remote_sandbox.ts`, for any POSIX shell: what `sandbox_view.ts`, `_file_rules.ts` and
 * `_created_names.ts` do on this machine. Rules are numbered variables (`path0`, `access0`, `depth0`), as such a shell has
 * no lists that could hold any path.
 */

/** Ends with 126, as for a program that cannot be run. */
export const remoteFunctions = String.raw`set -f
count=0 deepest=0 writes=0 tops=0 allowed=0 opens=0
fail() { printf 'A sandbox cannot be made there: %s\n' "$1" >&2; exit 126; }
put() { printf '%s\0' "$@"; }
# Where a path leads; the dot keeps line feeds at its end
real() { real=$({ readlink -f -- "$1" && echo .; } 2>/dev/null) && real=@{real%??}; }
parent() { parent=@{1%/*} parent=@{parent:-/}; }
begin() {
  command -v bwrap >/dev/null || fail 'bubblewrap (bwrap) is not on PATH; install it'
  case :$PATH: in *::* | *:[!/]*) fail 'PATH has a folder that is not absolute' ;; esac
  for program in env readlink uname; do
    command -v "$program" >/dev/null || fail "'$program' is not on PATH"
  done
  real "@{HOME:-}" && [ -n "@{HOME:-}" ] || fail 'the account has no home folder'
  home=$real
  base=$(cd -- "$1" && pwd -P && echo .) || exit 126
  base=@{base%??}
  cd -- "$2" || exit 126
  cwd=$(pwd -P && echo .) || exit 126
  cwd=@{cwd%??}
}
depth_of() { old=$IFS; IFS=/; set -- $1; IFS=$old; depth=$#; }
# rule ACCESS PATH: links are resolved
rule() {
  r=0
  while [ "$r" -lt "$count" ]; do
    eval "known=\$path$r"
    [ "$known" != "$2" ] || break
    r=$((r + 1))
  done
  depth_of "@{2%/}"
  eval "path$r=\$2 access$r=\$1 depth$r=\$depth"
  [ "$r" -lt "$count" ] || count=$((count + 1))
  [ "$depth" -le "$deepest" ] || deepest=$depth
}
# access_of PATH: that of the nearest rule
access_of() {
  near=$1
  while :; do
    r=0
    while [ "$r" -lt "$count" ]; do
      eval "known=\$path$r access=\$access$r"
      [ "$known" != "$near" ] || return 0
      r=$((r + 1))
    done
    parent "$near"
    near=$parent
  done
}
access_above() { parent "$1"; access_of "$parent"; }
# add ACCESS PATH, if it is there
add() {
  [ -e "$2" ] || return 0
  real "$2" || fail "'$2' cannot be resolved"
  if [ ! -d "$real" ]; then
    [ -f "$real" ] || [ -S "$real" ] || return 0
    # No program of this account can open it
    [ "$1" != hidden ] || [ -r "$real" ] || [ -S "$real" ] || return 0
  fi
  rule "$1" "$real"
}
add_home() { add "$1" "$home/$2"; }
system() {
  [ -e "$1" ] && real "$1" || return 0
  if [ "$real" = "$1" ]; then rule read "$1"; else rule link "$1"; fi
}
hide_socket() {
  eval "socket=\@{$1:-}"
  socket=@{socket#unix:} socket=@{socket#path=} socket=@{socket#//} socket=@{socket%%[,;]*}
  case $socket in /*[!/]*) add hidden "$socket" ;; esac
}
# A path of the policy
place() {
  case $1 in
    '~') place=$home ;;
    '~/'*) place=@{home%/}/@{1#??} ;;
    /*) place=$1 ;;
    .) place=$base ;;
    *) place=@{base%/}/$1 ;;
  esac
}
allow() { eval "allowed$allowed=\$1"; allowed=$((allowed + 1)); }
note_write() { allow "$1"; eval "write$writes=\$1"; writes=$((writes + 1)); }
# asked ACCESS PATH: a link in it may be the work of a program
asked() {
  place "$2"
  [ -e "$place" ] || fail "'$2' is not there"
  real "$place" || fail "'$2' cannot be resolved"
  [ "$real" = "$place" ] || fail "'$2' leads to '$real': name that"
  [ "$1" = read ] || note_write "$real"
  rule "$1" "$real"
}
hide() { place "$1"; add hidden "$place"; }
show() { place "$1"; add read "$place"; }
is_inside() {
  t=0
  while [ "$t" -lt "$tops" ]; do
    eval "top=\$write$t"
    t=$((t + 1))
    case $1 in "$top" | "@{top%/}"/*) return 0 ;; esac
  done
  return 1
}
near() {
  case $1 in
    /* | '~'*)
      place "$1"
      [ -e "$place" ] && real "$place" && note_write "$real" && rule write "$real"
      return 0 ;;
  esac
  allow "@{cwd%/}/$1"
  up=$cwd
  while is_inside "$up"; do
    found=@{up%/}/$1
    if [ -e "$found" ] || [ -L "$found" ]; then
      real "$found" && [ "$real" = "$found" ] && note_write "$found" && rule write "$found"
      return 0
    fi
    [ "$up" != / ] || return 0
    parent "$up"
    up=$parent
  done
}
is_allowed() {
  a=0
  while [ "$a" -lt "$allowed" ]; do
    eval "known=\$allowed$a"
    a=$((a + 1))
    [ "$known" != "$1" ] || return 0
  done
  return 1
}
link_of() { link=$(readlink -- "$1" && echo .); }
# guard FOLDER NAME...: what is there cannot be written, and what is not is looked for at the end
guard() {
  folder=@{1%/}
  shift
  for name; do
    found=$folder/$name
    ! is_allowed "$found" || continue
    link=
    [ ! -L "$found" ] || link_of "$found"
    if [ -n "$link" ] || [ ! -e "$found" ]; then
      eval "open$opens=\$found link$opens=\$link"
      opens=$((opens + 1))
    fi
    [ -e "$found" ] || continue
    real "$found" || fail "'$found' cannot be resolved"
    access_of "$real"
    [ "$access" != write ] || rule read "$real"
  done
}
protect() {
  w=0
  while [ "$w" -lt "$writes" ]; do
    eval "folder=\$write$w"
    w=$((w + 1))
    [ -d "$folder" ] || continue
    case $folder in */.git) guard "$folder" $in_git ;; *) guard "$folder" $names ;; esac
  done
  up=$cwd
  while is_inside "$up"; do
    is_allowed "$up" || guard "$up" $names
    [ "$up" != / ] || break
    parent "$up"
    up=$parent
  done
  # A program in one of these would be run for another
  old=$IFS
  IFS=:
  set -- $PATH
  IFS=$old
  for up; do
    up=@{up%/}
    is_inside "$up" && ! is_allowed "$up" || continue
    parent "$up"
    guard "$parent" "@{up##*/}"
    [ ! -e "$up" ] || ! real "$up" || [ "$real" != "$up" ] || pin "$up"
  done
}
# pin PATH: the folders between what may be written and this cannot be moved
pin() {
  access_above "$1"
  [ "$access" = write ] || return 0
  parent "$1"
  up=$parent
  top=$near
  while [ "$up" != "$top" ]; do
    rule write "$up"
    parent "$up"
    up=$parent
  done
}
pin_asked() { place "$1"; pin "$place"; }
# What other sandboxes may write or read stays in its place
pin_other() {
  place "$1"
  [ -e "$place" ] && real "$place" && [ "$real" = "$place" ] || return 0
  access_of "$place"
  [ "$near" != "$place" ] && [ "$access" = write ] || return 0
  pin "$place"
  rule kept "$place"
}
pin_hidden() {
  h=0 all=$count
  while [ "$h" -lt "$all" ]; do
    eval "path=\$path$h access=\$access$h"
    h=$((h + 1))
    [ "$access" != hidden ] || [ "$path" = / ] || pin "$path"
  done
}
inherit() {
  eval "is_set=\@{$1+yes} value=\@{$1-}"
  [ -z "$is_set" ] || put --setenv "$1" "$value"
}
# Renames what was created under a protected name
aside() {
  moved=yes
  while [ "$opens" != 0 ] && [ -n "$moved" ]; do
    # The end of the first process in there is the end of all, a moment later
    sleep 0.1 2>/dev/null || sleep 1
    move_aside
  done
}
move_aside() {
  moved= o=0
  while [ "$o" -lt "$opens" ]; do
    eval "path=\$open$o before=\$link$o"
    o=$((o + 1))
    [ -e "$path" ] || [ -L "$path" ] || continue
    link_of "$path" 2>/dev/null
    [ -z "$before" ] || [ "$link" != "$before" ] || continue
    parent "$path"
    [ "$(cd -- "$parent" 2>/dev/null && pwd -P)" = "$(printf '%s\n' "$parent")" ] || continue
    new=$path.set-aside times=1
    while [ -e "$new" ] || [ -L "$new" ]; do times=$((times + 1)) new=$path.set-aside-$times; done
    if mv -- "$path" "$new"; then moved=yes what="it was renamed to '$new', as programs outside of the sandbox obey such files"
    else what='a person has to look at it'
    fi
    printf "The program created '%s': %s\n" "$path" "$what" >&2
  done
}`.replaceAll("@{", "${");
