/** What a hostile program tries from inside of a sandbox, in Python; each prints WON when it got through. */

/** A move; `isHarmless` ones are also made outside of a sandbox, where they get through. */
export interface Move {
  readonly name: string;
  readonly code: string;
  readonly isHarmless?: true;
  /** Where the call starts. */
  readonly directory?: string;
  /** What would be there after the call, in the directory of the server. */
  readonly leaves?: string;
}

/** In front of every move, after `A`, which has what the test prepared. */
export const prelude = `
import os, sys, socket, ctypes, fcntl, glob, shutil, signal, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def won(): print("WON"); sys.stdout.flush()
def call(name, *args):
    if getattr(libc, name)(*args) >= 0: won()
def write(path, mode="a"):
    with open(path, mode) as f: f.write("x")
    won()
def reach(kind, address):
    s = socket.socket(kind); s.settimeout(2); s.connect(address); s.send(b"stolen"); won()
`;

const files: readonly Move[] = [
  { name: "writes in the home folder", code: `write(A["home"] + "/new")`, isHarmless: true },
  { name: "appends to .bashrc", code: `write(A["home"] + "/.bashrc")`, isHarmless: true },
  { name: "writes beside the directory", code: `write("../beside")`, isHarmless: true },
  { name: "writes in /etc", code: `write("/etc/climax-attack")` },
  {
    name: "writes through a link of its own",
    code: `os.path.lexists("l") or os.symlink(A["home"], "l"); write("l/linked")`,
    isHarmless: true,
  },
  {
    name: "writes through a hard link",
    code: `os.link(A["home"] + "/keep", "hard"); write("hard")`,
  },
  { name: "moves a file in", code: `os.rename(A["home"] + "/keep", "kept"); won()` },
  { name: "removes a file", code: `os.remove(A["home"] + "/keep"); won()` },
  { name: "changes a mode", code: `os.chmod(A["home"] + "/keep", 0o666); won()`, isHarmless: true },
  { name: "sets a time", code: `os.utime(A["home"] + "/keep"); won()`, isHarmless: true },
  {
    name: "swaps a link between check and open",
    code: `
os.makedirs("d", exist_ok=True); os.path.lexists("s") or os.symlink(A["home"], "s")
done = False
def swap():
    while not done:
        try: os.rename("d", "e"); os.rename("s", "d"); os.rename("d", "s"); os.rename("e", "d")
        except OSError: pass
t = threading.Thread(target=swap); t.start()
for _ in range(3000):
    try:
        if not os.path.islink("d"): open("d/raced", "a").close()
    except OSError: pass
done = True; t.join()
os.path.exists(A["home"] + "/raced") and won()`,
  },
  {
    name: "reads an ssh key",
    code: `print(open(A["home"] + "/.ssh/id").read()); won()`,
    isHarmless: true,
  },
  {
    name: "reads credentials of other programs",
    code: `
for name in [".aws/credentials", ".config/tool/token", ".netrc", ".npmrc", ".docker/config.json"]:
    try: print(open(A["home"] + "/" + name).read()); won()
    except OSError as e: print(e)`,
    isHarmless: true,
  },
  {
    name: "reads a key by way of /proc/1/root",
    code: `open("/proc/1/root" + A["home"] + "/.ssh/id"); won()`,
  },
  {
    name: "reads what the policy hides inside",
    code: `open("secrets/key"); won()`,
    isHarmless: true,
  },
  {
    name: "moves what the policy hides out of its place",
    // Its mount would go along, and the next call would see it there
    code: `os.rename("deep", "moved"); won()`,
    isHarmless: true,
  },
  {
    name: "reads what a link of the project with a protected name leads to",
    directory: "linked",
    code: `print(open(A["home"] + "/.ssh/id").read()); won()`,
    isHarmless: true,
  },
  {
    name: "writes where keys are hidden",
    code: `write(A["home"] + "/.ssh/authorized_keys")`,
    isHarmless: true,
  },
  {
    name: "unmounts what hides",
    code: `libc.umount2((A["home"] + "/.ssh").encode(), 2); open(A["home"] + "/.ssh/id"); won()`,
  },
  {
    name: "mounts again with writing",
    code: `call("mount", b"none", b"/", b"none", 0x1020, None)`,
  },
  { name: "mounts a file system", code: `call("mount", b"none", b"/mnt", b"tmpfs", 0, None)` },
];

const git: readonly Move[] = [
  { name: "writes a hook", code: `write(".git/hooks/post-commit")`, isHarmless: true },
  { name: "writes git's configuration", code: `write(".git/config")`, isHarmless: true },
  { name: "leads git to another configuration", code: `write(".git/commondir", "w")` },
  { name: "moves .git away", code: `os.rename(".git", ".old"); won()` },
  { name: "removes .git", code: `shutil.rmtree(".git"); won()` },
  {
    name: "gives the agent a tool in .climax",
    code: `write(".climax/tool.yaml")`,
    isHarmless: true,
  },
  {
    name: "writes a hook of a repository below",
    directory: "below",
    code: `write(".git/hooks/pre-push")`,
    isHarmless: true,
  },
  ...[".git/hooks/post-commit", ".vscode/tasks.json", ".claude/settings.json", ".climax/tool.yaml"]
    .map((leaves) => ({
      name: `leaves ${leaves} where none was`,
      directory: "fresh",
      code: `os.makedirs("${
        leaves.split("/").slice(0, -1).join("/")
      }"); open("${leaves}", "a").close()`,
      leaves: `fresh/${leaves}`,
    })),
  {
    name: "leaves .mcp.json where none was",
    directory: "fresh",
    code: `open(".mcp.json", "a").close()`,
    leaves: "fresh/.mcp.json",
  },
  {
    name: "leaves a link to a repository of its own",
    directory: "fresh",
    code: `os.makedirs("own/hooks"); os.symlink("own", ".git")`,
    leaves: "fresh/.git/hooks",
  },
  {
    name: "leaves a hook after the end of its call",
    directory: "fresh",
    code: `
if os.fork() == 0:
    os.setsid(); [os.close(fd) for fd in [0, 1, 2]]
    while True:
        try: os.makedirs(".git/hooks")
        except OSError: pass`,
    leaves: "fresh/.git/hooks",
  },
];

const processes: readonly Move[] = [
  {
    name: "reads the environment of the server",
    code: `"SECRET" in open("/proc/%d/environ" % A["server"]).read() and won()`,
    isHarmless: true,
  },
  {
    name: "looks through all environments",
    code: `
for file in glob.glob("/proc/[0-9]*/environ"):
    try: A["marker"] in open(file).read() and won()
    except OSError: pass`,
    isHarmless: true,
  },
  {
    name: "finds a variable that was not passed on",
    code: `
for file in glob.glob("/proc/[0-9]*/environ"):
    try: "SECRET" in open(file).read() and won()
    except OSError: pass`,
  },
  { name: "signals the server", code: `os.kill(A["server"], 0); won()`, isHarmless: true },
  { name: "traces the server", code: `call("ptrace", 0x4206, A["server"], 0, 0)` },
  {
    name: "reads the memory of the server",
    code: `open("/proc/%d/mem" % A["server"], "rb"); won()`,
  },
  { name: "finds inherited descriptors", code: `len(os.listdir("/proc/self/fd")) > 4 and won()` },
  {
    name: "types into the terminal",
    code: `
for fd in [0, 1, 2]:
    try: fcntl.ioctl(fd, 0x5412, b"x"); won()
    except OSError: pass
os.open("/dev/tty", os.O_RDWR); won()`,
  },
  { name: "finds shared memory", code: `call("shmget", A["shared"], 0, 0)`, isHarmless: true },
];

const network: readonly Move[] = [
  { name: "reaches Docker's socket", code: `reach(socket.AF_UNIX, A["docker"])`, isHarmless: true },
  {
    name: "reaches the ssh agent's socket",
    code: `reach(socket.AF_UNIX, A["agent"])`,
    isHarmless: true,
  },
  {
    name: "reaches an abstract socket",
    code: `reach(socket.AF_UNIX, "\\0" + A["abstract"])`,
    isHarmless: true,
  },
  {
    name: "connects over TCP",
    code: `reach(socket.AF_INET, ("127.0.0.1", A["tcp"]))`,
    isHarmless: true,
  },
  {
    name: "sends over UDP",
    code: `
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
s.sendto(b"ask", ("127.0.0.1", A["udp"])); s.recvfrom(100); won()`,
    isHarmless: true,
  },
  {
    name: "reaches the host of a virtual machine",
    code: `
for family in [socket.AF_VSOCK, socket.AF_ALG, socket.AF_PACKET, 43]:
    try: socket.socket(family, socket.SOCK_STREAM); won()
    except OSError as e: print(e)`,
  },
  { name: "asks DNS", code: `socket.getaddrinfo("example.org", 80); won()` },
  { name: "finds an interface", code: `len(open("/proc/net/dev").readlines()) > 3 and won()` },
  { name: "finds sockets of services", code: `os.listdir("/run") and won()` },
];

const kernel: readonly Move[] = [
  { name: "makes a user namespace", code: `call("unshare", 0x10000000)` },
  { name: "makes a network namespace", code: `call("unshare", 0x40000000)` },
  {
    name: "forks into a user namespace",
    code: `
number = {"x86_64": 56}.get(os.uname().machine, 220)
pid = libc.syscall(number, 0x10000000 | 17, 0, 0, 0, 0)
if pid == 0: os._exit(0)
pid > 0 and won()`,
  },
  {
    name: "forks into a user namespace by clone3",
    code: `
flags = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
pid = libc.syscall(435, ctypes.byref(flags), 88)
if pid == 0: os._exit(0)
pid > 0 and won()`,
  },
  { name: "changes its root", code: `os.chroot("."); won()` },
  { name: "makes a device", code: `os.mknod("device", 0o600 | 0o060000, os.makedev(7, 0)); won()` },
  { name: "opens the memory of the machine", code: `os.open("/dev/mem", os.O_RDONLY); won()` },
  { name: "sets the clock", code: `time.clock_settime(time.CLOCK_REALTIME, time.time()); won()` },
  { name: "names the machine", code: `socket.sethostname(socket.gethostname()); won()` },
  {
    name: "sets what the kernel runs for a core",
    code: `open("/proc/sys/kernel/core_pattern", "r+"); won()`,
  },
  { name: "presses the keys of the kernel", code: `open("/proc/sysrq-trigger", "w"); won()` },
  { name: "writes in /sys", code: `open("/sys/kernel/uevent_helper", "r+"); won()` },
  {
    name: "fills the memory by way of /tmp, /dev/shm and /dev",
    code: `
for place in ["/tmp/big", "/dev/shm/big", "/dev/big"]:
    try:
        f = os.open(place, os.O_CREAT | os.O_RDWR); os.posix_fallocate(f, 0, 1 << 29); won()
    except OSError as e: print(e)`,
  },
  {
    name: "uses a keyring",
    code: `call("syscall", {"x86_64": 250}.get(os.uname().machine, 219), 0, -3, 0)`,
  },
  {
    name: "takes privileges",
    code: `
for line in open("/proc/self/status"):
    line.startswith("CapEff") and int(line.split()[1], 16) != 0 and won()
    line.startswith("NoNewPrivs") and line.split()[1] != "1" and won()`,
  },
];

/** Moves that the text of one call tells. */
export const moves: readonly Move[] = [...files, ...git, ...processes, ...network, ...kernel];

/** Leaves the call, `count` times: without parent, session and environment, the marker as its name. */
export function leaving(count: number): string {
  return `
for _ in range(${count}):
    if os.fork() == 0:
        os.setsid()
        if os.fork(): os._exit(0)
        os.close(0); os.close(1); os.close(2)
        os.execvpe("sleep", [A["marker"], "600"], {"PATH": os.environ["PATH"]})
`;
}

/** What the moves reach for, outside of the sandbox; prints what it made as JSON, and then what it heard. */
export const helper = `
import sys, os, json, socket, threading, ctypes
home = sys.argv[1]; marker = sys.argv[2]
def listen(s, address):
    s.bind(address); s.listen()
    def accept():
        while True:
            c, _ = s.accept(); print("heard", c.recv(100), flush=True); c.close()
    threading.Thread(target=accept, daemon=True).start()
    return s
listen(socket.socket(socket.AF_UNIX), home + "/.docker/run/docker.sock")
listen(socket.socket(socket.AF_UNIX), home + "/agent.sock")
listen(socket.socket(socket.AF_UNIX), "\\0" + marker)
tcp = listen(socket.socket(), ("127.0.0.1", 0))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(("127.0.0.1", 0))
def answer():
    while True:
        _, who = udp.recvfrom(100); udp.sendto(b"yes", who)
threading.Thread(target=answer, daemon=True).start()
key = os.getpid() & 0x7fffffff
libc = ctypes.CDLL(None)
shared = libc.shmget(key, 4096, 0o1666)
print(json.dumps({"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1], "shared": key}), flush=True)
sys.stdin.read()
libc.shmctl(shared, 0, None)
`;
