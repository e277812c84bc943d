# Writes, edits, creates, moves, copies and removes files below the folder in which it starts, and nothing elsewhere.
#
#   perl files_write.pl write|edit|mkdir|move|copy|remove|unpack|pack|give [--dry-run] [--overwrite] [--directory=FOLDER] = PATH...
#
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
our @never = (@private, qw<{programs} {protected}>);
my $most = 10 * 1024 * 1024;

my ($what, $directory, %is) = (shift(@ARGV), "");
while (defined(my $option = shift @ARGV)) {
  last if $option eq "=";
  if ($option =~ /^--directory=(.*)/s) { $directory = $1 }
  else { $is{$option} = 1 }
}
# The path that a message is about
my $about = $ARGV[0];
my $failed = 0;

my ($top, @base);
my %do = (
  write => sub { change_file() },
  edit => sub { change_file() },
  mkdir => sub { each_path(\&make_folders) },
  move => sub { transfer(\&move_file) },
  copy => sub { transfer(\&copy_file) },
  remove => sub { each_path(\&remove_file) },
  unpack => sub { unpack_archive() },
  pack => sub { pack_files() },
  give => sub { give_file() },
);
attempt(sub {
  $top = open_folder(".") or fail("the folder that is served: $!");
  @base = parts_of($directory);
  $do{$what}->();
});
exit $failed;

# Ends the work on the path
sub fail { die "@_\n" }

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

# Enters the folder of the parts from the top, and returns it open; with `creates`, makes those that are missing
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
  my @parts = @_;
  my $name = pop @parts;
  fail("names no file") unless defined $name;
  my $folder = enter(0, @parts);
  check_name($name);
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

sub check_name {
  my ($name) = @_;
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

# ---------------------------------------------------------------- One file

# Opens a file that is there for reading, as the one that lstat found
sub open_file {
  my ($name, @was) = @_;
  # A pipe in its place would wait for somebody who writes
  sysopen my $file, $name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or fail("cannot be read: $!");
  fail("was changed by another program meanwhile") unless is_same(\@was, [stat $file]);
  binmode $file;
  return $file;
}

sub change_file {
  my ($path, $old) = @ARGV;
  fail("names no file") if $path =~ m{(?:\A|/)\.{0,2}\z};
  my @parts = parts_of($path);
  my ($folder, $name) = enter_folder_of(@parts);
  lock_folder($folder) unless $is{"--dry-run"};
  my @was = lstat $name;
  fail("is a link: name the file that it leads to") if -l _;
  fail("is no file") if @was and not -f _;
  fail("has over 10 MiB") if @was and $was[7] > $most;
  my $in = @was ? open_file($name, @was) : undef;
  my $before = $in ? do { local $/; <$in> // "" } : "";
  my $after = do { local $/; binmode STDIN; <STDIN> // "" };
  if ($what eq "write") {
    fail("is there already: set overwrite, or change a part with files_edit") if @was and not $is{"--overwrite"};
  } else {
    fail("is not there: files_write creates it") unless @was;
    $after = edited($before, $old, $after);
  }
  fail("would have over 10 MiB") if length $after > $most;
  check_new_name($name) unless @was;
  if (@was and $before eq $after) { print "unchanged\n"; return }
  replace_file($name, $after, @was) unless $is{"--dry-run"};
  my $label = shown(join "/", @parts);
  my $mark = $label eq join("/", @parts) ? "" : '"';
  show_difference($in, $after, @was ? "${mark}a/$label$mark" : "/dev/null", "${mark}b/$label$mark");
}

sub edited {
  my ($before, $old, $new) = @_;
  fail("is binary") if $before =~ /\0/;
  fail("the old text is empty") if $old eq "";
  if ($before =~ /\r\n/ and $before !~ /(?<!\r)\n/) { s/\r?\n/\r\n/g for $old, $new }
  my ($count, $at, $next) = (0, 0, 0);
  while (($next = index $before, $old, $next) >= 0) { $count++; $at = $next++ }
  fail("the old text is not in it: read it again, every space and line end counts") unless $count;
  fail("the old text is in it $count times: give more lines around it") if $count > 1;
  substr($before, $at, length $old) = $new;
  return $before;
}

# Puts a new file in the place of the old one: who reads it sees one or the other, and other names of the old one keep it
sub replace_file {
  my ($name, $text, @was) = @_;
  my $part = ".new-" . join("", map { ("a" .. "z")[rand 26] } 1 .. 12) . ".part";
  sysopen my $out, $part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666 or fail("cannot be written: $!");
  binmode $out;
  my $is_done = print $out $text;
  if (@was) { chown $was[4], $was[5], $out; chmod $was[2] & 0777, $out }
  $is_done = close($out) && $is_done;
  my $why = $!;
  my @is = lstat $name;
  my $is_same = join(",", @was[1, 7, 9]) eq join(",", @is[1, 7, 9]) if @was and @is;
  if ($is_done and (@was ? !$is_same : @is)) { ($is_done, $why) = (0, "it was changed by another program meanwhile") }
  elsif ($is_done and not rename $part, $name) { ($is_done, $why) = (0, $!) }
  return if $is_done;
  unlink $part;
  fail("cannot be written: $why");
}

# The program gets the old file as it is open, and the new text as its input
sub show_difference {
  my ($old, $new, @labels) = @_;
  my $from = "/dev/null";
  if ($old) {
    seek $old, 0, SEEK_SET;
    fcntl $old, F_SETFD, 0;
    $from = "/dev/fd/" . fileno $old;
  }
  local $SIG{PIPE} = "IGNORE";
  my @command = ("diff", "-u", map({ ("--label", $_) } @labels), "--", $from, "-");
  my $is_open = open my $diff, "|-", @command;
  if (not $is_open) { print "$labels[1]: the program diff, which shows the difference, cannot be started: $!\n"; return }
  binmode $diff;
  print $diff $new;
  close $diff;
  print "an empty file: $labels[1]\n" if $new eq "" and not $old;
}

# ---------------------------------------------------------------- Folders, and from one to another

sub make_folders {
  my @parts = parts_of($_[0]);
  fail("names the folder that is served, which is there") unless @parts;
  enter(1, @parts);
}

sub remove_file {
  my @parts = parts_of($_[0]);
  my ($folder, $name) = enter_folder_of(@parts);
  lock_folder($folder);
  lstat $name or fail("cannot be removed: $!");
  my $is_folder = -d _;
  ($is_folder ? rmdir $name : unlink $name) or fail("cannot be removed: $!");
  print "removed ", $is_folder ? "directory " : "", "'", shown(join "/", @parts), "'\n";
}

# Gives `act` both folders and names, with the folders open and locked; nothing if the destination is there already
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
  my @folders = sort { join(",", (stat $a)[0, 1]) cmp join(",", (stat $b)[0, 1]) } $from, $to;
  pop @folders if is_same(map { [stat $_] } @folders);
  lock_folder($_) for @folders;
  return if lstat $new;
  $about = $destination;
  check_new_name($new);
  $about = $source;
  return unless $act->($from, $old, $to, $new, @was);
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

# Runs a program that gets the file as its input
sub give_file {
  my ($path, @command) = @ARGV;
  my $in = open_archive($path);
  open STDIN, "<&", $in or fail($!);
  exec @command or fail($!);
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

# Runs a program that gets names, of files below the directory of the call, on its input and puts them into a new archive
sub pack_files {
  my ($destination, @command) = @ARGV;
  my ($end) = grep { $command[$_] eq "--" } 0 .. $#command;
  my @sources = splice @command, $end + 1;
  pop @command;
  my ($is_tar) = grep { $_ eq "tar" } @command;
  my %compression = (gz => "--gzip", tgz => "--gzip", bz2 => "--bzip2", tbz2 => "--bzip2", xz => "--xz", txz => "--xz");
  if ($is_tar and $destination =~ /\.(\w+)\z/ and $compression{$1}) { push @command, $compression{$1} }
  my (@names, @left);
  { local @never = @private;
    for (@sources) {
      $about = $_;
      my @parts = parts_of($_);
      my @below = @parts[@base .. $#parts];
      if (not @below) { enter(0, @base); list_files(\@names, \@left); next }
      my ($folder, $name) = enter_folder_of(@parts);
      lstat $name or fail($!);
      fail_link(@parts) if -l _;
      list_file(join("/", @below), $name, \@names, \@left);
    } }
  $about = $destination;
  fail("nothing is left to pack") unless @names;
  my ($folder, $name) = enter_folder_of(parts_of($destination));
  check_new_name($name);
  fail("is there already") if lstat $name;
  my $part = ".new-" . join("", map { ("a" .. "z")[rand 26] } 1 .. 12) . ".part";
  sysopen my $out, $part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0666 or fail("cannot be written: $!");
  my $program = fork // fail($!);
  if (not $program) {
    my $from = eval { enter(0, @base) } or exit 1;
    open STDOUT, ">&", $out or exit 1;
    my $is_open = open my $list, "|-", @command;
    local $SIG{PIPE} = "IGNORE";
    print $list map { $is_tar ? "$_\0" : "$_\n" } @names if $is_open;
    exit($is_open && close($list) ? 0 : 1);
  }
  waitpid $program, 0;
  my $ending = $?;
  chdir $folder or fail($!);
  lock_folder($folder);
  my $is_done = $ending == 0 && !lstat $name && rename $part, $name;
  unlink $part unless $is_done;
  fail("was not made") unless $is_done;
  print "created '", shown(join "/", parts_of($destination)), "': ", scalar @names, " files and folders, ", -s $name, " bytes\n";
  print "left out, as no tool may read them: ", join(", ", map { "'" . shown($_) . "'" } @left[0 .. ($#left > 4 ? 4 : $#left)]), @left > 5 ? " and " . (@left - 5) . " more" : "", "\n" if @left;
}

# Adds one name of the folder that was entered, and what is below it. Links stay links
sub list_file {
  my ($path, $name, $names, $left) = @_;
  lstat $name or return;
  my $is_folder = -d _;
  return unless $is_folder or -f _ or -l _;
  if ($path =~ /\n/ or not eval { check_name($name); 1 }) { push @$left, $path; return }
  fail("has over 200,000 files") if @$names >= 200_000;
  if (not $is_folder) { push @$names, $path; return }
  my $here = open_folder(".") or fail($!);
  my $below = open_folder($name) or fail("'" . shown($path) . "' cannot be opened: $!");
  chdir $below or fail($!);
  if (is_repository({}) or not eval { check_folder(0); 1 }) { push @$left, $path }
  else {
    push @$names, $path;
    list_files($names, $left, "$path/");
  }
  chdir $here or fail($!);
}

sub list_files {
  my ($names, $left, $above) = @_;
  opendir my $list, "." or fail("cannot be listed: $!");
  list_file(($above // "") . $_, $_, $names, $left) for sort grep { not /\A\.\.?\z/ } readdir $list;
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
