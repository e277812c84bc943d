# Ends a process of this user that was started in the folder in which this program starts, or that listens on loopback.
#
#   perl end_process.pl [--directory=FOLDER] [--force] [--dry-run] [--pid=NUMBER] [--port=NUMBER]
#
# `--dry-run` prints what would be ended. no climax, no program that one was started by and no client is ended.

use strict;
use warnings;
use POSIX qw(strftime);

my %is = map { /\A--([\w-]+)(?:=(.*))?\z/s ? ($1 => $2 // 1) : () } @ARGV;
defined $is{pid} xor defined $is{port} or fail("expected pid or port, and not both");

# The folder that is served, as the kernel names it
my $served = readlink("/proc/self/cwd") // fail("no process can be seen without /proc");
chdir($is{directory} // ".") or fail("the directory: $!");
my $folder = readlink "/proc/self/cwd";
fail("the directory leads out of the folder that is served") unless is_below($folder, $served);

# Of each process of this user: its parent, its start in ticks, and the inodes of its sockets
my %all;
for my $path (glob "/proc/[0-9]*") {
  my ($pid) = $path =~ /(\d+)\z/;
  my $own = (stat $path)[4];
  my @fields = fields($pid) or next;
  my %sockets;
  if (defined $own and $own == $<) {
    for (glob "$path/fd/*") { $sockets{$1} = 1 if (readlink($_) // "") =~ /\Asocket:\[(\d+)\]/ }
  }
  $all{$pid} = { own => defined $own && $own == $<, parent => $fields[1], start => $fields[19], sockets => \%sockets };
}

my (@listening, @connected);
for my $line (map { lines("/proc/net/$_") } "tcp", "tcp6") {
  my (undef, $here, $there, $state, undef, undef, undef, undef, undef, $inode) = split " ", $line;
  next unless defined $inode and $here =~ /\A([0-9A-F]+):([0-9A-F]+)\z/;
  my ($address, $port) = ($1, hex $2);
  # 127.0.0.1, ::1 and ::ffff:127.0.0.1, as the kernel writes them
  my $is_loopback = $address =~ /\A(?:[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)\z/;
  my ($to) = $there =~ /:([0-9A-F]+)\z/;
  push @listening, { port => $port, inode => $inode, is_loopback => $is_loopback } if $state eq "0A";
  push @connected, { to => hex $to, inode => $inode } if $state eq "01";
}

# climax, its other processes for other clients, what these were started by, and who is connected to a port of theirs
my (%never, $own);
$own = program(getppid);
for my $one ($$, grep { defined $own and $all{$_}{own} and (program($_) // "") eq $own } keys %all) {
  for (my $pid = $one; $pid and $all{$pid} and not $never{$pid}; $pid = $all{$pid}{parent}) { $never{$pid} = 1 }
}
my %ports = map { $_->{port} => 1 } grep { my $one = $_; grep { $all{$_}{sockets}{$one->{inode}} } keys %never } @listening;
for my $pid (keys %all) { $never{$pid} = 1 if grep { $ports{$_->{to}} && $all{$pid}{sockets}{$_->{inode}} } @connected }

my @found = sort { $a <=> $b } defined $is{pid} ? grep { $_ == $is{pid} } keys %all : listeners($is{port});
fail(defined $is{pid} ? "there is no process $is{pid}" : "no process of this user listens on port $is{port}") unless @found;
for (@found) { my $why = refusal($_); fail("process $_ (" . name($_) . ") $why") if defined $why }
print join("", map { about($_) } @found);
exit 0 if $is{"dry-run"};

for my $pid (@found) {
  my @now = fields($pid) or next;
  fail("process $pid is another one now") if $now[19] != $all{$pid}{start};
  kill($is{force} ? "KILL" : "TERM", $pid) or fail("process $pid cannot be ended: $!");
}
for (1 .. 50) {
  @found = grep { my @now = fields($_); @now && $now[0] ne "Z" && $now[19] == $all{$_}{start} } @found;
  last unless @found;
  select undef, undef, undef, 0.1;
}
if (@found) { print STDERR "still running after 5 seconds: ", join(", ", @found), " (force ends it at once)\n"; exit 1 }
print "ended\n";

sub fail { print STDERR "@_\n"; exit 1 }

sub lines {
  open my $file, "<", $_[0] or return;
  return <$file>;
}

# What the kernel says of a process, from its state on
sub fields {
  my ($line) = lines("/proc/$_[0]/stat");
  return defined $line && $line =~ /\A.*\) (.*)/s ? split(" ", $1) : ();
}

sub listeners {
  my ($port) = @_;
  my @inodes = map { $_->{inode} } grep { $_->{port} == $port } @listening;
  return grep { my $pid = $_; grep { $all{$pid}{sockets}{$_} } @inodes } keys %all;
}

sub name {
  my ($name) = lines("/proc/$_[0]/comm");
  return ($name // "?") =~ s/[^ -~]//gr;
}

# The program of a process, with the script that Deno runs
sub program {
  my ($pid) = @_;
  my $program = readlink "/proc/$pid/exe" // return;
  return $program unless $program =~ m{/deno[^/]*\z};
  my (undef, @words) = split /\0/, join "", lines("/proc/$pid/cmdline");
  my ($script) = grep { not /\A(?:-.*|run)\z/s } @words;
  return unless defined $script;
  return "$program " . ($script =~ m{\A(?:/|\w+:)} ? $script : (readlink("/proc/$pid/cwd") // "") . "/$script");
}

sub is_below {
  my ($place, $above) = @_;
  return $place eq $above || index($place, $above eq "/" ? "/" : "$above/") == 0;
}

# Why a process stays; nothing if it may be ended
sub refusal {
  my ($pid) = @_;
  return "is climax, its client, or what they were started by: it is never ended" if $never{$pid};
  return "belongs to another user" unless $all{$pid}{own};
  return if is_below(readlink("/proc/$pid/cwd") // "", $folder);
  my @own = grep { $all{$pid}{sockets}{$_->{inode}} } @listening;
  return if @own and not grep { not $_->{is_loopback} } @own;
  return "was not started in the folder that is served, and does not listen on loopback alone";
}

sub about {
  my ($pid) = @_;
  my ($boot) = map { /\Abtime (\d+)/ ? $1 : () } lines("/proc/stat");
  my $since = strftime("%F %T", localtime $boot + $all{$pid}{start} / POSIX::sysconf(POSIX::_SC_CLK_TCK()));
  my $place = (readlink("/proc/$pid/cwd") // "?") =~ s/[^ -~]/?/gr;
  my @ports = map { $_->{port} } grep { $all{$pid}{sockets}{$_->{inode}} } @listening;
  return "$pid " . name($pid) . ", since $since, in $place" . (@ports ? ", listens on " . join(", ", @ports) : "") . "\n";
}
