# Writes, edits, creates, moves, copies and removes files below the folder in which it starts, and nothing elsewhere.
#
#   perl files_write.pl write|edit|replace|mkdir|move|copy|remove|unpack|pack|give [OPTION...] [--directory=FOLDER] = PATH...
#
# Options: --dry-run; write: --overwrite, --append; edit: --old, --new, --replace-all, --insert-line, --count; replace: --old,
# --new, --glob, --whole-words; remove: --recursive. Lists of edits are read from the standard input.
#
# Of several files, all are changed or none: what each becomes is known, and written beside it, before one is put in place.
# The folder is opened once. Each part of a path is opened from the folder above it, without following a link, and is
# entered as it is open (fchdir): from then on it does not matter what its name leads to. Names that are never allowed
# are looked for in the parts that were entered. A file is created, renamed and removed by a plain name in such a folder.
# To move a file, both folders are open. Somebody else who puts a link, a pipe or another file in the place of one that
# was looked at gets an error. climax puts the lists in braces in, and starts the text with `perl -e`.

use strict;
use warnings;
# A name may begin with a number sign
no warnings "qw";
use feature 'fc';
use Errno;
use Fcntl qw(:DEFAULT :flock :mode :seek);

our @private = qw<{private}>;
# Those that are never allowed in a path that is entered
our @programs = qw<{programs}>;
our @never = (@private, @programs, qw<{protected}>);
my $most = 10 * 1024 * 1024;

my ($what, %is) = (shift(@ARGV), directory => "");
while (defined(my $option = shift @ARGV)) {
  last if $option eq "=";
  my ($name, $value) = $option =~ /^--([a-z-]+)(?:=(.*))?/s or next;
  $is{$name} = join "\n", grep { defined } $name eq "glob" ? $is{$name} : undef, $value // 1;
}
# Child processes must not print again what is not written yet
$| = 1;
# The path that a message is about
my $about = $ARGV[0];
my ($failed, $looked_at, $state) = (0, 0, 0);
my @left_out;

my ($top, @base);
my %do = (
  write => sub { change_files(\&written, @ARGV) },
  edit => sub { edit_files() },
  replace => sub { replace_words() },
  mkdir => sub { each_path(\&make_folders) },
  move => sub { transfer(\&move_file) },
  copy => sub { transfer(\&copy_file) },
  remove => sub { remove_paths() },
  unpack => sub { unpack_archive() },
  pack => sub { pack_files() },
  give => sub { give_file() },
);
attempt(sub {
  $top = open_folder(".") or fail("the folder that is served: $!");
  @base = parts_of($is{directory});
  $do{$what}->();
});
exit $failed;

# Ends the work on the path
sub fail { die "@_\n" }

sub counted { return "$_[0] $_[1]" . ($_[0] == 1 ? "" : "s") }

sub attempt {
  my ($work) = @_;
  return if eval { $work->(); 1 };
  print STDERR shown($about), ": $@";
  $failed ||= 1;
}

sub each_path {
  my ($work) = @_;
  for my $path (@ARGV) { $about = $path; attempt(sub { $work->($path) }) }
}

# ---------------------------------------------------------------- Paths and folders

# The parts of a path from the folder that is served. It stays below the directory of the call
sub parts_of {
  my ($path) = @_;
  my @below = @base;
  my (@parts, @left);
  if ($path =~ m{^/}) {
    my @all = split m{/+}, $path;
    my @is = stat $top;
    # The folder may be reached by several paths
    my ($at) = grep { is_same([stat(join("/", @all[0 .. $_]) || "/")], \@is) } 0 .. $#all;
    ($at) = is_same([stat "/"], \@is) ? 0 : fail("is outside of the folder that is served") unless defined $at;
    @left = @all[$at + 1 .. $#all];
  } else {
    @parts = @below;
    @left = split m{/+}, $path;
  }
  for (@left) {
    next if $_ eq "" or $_ eq ".";
    if ($_ ne "..") { push @parts, $_ }
    elsif (@parts) { pop @parts }
    else { fail("is outside of the folder that is served") }
  }
  for my $at (0 .. $#below) {
    fail("is outside of the directory of the call") unless defined $parts[$at] and $parts[$at] eq $below[$at];
  }
  return @parts;
}

# True if both are the same file, of two results of stat
sub is_same {
  my ($one, $other) = @_;
  return @$one && @$other && $one->[0] == $other->[0] && $one->[1] == $other->[1];
}

sub open_folder {
  my ($name) = @_;
  sysopen my $folder, $name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW or return;
  return $folder;
}

# Enters the folder of the parts from the top, and returns it open; with `creates`, makes those that are missing. In a trial it
# returns nothing where it would make one
sub enter {
  my ($creates, @parts) = @_;
  chdir $top or fail($!);
  my ($here, @walked) = $top;
  my $is_in_git = check_folder(0);
  for my $name (@parts) {
    check_name($name);
    push @walked, $name;
    if ($creates and not lstat $name) {
      fail_in_git() if $is_in_git;
      check_new_name($name) if $is{"dry-run"};
      if ($is{"dry-run"}) { check_name($_, 1) for @parts; return }
      lock_folder($here);
      check_new_name($name);
      if (mkdir $name) { print "created directory '", shown(join "/", @walked), "'\n" }
      elsif (not $!{EEXIST}) { fail("cannot be created: $!") }
      flock $here, LOCK_UN;
    }
    my $next = open_folder($name);
    if (not $next) {
      my ($why, $hint) = ("$!", $!{ENOENT} ? "; files_mkdir creates one" : "");
      fail_link(@walked) if -l $name;
      fail("is there already, and no directory") if $creates and @walked == @parts;
      fail("its directory: $why$hint");
    }
    chdir $next or fail($!);
    $here = $next;
    $is_in_git = check_folder($is_in_git);
  }
  fail_in_git() if $is_in_git;
  return $here;
}

# Enters the folder of a file; returns that folder, and the name of the file in it
sub enter_folder_of {
  my ($name, $folder) = (pop @_);
  fail("names no file") unless defined $name;
  check_name($name, 1);
  $folder = enter($what eq "write", @_);
  check_name($name) if $folder;
  return ($folder, $name);
}

sub fail_link {
  my @parts = @_;
  my $to = readlink $parts[-1];
  my $leads = defined $to ? ", which leads to '" . shown($to) . "'" : "";
  fail("'" . shown(join "/", @parts) . "' is a link$leads: name the file that it leads to");
}

# Two calls do not change the same folder at once
sub lock_folder { flock $_[0], LOCK_EX or fail("its directory cannot be locked: $!") }

# Locks several folders, in an order that all calls have
sub lock_folders {
  my %folders = map { join(",", (stat $_)[0, 1]) => $_ } @_;
  lock_folder($folders{$_}) for sort keys %folders;
}

# ---------------------------------------------------------------- What is never allowed

# As file systems compare names: without case, marks that do not show, and what NTFS cuts off
sub folded {
  my ($name) = @_;
  utf8::decode($name);
  $name = fc $name;
  $name =~ s/[\x{ad}\x{34f}\x{61c}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{3164}\x{fe00}-\x{fe0f}\x{feff}\x{ffa0}\x{e0000}-\x{e0fff}]//g;
  $name =~ s/:.*//s;
  $name =~ s/[. ]+\z//;
  return $name;
}

# Of what a name may be a copy, as src/text/original_name.ts has it
sub original {
  my ($name) = @_;
  $name =~ s/\A(?:\.?#|\.(?=.*\.sw[a-p]\z))//s;
  for (1 .. 3) { $name =~ s/(?:[~#]|\.~?(?:bak|backup|old|orig|save|sw[a-p]|[0-9]{1,9})|[-_](?:bak|backup|old|orig))\z// }
  return $name;
}

my %patterns;

# Looks at the name, and unless `is_text` at what has it in the folder that was entered
sub check_name {
  my ($name, $is_text) = @_;
  my @names = grep { not m{^/} } @never;
  my $forbidden = $patterns{scalar @names} ||= do {
    my @all = map {
      my $plain = /\*\z/ ? fc(substr $_, 0, -1) : folded(s/^\*//r);
      # NTFS gives .git the short name GIT~1
      my $short = quotemeta substr($plain =~ s/^\.//r, 0, 6);
      my $quoted = quotemeta $plain;
      /^\*/ ? ".*$quoted" : (/\*\z/ ? "$quoted.*" : $quoted, "$short~[0-9]+(?:\\..*)?");
    } @names;
    my $any = join "|", @all;
    qr/\A(?:$any)\z/s;
  };
  fail("'" . shown($name) . "' is never allowed") if grep { $_ =~ $forbidden } folded($name), original(folded($name));
  return if $is_text;
  # Whatever else the file system takes for the same name
  my @is = lstat $name or return;
  for my $other (map { s/\*\z//r } grep { not /^\*/ } @names) {
    fail("'" . shown($name) . "' is '$other', which is never allowed") if is_same(\@is, [lstat $other]);
  }
}

# Looks at the folder that was entered: returns whether it is in a repository without a working tree, as git takes it
sub check_folder {
  my ($is_in_git) = @_;
  my @is = stat ".";
  for (grep { m{^/} } @never) { fail("leads into '$_', which is never allowed") if is_same(\@is, [stat $_]) }
  return is_repository({}) || $is_in_git && !lstat ".git";
}

sub fail_in_git { fail("its directory is part of a repository of git, which is never allowed") }

# True if git takes this folder for a repository, once it has the names of `new` too
sub is_repository {
  my ($new) = @_;
  my $has = sub { $new->{lc $_[0]} || lstat $_[0] };
  return $has->("HEAD") && ($has->("commondir") || $has->("objects") && $has->("refs"));
}

sub check_new_name {
  my ($name) = @_;
  my $is_part = folded($name) =~ /\A(?:head|commondir|objects|refs)\z/;
  fail("would make its directory a repository of git") if $is_part and is_repository({ folded($name) => 1 });
}

# A name as in a difference of git
sub shown {
  my ($name) = @_;
  my %short = ("\n" => "\\n", "\t" => "\\t", "\r" => "\\r", '"' => '\\"', "\\" => "\\\\");
  $name =~ s{([\x00-\x1f\x7f"\\])}{$short{$1} // sprintf "\\%03o", ord $1}ge;
  return $name;
}

# ---------------------------------------------------------------- What files become

# Opens a file that is there for reading, as the one that lstat found
sub open_file {
  my ($name, @was) = @_;
  # A pipe in its place would wait for somebody who writes
  sysopen my $file, $name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or fail("cannot be read: $!");
  fail("was changed by another program meanwhile") unless is_same(\@was, [stat $file]);
  binmode $file;
  return $file;
}

# Changes each file to what `become` makes of it, all of them or none, and prints the differences
sub change_files {
  my ($become, @paths) = @_;
  my (@files, %folders, %seen);
  for my $path (@paths) {
    $about = $path;
    attempt(sub {
      fail("names no file") if $path =~ m{(?:\A|/)\.{0,2}\z};
      my @parts = parts_of($path);
      return if $seen{join "/", @parts}++;
      my ($folder, $name) = enter_folder_of(@parts);
      # One handle for each folder, as there are only so many
      $folder &&= $folders{join "/", @parts[0 .. $#parts - 1]} ||= $folder;
      push @files, { path => $path, parts => \@parts, folder => $folder, name => $name };
    });
  }
  lock_folders(values %folders) unless $is{"dry-run"} or $failed;
  my $size = 0;
  for my $file (@files) {
    $about = $file->{path};
    attempt(sub {
      read_file($file);
      $file->{after} = $become->($file);
      fail("would have over 10 MiB") if length $file->{after} > $most;
      $size += length($file->{before}) + length $file->{after};
      fail("is one of too many: together they have over 100 MiB") if $size > 10 * $most;
    });
  }
  my @changed = grep { defined $_->{after} and not (@{ $_->{was} } and $_->{before} eq $_->{after}) } @files;
  if ($failed) { print STDERR "nothing was changed\n" if @files > 1; return }
  put_in_place(@changed) unless $is{"dry-run"};
  if ($what eq "replace") { print_counts(@changed) }
  elsif (@changed) { print_change($_) for @changed }
  else { print "unchanged\n" }
}

sub read_file {
  my ($file) = @_;
  my $name = $file->{name};
  @$file{qw<was before>} = ([], "");
  return unless $file->{folder};
  chdir $file->{folder} or fail($!);
  my @was = lstat $name;
  fail("is a link: name the file that it leads to") if -l _;
  fail("is no file") if @was and not -f _;
  fail("has over 10 MiB") if @was and $was[7] > $most;
  if (@was) {
    my $in = open_file($name, @was);
    @$file{qw<was before>} = (\@was, do { local $/; <$in> // "" });
  } else { check_new_name($name) }
}

sub read_input { local $/; binmode STDIN; return <STDIN> // "" }

sub written {
  my ($file) = @_;
  return $file->{before} . read_input() if $is{append};
  fail("is there already: set overwrite or append, or change a part with files_edit") if @{ $file->{was} } and not $is{overwrite};
  fail("is binary, and no text is written over it: files_remove removes it") if $file->{before} =~ /\0/;
  return read_input();
}

# Does the edits of the call: one in its options, and those of the list, which may name one of its paths each
sub edit_files {
  my @edits = edits_of(read_input());
  unshift @edits, { map { exists $is{$_} ? ($_ => $is{$_}) : () } qw<old new replace-all insert-line count> }
    if exists $is{old} or exists $is{"insert-line"};
  fail("there is no edit: give old and new, or edits") unless @edits;
  my %paths = map { join("/", parts_of($_)) => 1 } @ARGV;
  for (grep { defined $_->{path} } @edits) {
    $about = $_->{path};
    $_->{of} = join "/", parts_of($_->{path});
    fail("is no path of the call, which names all files of its edits") unless $paths{ $_->{of} };
  }
  change_files(sub {
    my ($file) = @_;
    fail("is not there: files_write creates it") unless @{ $file->{was} };
    my ($text, $at) = ($file->{before}, 0);
    fail("is binary") if $text =~ /\0/;
    for my $edit (@edits) {
      $at++;
      next if defined $edit->{of} and $edit->{of} ne join "/", @{ $file->{parts} };
      next if eval { $text = edited($text, $edit); 1 };
      die @edits > 1 ? "edit $at: $@" : $@;
    }
    return $text;
  }, @ARGV);
}

sub edited {
  my ($text, $edit) = @_;
  my ($old, $new) = ($edit->{old} // "", $edit->{new} // "");
  if ($text =~ /\r\n/ and $text !~ /(?<!\r)\n/) { s/\r?\n/\r\n/g for $old, $new }
  if (defined(my $line = $edit->{"insert-line"})) {
    my @lines = split /(?<=\n)/, $text;
    fail("has " . @lines . " lines, and none after line $line") if $line !~ /\A[0-9]+\z/ or $line > @lines;
    my ($end) = $text =~ /(\r?\n)/ ? $1 : "\n";
    $lines[$line - 1] .= $end if $line and $lines[$line - 1] !~ /\n\z/;
    $new .= $end unless $new =~ /\n\z/ or $line == @lines and $text !~ /\n\z/;
    splice @lines, $line, 0, $new;
    return join "", @lines;
  }
  fail("the old text is empty: give the text that is there, or insert_line") if $old eq "";
  my ($count, $next, @at) = (0, 0);
  while (($next = index $text, $old, $next) >= 0) {
    $count++;
    push @at, $next;
    $next += $edit->{"replace-all"} || $edit->{count} ? length $old : 1;
  }
  fail(missing($text, $old)) unless $count;
  if (defined $edit->{count}) { fail("the old text is in it " . counted($count, "time") . ", not $edit->{count}") if $count != $edit->{count} }
  elsif ($count > 1 and not $edit->{"replace-all"}) {
    my @lines = map { 1 + (substr($text, 0, $_) =~ tr/\n//) } @at[0 .. ($#at < 9 ? $#at : 9)];
    fail("the old text is in it $count times, at lines " . join(", ", @lines) . ": give more lines around it, or set replace_all");
  }
  substr $text, $_, length $old, $new for reverse @at;
  return $text;
}

# Says where a text would be that is not there, if only its white space differs
sub missing {
  my ($text, $old) = @_;
  my $said = "the old text is not in it: read it again, every space and line end counts";
  my @words = map { quotemeta } split " ", $old;
  return $said if not @words or @words > 2000;
  my $loose = join "\\s+", @words;
  return $said unless $text =~ /$loose/;
  my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
  return "the old text is not in it; with other white space it is at line $line: read it again, every space and line end counts";
}

# Reads the list of edits, which climax has written as JSON
sub edits_of {
  my ($json) = @_;
  return unless $json =~ /\S/;
  my $value = json_value(\$json);
  $json =~ /\G\s*\z/gc or fail("the edits are no JSON");
  my $at = 0;
  return map {
    $at++;
    my ($given, %edit) = ($_);
    fail("edit $at is no object") unless ref $given eq "HASH";
    for my $key (keys %$given) {
      my $plain = lc($key =~ s/(?<=[a-z])(?=[A-Z])/_/gr);
      my $name = $plain =~ /\A(?:old|search|find)(?:_|\z)/ ? "old"
        : $plain =~ /\A(?:path|file|file_?path|file_?name|target_file)\z/ ? "path"
        : $plain =~ /\A(?:replace_all|insert_line)\z/ ? $plain =~ tr/_/-/r
        : $plain =~ /\A(?:count|expected_replacements)\z/ ? "count"
        : $plain =~ /\A(?:new|replace|replacement|insert)(?:_|\z)/ ? "new"
        : fail("edit $at: '" . shown($key) . "' is none of old, new, replace_all, insert_line, count, path");
      fail("edit $at: '" . shown($key) . "' has no text or number") if ref $given->{$key};
      $edit{$name} = $given->{$key} if defined $given->{$key};
    }
    fail("edit $at has no old text") unless defined $edit{old} or defined $edit{"insert-line"};
    \%edit;
  } ref $value eq "ARRAY" ? @$value : $value;
}

sub json_value {
  my ($json, $depth) = (@_, 0);
  fail("the edits are nested too deep") if $depth > 4;
  return json_text($json) if $$json =~ /\G\s*"/gc;
  return $1 eq "true" ? 1 : $1 eq "null" ? undef : 0 if $$json =~ /\G\s*(true|false|null)\b/gc;
  return $1 if $$json =~ /\G\s*(-?[0-9]+(?:\.[0-9]+)?)/gc;
  $$json =~ /\G\s*([\[\{])/gc or fail("the edits are no JSON");
  my ($is_list, @all) = ($1 eq "[");
  my $end = $is_list ? qr/\G\s*\]/ : qr/\G\s*\}/;
  until ($$json =~ /$end/gc) {
    not @all or $$json =~ /\G\s*,/gc or fail("the edits are no JSON");
    if (not $is_list) {
      $$json =~ /\G\s*"/gc or fail("the edits are no JSON");
      push @all, json_text($json);
      $$json =~ /\G\s*:/gc or fail("the edits are no JSON");
    }
    push @all, json_value($json, $depth + 1);
  }
  return $is_list ? \@all : { @all };
}

sub json_text {
  my ($json) = @_;
  my %short = (n => "\n", t => "\t", r => "\r", b => "\b", f => "\f");
  my $text = "";
  until ($$json =~ /\G"/gc) {
    if ($$json =~ /\G([^"\\]+)/gc) { $text .= $1 }
    elsif ($$json =~ /\G\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/gci) { $text .= utf8_of(0x10000 + ((hex($1) & 0x3ff) << 10) + (hex($2) & 0x3ff)) }
    elsif ($$json =~ /\G\\u([0-9a-f]{4})/gci) { $text .= utf8_of(hex $1) }
    elsif ($$json =~ /\G\\(.)/gcs) { $text .= $short{$1} // $1 }
    else { fail("the edits are no JSON") }
  }
  return $text;
}

sub utf8_of { my $text = chr $_[0]; utf8::encode($text); return $text }

# Replaces a text in all files at and below the paths, but for those that no path may lead to, links and binary files
sub replace_words {
  my ($old, $new) = @is{qw<old new>};
  fail("the old text is empty") if ($old // "") eq "";
  my @globs = split /\n/, $is{glob} // "";
  fail("a glob is for names, such as *.ts: name directories in path") if grep { m{/} } @globs;
  my $names = join "|", map { glob_pattern($_) } @globs;
  my @files;
  for my $path (@ARGV) { $about = $path; attempt(sub { push @files, files_below($names, parts_of($path)) }) }
  return if $failed;
  my ($start, $end) = map { $is{"whole-words"} && /[\w\x80-\xff]/ } substr($old, 0, 1), substr($old, -1);
  my $pattern = ($start ? "(?<![\\w\\x80-\\xff])" : "") . quotemeta($old) . ($end ? "(?![\\w\\x80-\\xff])" : "");
  my $left = 0;
  change_files(sub {
    my ($file) = @_;
    my $text = $file->{before};
    return $text if $text =~ /\0/;
    my $all = () = $text =~ /\Q$old\E/g;
    $file->{count} = $text =~ s/$pattern/$new/g || 0;
    $left += $all - $file->{count};
    return $text;
  }, @files);
  print "$left more are parts of longer words: whole_words false takes them too\n" if $left > 0 and not $failed;
  print_left_out(@left_out) unless $failed;
}

sub print_left_out {
  my @first = map { "'" . shown($_) . "'" } @_[0 .. ($#_ > 4 ? 4 : $#_)];
  print "left out, by their names: ", join(", ", @first), @_ > 5 ? " and " . (@_ - 5) . " more" : "", "\n" if @_;
}

sub print_counts {
  my $all = 0;
  for (@_) { print shown(join "/", @{ $_->{parts} }), ": $_->{count}\n"; $all += $_->{count} }
  print "$all in ", counted(scalar @_, "file"), $is{"dry-run"} ? " would be replaced\n" : " replaced\n";
}

# Expects a glob for a name, where a star is any text
sub glob_pattern {
  my ($glob) = @_;
  return $glob =~ s/([*?])|\{([^{}]*)\}|(.)/$1 ? ($1 eq "*" ? ".*" : ".") : defined $2 ? "(?:" . join("|", map { glob_pattern($_) } split m{,}, $2) . ")" : quotemeta $3/gesr;
}

# Returns the paths of the files at and below a path that have the old text, in their order
sub files_below {
  my ($names, @parts) = @_;
  if (@parts) {
    my ($folder, $name) = enter_folder_of(@parts);
    lstat $name or fail($!);
    fail_link(@parts) if -l _;
    return has_text($name) ? path_of(@parts) : () if -f _;
    fail("is no file or directory") unless -d _;
  }
  my $here = enter(0, @parts);
  opendir my $list, "." or fail("cannot be listed: $!");
  my @found;
  for my $name (sort grep { not /\A\.\.?\z/ } readdir $list) {
    chdir $here or fail($!);
    lstat $name or next;
    my $is_folder = -d _;
    next unless $is_folder or -f _ and $names eq "" || $name =~ /\A(?:$names)\z/s;
    # What may not be changed is not looked at
    eval { check_name($name); 1 } or do { push @left_out, join "/", @parts[@base .. $#parts], $name unless grep { $_ eq lc $name } ".git", @programs; next };
    eval {
      push @found, $is_folder ? files_below($names, @parts, $name) : has_text($name) ? path_of(@parts, $name) : ();
    };
    fail("has over 20,000 files: name fewer directories") if $looked_at > 20_000;
  }
  return @found;
}

# True if the old text is in the file, which is looked at again before it is changed
sub has_text {
  my ($name) = @_;
  $looked_at++;
  my @was = lstat $name or return;
  return if $was[7] > $most;
  my $in = open_file($name, @was);
  return index(do { local $/; <$in> // "" }, $is{old}) >= 0;
}

# Returns the path from the directory of the call
sub path_of { return join "/", @_[scalar @base .. $#_] }

# ---------------------------------------------------------------- Files are put in place

# Puts the new files in the place of the old ones: who reads one sees the old or the new, and other names of the old keep it
sub put_in_place {
  my @files = @_;
  my (@parts, @done);
  my $why;
  for my $file (@files) {
    $about = $file->{path};
    last unless eval { $file->{part} = write_part($file, $file->{after}); 1 };
    push @parts, $file;
  }
  $why = $@ if @parts < @files;
  for my $file (defined $why ? () : @files) {
    $about = $file->{path};
    if (eval { name_part($file, $file->{part}, @{ $file->{was} }); 1 }) { push @done, $file }
    else { $why = $@; last }
  }
  return unless defined $why;
  chdir $_->{folder} and unlink $_->{part} for @parts;
  for my $file (@done) {
    my $is_back = eval {
      chdir $file->{folder} or fail($!);
      my @is = lstat $file->{name};
      if (@{ $file->{was} }) { name_part($file, write_part($file, $file->{before}), @is) } else { unlink $file->{name} }
      1;
    };
    print STDERR shown($file->{path}), " was changed, and cannot be changed back: $@" unless $is_back;
  }
  print STDERR "nothing was changed\n" if @files > 1;
  die $why;
}

# Writes the text beside the file, with the rights of the file; returns the name of the new one
sub write_part {
  my ($file, $text) = @_;
  my @was = @{ $file->{was} };
  chdir $file->{folder} or fail($!);
  my $part = ".new-" . join("", map { ("a" .. "z")[rand 26] } 1 .. 12) . ".part";
  sysopen my $out, $part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666 or fail("cannot be written: $!");
  binmode $out;
  my $is_done = print $out $text;
  if (@was) { chown $was[4], $was[5], $out; chmod $was[2] & 0777, $out }
  return $part if close($out) && $is_done;
  my $why = $!;
  unlink $part;
  fail("cannot be written: $why");
}

# Gives the new file the name of the old one, which must still be as it was
sub name_part {
  my ($file, $part, @was) = @_;
  chdir $file->{folder} or fail($!);
  my $name = $file->{name};
  my @is = lstat $name;
  my $is_same = @was ? @is && join(",", @was[1, 7, 9]) eq join(",", @is[1, 7, 9]) : !@is;
  fail("cannot be written: it was changed by another program meanwhile") unless $is_same;
  rename $part, $name or fail("cannot be written: $!");
}

# Prints the size of a new file, or the difference; a trial has all of either
sub print_change {
  my ($file) = @_;
  my $label = shown(join "/", @{ $file->{parts} });
  my $text = $file->{after};
  if (not @{ $file->{was} } and not $is{"dry-run"}) {
    my $lines = ($text =~ tr/\n//) + ($text =~ /[^\n]\z/);
    print "created '$label': ", counted($lines, "line"), ", ", counted(length $text, "byte"), "\n";
    return;
  }
  my $mark = $label eq join("/", @{ $file->{parts} }) ? "" : '"';
  my @labels = (@{ $file->{was} } ? "${mark}a/$label$mark" : "/dev/null", "${mark}b/$label$mark");
  my @lines = difference($file->{before}, $text, @labels);
  my $shown = $is{"dry-run"} || @lines <= 42 ? @lines : 42;
  print @lines[0 .. $shown - 1];
  print "an empty file: $labels[1]\n" if not @lines;
  my @left = @lines[$shown .. $#lines];
  print "... and ", scalar @left, " more lines of the difference, in all +", scalar(grep { /^\+/ } @lines[2 .. $#lines]),
    " -", scalar(grep { /^-/ } @lines[2 .. $#lines]), "\n" if @left;
}

# Returns the lines of a difference
sub difference {
  my ($old, $new, @labels) = @_;
  my ($from, $to) = map { text_input($_) } $old, $new;
  fcntl $_, F_SETFD, 0 for $from, $to;
  my @command = ("diff", "-u", map({ ("--label", $_) } @labels), "--", map { "/dev/fd/" . fileno $_ } $from, $to);
  open my $diff, "-|", @command or return "$labels[1]: the program diff, which shows the difference, cannot be started: $!\n";
  binmode $diff;
  return <$diff>;
}

# Returns a handle from which the text is read
sub text_input {
  my ($text) = @_;
  my $process = open my $in, "-|";
  fail("the difference cannot be shown: $!") unless defined $process;
  return $in if $process;
  binmode STDOUT;
  print $text;
  close STDOUT;
  # Nothing of the other process is ended here
  require POSIX;
  POSIX::_exit(0);
}

# ---------------------------------------------------------------- Folders, and from one to another

sub make_folders {
  my @parts = parts_of($_[0]);
  fail("names the folder that is served, which is there") unless @parts;
  enter(1, @parts);
}

# Removes nothing if one of the paths cannot be removed
sub remove_paths {
  each_path(sub { remove_path($_[0], 1) });
  if ($failed) { print STDERR "nothing was removed\n" if @ARGV > 1 }
  elsif (not $is{"dry-run"}) { each_path(\&remove_path) }
}

sub remove_path {
  my ($path, $only_looks) = @_;
  my @parts = parts_of($path);
  my ($folder, $name) = enter_folder_of(@parts);
  lock_folder($folder) unless $only_looks;
  lstat $name or fail("cannot be removed: $!");
  my $label = "'" . shown(join "/", @parts) . "'";
  my $is_folder = -d _;
  $state = 0;
  add_state($name) unless $is_folder;
  if ($is_folder) {
    my $own = open_folder($name) or fail("cannot be opened: $!");
    chdir $own or fail($!);
    my $count = files_in(join("/", @parts), not $only_looks);
    my $files = counted($count, "file");
    fail("has $files in it: recursive removes them too") if $count and not $is{recursive};
    $label = "directory $label" . ($count ? " with $files" : "");
    chdir $folder or fail($!);
  }
  if ($only_looks) { printf "removes %s (state %016x)\n", $label, $state if $is{"dry-run"}; return }
  ($is_folder ? rmdir $name : unlink $name) or fail("cannot be removed: $!");
  print "removed $label\n";
}

# Adds what tells the file at `name`, which was looked at last, from every other, so that a yes counts for this one
sub add_state {
  use integer;
  my @is = (lstat _)[0, 1, 7, 9, 10];
  $state = $state * 1000003 ^ $_ for unpack "C*", join ",", $_[0], @is;
}

# Counts the files in the folder that was entered, and if it `removes`, removes all that is in it. No link is followed
sub files_in {
  my ($path, $removes) = @_;
  fail("'" . shown($path) . "' is a repository of git, which is never allowed") if check_folder(0);
  my $here = open_folder(".") or fail("'" . shown($path) . "' cannot be opened: $!");
  opendir my $list, "." or fail("'" . shown($path) . "' cannot be listed: $!");
  my $count = 0;
  for my $name (sort grep { not /\A\.\.?\z/ } readdir $list) {
    my $label = "'" . shown("$path/$name") . "'";
    eval { check_name($name); 1 } or fail("$label is in it: $@");
    lstat $name or next;
    my $is_folder = -d _;
    if ($is_folder) {
      my $below = open_folder($name) or fail("$label cannot be opened: $!");
      chdir $below or fail("$label cannot be entered: $!");
      $count += files_in("$path/$name", $removes);
      chdir $here or fail($!);
    } else {
      $count++;
      add_state("$path/$name") unless $removes;
    }
    next unless $removes and ($is{recursive} or $is_folder);
    ($is_folder ? rmdir $name : unlink $name) or fail("$label cannot be removed: $!");
  }
  return $count;
}

# Gives `act` both folders and names, with the folders open and locked
sub transfer {
  my ($act) = @_;
  my ($source, $destination) = @ARGV;
  my @from = parts_of($source);
  my ($from, $old) = enter_folder_of(@from);
  my @was = lstat $old or fail($!);
  fail_link(@from) if -l _;
  fail("is no file or directory") unless -f _ or -d _;
  if (-d _) {
    fail("is a directory: files_copy copies files") if $what eq "copy";
    my $own = open_folder($old) or fail($!);
    chdir $own or fail($!);
    fail("is a repository of git, which is never allowed") if is_repository({});
    refuse_links(join "/", @from);
  }
  $about = $destination;
  my @to = parts_of($destination);
  my $to;
  if (@to) {
    ($to, my $last) = enter_folder_of(@to);
    fail_link(@to) if -l $last;
    push @to, $old if -d _;
  } else { @to = ($old) }
  ($to, my $new) = enter_folder_of(@to);
  $about = $source;
  lock_folders($from, $to);
  $about = $destination;
  fail("is there already: choose another name") if lstat $new;
  check_new_name($new);
  $about = $source;
  $act->($from, $old, $to, $new, @was) or fail("is there already: choose another name");
  my ($one, $other) = map { "'" . shown(join "/", @$_) . "'" } \@from, \@to;
  print $what eq "move" ? "renamed $one -> $other\n" : "$one -> $other\n";
}

# Another program may just be writing in the folder whose place this one takes, and would follow the links
sub refuse_links {
  my ($path) = @_;
  my $here = open_folder(".") or fail("'" . shown($path) . "' cannot be opened: $!");
  opendir my $list, "." or fail("'" . shown($path) . "' cannot be listed: $!");
  for my $name (grep { not /\A\.\.?\z/ } readdir $list) {
    lstat $name or next;
    fail("has a link in it, '" . shown("$path/$name") . "': directories with links are not moved") if -l _;
    next unless -d _;
    my $below = open_folder($name) or fail("'" . shown("$path/$name") . "' cannot be opened: $!");
    chdir $below or fail("'" . shown("$path/$name") . "' cannot be entered: $!");
    refuse_links("$path/$name");
    chdir $here or fail($!);
  }
}

sub copy_file {
  my ($from, $old, $to, $new, @was) = @_;
  chdir $from or fail($!);
  my $in = open_file($old, @was);
  chdir $to or fail($!);
  my $out;
  if (not sysopen $out, $new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, $was[2] & 0777) {
    return 0 if $!{EEXIST};
    fail("cannot be copied: $!");
  }
  my ($read, $piece);
  while ($read = sysread $in, $piece, 1 << 20) {
    for (my $at = 0; $at < $read;) {
      my $written = syswrite $out, $piece, $read - $at, $at;
      if (not defined $written) { $read = undef; last }
      $at += $written;
    }
    last unless defined $read;
  }
  return 1 if defined $read and close $out;
  my $why = $!;
  unlink $new;
  fail("cannot be copied: $why");
}

sub move_file {
  my ($from, $old, $to, $new, @was) = @_;
  if (not rename_between($from, $old, $to, $new)) {
    fail("cannot be moved: $!") unless $!{EXDEV} and S_ISREG($was[2]);
    # Another file system
    copy_file(@_) or return 0;
    chdir $from or fail($!);
    unlink $old or fail("was copied, and cannot be removed: $!");
    return 1;
  }
  chdir $to or fail($!);
  return 1 if is_same(\@was, [lstat $new]) and not -l _;
  rename_between($to, $new, $from, $old);
  fail("was changed by another program meanwhile");
}

# Perl has no renameat: Linux has paths that begin in an open folder, and macOS takes the call by its number
sub rename_between {
  my ($from, $old, $to, $new) = @_;
  if (is_same([stat $from], [stat $to])) {
    chdir $from or return 0;
    return rename $old, $new;
  }
  return syscall(465, fileno $from, "$old", fileno $to, "$new") == 0 if $^O eq "darwin";
  my ($source, $target) = map { "/proc/self/fd/" . fileno $_ } $from, $to;
  fail("moving to another directory needs /proc") unless is_same([stat "$source/."], [stat $from]) and is_same([stat "$target/."], [stat $to]);
  return rename "$source/$old", "$target/$new";
}

# ---------------------------------------------------------------- Archives

# Opens a file that is only read
sub open_archive {
  my ($path) = @_;
  local @never = @private;
  my ($folder, $name) = enter_folder_of(parts_of($path));
  my @was = lstat $name or fail($!);
  fail("is no file") unless S_ISREG($was[2]);
  return open_file($name, @was);
}

# Runs a program that gets the file as its input, and names it in what that prints about /dev/stdin
sub give_file {
  my ($path, @command) = @ARGV;
  my $in = open_archive($path);
  open STDIN, "<&", $in or fail($!);
  my $name = shown($path) =~ s/[\\&|]/\\$&/gr;
  open STDOUT, "|-", "sed", "1s|^Archive:  /dev/stdin\$|Archive:  $name|" or fail($!);
  open STDERR, "|-", "sed", "s|/dev/stdin|$name|g" or fail($!);
  system @command;
  $failed = $? >> 8 || $? & 127;
  close STDERR;
  close STDOUT;
}

# Runs a program, which gets the archive as its input, in a new folder that this one has entered
sub unpack_archive {
  my ($destination, $archive, @command) = @ARGV;
  $about = $archive;
  my $in = open_archive($archive);
  $about = $destination;
  my ($folder, $name) = enter_folder_of(parts_of($destination));
  check_new_name($name);
  fail("is there already") if lstat $name;
  # No tool enters a folder of this name: what is in it when this ends early runs nothing
  my $part = "$name." . join("", map { ("a" .. "z")[rand 26] } 1 .. 12) . ".climax-part";
  mkdir $part, 0700 or fail($!);
  my $new = open_folder($part) or fail($!);
  chdir $new or fail($!);
  open STDIN, "<&", $in or fail($!);
  my $is_zip = grep { $_ eq "unzip" } @command;
  if ($is_zip) { open STDERR, "|-", "grep", "-v", "^caution:" or fail($!) }
  system @command;
  my $ending = $? >> 8 || $? & 127;
  close STDERR if $is_zip;
  # Of unzip, 1 is a warning
  if ($is_zip and $ending == 1) { print "Unpacked, with warnings\n" }
  else { $failed = $ending }
  chdir $new or fail($!);
  disarm_repositories($name);
  chdir $folder or fail($!);
  lock_folder($folder);
  fail("is there already: what was unpacked is in '" . shown($part) . "'") if lstat $name;
  chmod 0777 & ~umask, $new;
  rename $part, $name or fail("cannot be named: $!: what was unpacked is in '" . shown($part) . "'");
}

# Runs a program that puts files below the directory of the call into a new archive. It gets a folder that no other tool enters,
# with second names or copies of what was found by walking as always: in a project, a name may lead elsewhere once it is opened
sub pack_files {
  my ($destination, @command) = @ARGV;
  my ($end) = grep { $command[$_] eq "--" } 0 .. $#command;
  my @sources = splice @command, $end + 1;
  pop @command;
  my ($is_tar) = grep { $_ eq "tar" } @command;
  my %compression = (gz => "--gzip", tgz => "--gzip", bz2 => "--bzip2", tbz2 => "--bzip2", xz => "--xz", txz => "--xz");
  if ($is_tar and $destination =~ /\.(\w+)\z/ and $compression{$1}) { push @command, $compression{$1} }
  $about = $destination;
  my ($folder, $name) = enter_folder_of(parts_of($destination));
  check_new_name($name);
  fail("is there already") if lstat $name;
  my $part = "$name." . join("", map { ("a" .. "z")[rand 26] } 1 .. 12) . ".climax-part";
  mkdir $part, 0700 or fail("cannot be written: $!");
  my $new = open_folder($part) or fail($!);
  local @SIG{qw<TERM INT HUP>} = (sub { fail("was stopped") }) x 3;
  my $is_done = eval { pack_copy($new, $folder, $name, \@sources, @command); 1 };
  my $why = $@;
  local @SIG{qw<TERM INT HUP>} = ("IGNORE") x 3;
  $is{recursive} = 1;
  chdir $new and eval { files_in($part, 1) };
  chdir $folder and rmdir $part;
  die $why unless $is_done;
}

sub pack_copy {
  my ($new, $folder, $name, $sources, @command) = @_;
  my ($is_tar) = grep { $_ eq "tar" } @command;
  my ($destination, %packed) = ($about, names => [], left => [], size => 0, copy => [stat $new]);
  chdir $new and mkdir "files", 0700 or fail($!);
  my $files = open_folder("files") or fail($!);
  { local @never = @private;
    for (@$sources) {
      $about = $_;
      my @parts = parts_of($_);
      my @below = @parts[@base .. $#parts];
      if (not @below) { enter(0, @base); pack_folder(\%packed, $files); next }
      my ($from, $last) = enter_folder_of(@parts);
      lstat $last or fail($!);
      fail_link(@parts) if -l _;
      my $to = $files;
      chdir $to && (mkdir($_, 0755) || $!{EEXIST}) && ($to = open_folder($_)) or fail($!) for @below[0 .. $#below - 1];
      chdir $from or fail($!);
      pack_file(join("/", @below), $last, \%packed, $to);
    } }
  $about = $destination;
  my ($names, $left) = @packed{qw<names left>};
  fail("nothing is left to pack") unless @$names;
  chdir $new or fail($!);
  sysopen my $out, "archive", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0666 or fail("cannot be written: $!");
  my $program = fork // fail($!);
  if (not $program) {
    @SIG{qw<TERM INT HUP>} = ("DEFAULT") x 3;
    chdir $files && open STDOUT, ">&", $out or exit 1;
    my $is_open = open my $list, "|-", @command;
    local $SIG{PIPE} = "IGNORE";
    print $list map { $is_tar ? "$_\0" : "$_\n" } @$names if $is_open;
    exit($is_open && close($list) ? 0 : 1);
  }
  waitpid $program, 0;
  fail("was not made") if $?;
  chdir $folder or fail($!);
  lock_folder($folder);
  fail("is there already") if lstat $name;
  rename_between($new, "archive", $folder, $name) or fail("was not made: $!");
  chdir $folder or fail($!);
  print "created '", shown(join "/", parts_of($destination)), "': ", scalar @$names, " files and folders, ", -s $name, " bytes\n";
  print_left_out(@$left);
}

# Links or copies one name of the folder that was entered, and what is below it, to the folder `to`. Links stay links. zip
# ends a name at each end of a line, its list at a name that is too long, and takes - for its input: it gets none of these
sub pack_file {
  my ($path, $name, $packed, $to) = @_;
  my ($names, $left) = @$packed{qw<names left>};
  my @was = lstat $name or return;
  my ($is_folder, $is_link) = (-d _, -l _);
  return if not($is_folder or $is_link or -f _) or is_same(\@was, $packed->{copy});
  if ($path =~ /[\x00-\x1f\x7f]|\A-\z/ or length $path > 4000 or not eval { check_name($name); 1 }) { push @$left, $path; return }
  fail("has over 200,000 files") if @$names >= 200_000;
  my $here = open_folder(".") or fail($!);
  if ($is_folder) {
    my $below = open_folder($name) or fail("'" . shown($path) . "' cannot be opened: $!");
    chdir $below or fail($!);
    if (is_repository({}) or not eval { check_folder(0); 1 }) { push @$left, $path; chdir $here or fail($!); return }
    chdir $to && (mkdir($name, 0700) || $!{EEXIST}) or fail($!);
    my $copy = open_folder($name) or fail($!);
    push @$names, $path;
    chdir $below or fail($!);
    pack_folder($packed, $copy, "$path/");
  } elsif ($is_link) {
    my $leads = readlink $name // fail("'" . shown($path) . "' cannot be read: $!");
    chdir $to or fail($!);
    push @$names, $path if symlink $leads, $name or not $!{EEXIST} && fail($!);
  } elsif (link $name, "/proc/self/fd/" . fileno($to) . "/$name") {
    # No copy is faster than a second name, which leads nowhere else
    chdir $to or fail($!);
    fail("'" . shown($path) . "' was changed by another program meanwhile") unless is_same(\@was, [lstat $name]) and -f _;
    push @$names, $path;
    chdir $here or fail($!);
    return;
  } elsif (not $!{EEXIST}) {
    fail("has over 4 GiB") if ($packed->{size} += $was[7]) > 4 << 30;
    push @$names, $path if copy_file($here, $name, $to, $name, @was);
  }
  chdir $to or fail($!);
  if (not $is_link) {
    chmod $was[2] & 0777 | 0600 | ($is_folder && 0700), $name;
    utime $was[8], $was[9], $name;
  }
  chdir $here or fail($!);
}

sub pack_folder {
  my ($packed, $to, $above) = @_;
  opendir my $list, "." or fail("cannot be listed: $!");
  pack_file(($above // "") . $_, $_, $packed, $to) for sort grep { not /\A\.\.?\z/ } readdir $list;
}

# Somebody who works in a repository that came in an archive would run what its configuration says. What cannot be looked
# at ends the work
sub disarm_repositories {
  my ($path) = @_;
  if (is_repository({})) {
    my ($aside, $count) = ("HEAD.set-aside", 0);
    $aside = "HEAD.set-aside-" . ++$count while lstat $aside;
    rename "HEAD", $aside or fail("'" . shown($path) . "' is a repository of git, and its HEAD cannot be renamed: $!");
    print "'", shown($path), "' is a repository of git: its HEAD is now $aside\n";
  }
  my $here = open_folder(".") or fail("'" . shown($path) . "' cannot be opened: $!");
  opendir my $list, "." or fail("'" . shown($path) . "' cannot be listed: $!");
  for my $name (grep { not /\A\.\.?\z/ } readdir $list) {
    lstat $name or next;
    next unless -d _;
    open_rights($name);
    my $below = open_folder($name) or fail("'" . shown("$path/$name") . "' cannot be opened: $!");
    chdir $below or fail("'" . shown("$path/$name") . "' cannot be entered: $!");
    disarm_repositories("$path/$name");
    chdir $here or fail($!);
  }
}

# Lets this user read and change a folder. It is held open meanwhile, which needs no right (O_PATH of Linux)
sub open_rights {
  my ($name) = @_;
  sysopen my $folder, $name, 0x200000 | O_DIRECTORY | O_NOFOLLOW or return;
  my @is = stat $folder;
  chmod $is[2] & 0777 | 0700, "/proc/self/fd/" . fileno $folder if ($is[2] & 0700) != 0700;
}
