/** The moves of a hostile program inside a sandbox, in Python; each prints WON when it gets through. */

/** A move; `isHarmless` ones are also made outside of a sandbox, where they get through. */
export interface Move {
  readonly name: string;
  readonly code: string;
  readonly isHarmless?: true;
  /** The directory in which the call starts. */
  readonly directory?: string;
  /** A file in the server's directory that a successful move leaves. */
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

type More = Omit<Move, "name" | "code" | "isHarmless">;

function move(name: string, code: string, more: More = {}): Move {
  return { name, code, ...more };
}

function harmless(name: string, code: string, more: More = {}): Move {
  return { name, code, isHarmless: true, ...more };
}

const files: readonly Move[] = [
  harmless("writes in the home folder", `write(A["home"] + "/new")`),
  harmless("appends to .bashrc", `write(A["home"] + "/.bashrc")`),
  harmless("writes beside the directory", `write("../beside")`),
  move("writes in /etc", `write("/etc/climax-attack")`),
  harmless(
    "writes through a link of its own",
    `os.path.lexists("l") or os.symlink(A["home"], "l"); write("l/linked")`,
  ),
  move("writes through a hard link", `os.link(A["home"] + "/keep", "hard"); write("hard")`),
  move("moves a file in", `os.rename(A["home"] + "/keep", "kept"); won()`),
  move("removes a file", `os.remove(A["home"] + "/keep"); won()`),
  harmless("changes a mode", `os.chmod(A["home"] + "/keep", 0o666); won()`),
  harmless("sets a time", `os.utime(A["home"] + "/keep"); won()`),
  move(
    "swaps a link between check and open",
    `
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
  ),
  harmless("reads an ssh key", `print(open(A["home"] + "/.ssh/id").read()); won()`),
  harmless(
    "reads credentials of other programs",
    `
for name in [".aws/credentials", ".config/tool/token", ".netrc", ".npmrc", ".docker/config.json"]:
    try: print(open(A["home"] + "/" + name).read()); won()
    except OSError as e: print(e)`,
  ),
  move(
    "reads a key by way of /proc/1/root",
    `open("/proc/1/root" + A["home"] + "/.ssh/id"); won()`,
  ),
  harmless("reads what the policy hides inside", `open("secrets/key"); won()`),
  // Its mount would go along, and the next call would see it there
  harmless("moves what the policy hides out of its place", `os.rename("deep", "moved"); won()`),
  harmless(
    "reads what a link of the project with a protected name leads to",
    `print(open(A["home"] + "/.ssh/id").read()); won()`,
    { directory: "linked" },
  ),
  harmless("writes where keys are hidden", `write(A["home"] + "/.ssh/authorized_keys")`),
  move(
    "unmounts what hides",
    `libc.umount2((A["home"] + "/.ssh").encode(), 2); open(A["home"] + "/.ssh/id"); won()`,
  ),
  move("mounts again with writing", `call("mount", b"none", b"/", b"none", 0x1020, None)`),
  move("mounts a file system", `call("mount", b"none", b"/mnt", b"tmpfs", 0, None)`),
];

const git: readonly Move[] = [
  harmless("writes a hook", `write(".git/hooks/post-commit")`),
  harmless("writes git's configuration", `write(".git/config")`),
  move("leads git to another configuration", `write(".git/commondir", "w")`),
  move("moves .git away", `os.rename(".git", ".old"); won()`),
  move("removes .git", `shutil.rmtree(".git"); won()`),
  harmless("gives the agent a tool in .climax", `write(".climax/tool.yaml")`),
  move("writes a hook of a repository below", `write(".git/hooks/pre-push")`, {
    directory: "below",
  }),
  harmless("writes the configuration of a submodule", `write("sub/.git/config")`),
  move("moves the repository below away", `os.rename("../below", "../other"); won()`, {
    directory: "below",
  }),
  move("moves a submodule away", `os.rename("sub", "sub2"); won()`),
  move(
    "leaves a repository in an empty submodule",
    `os.makedirs("empty/.git"); open("empty/.git/config", "a").close()`,
    { leaves: "empty/.git" },
  ),
  ...[".git/hooks/post-commit", ".vscode/tasks.json", ".claude/settings.json", ".climax/tool.yaml"]
    .map((leaves) => ({
      name: `leaves ${leaves} where none was`,
      directory: "fresh",
      code: `os.makedirs("${
        leaves.split("/").slice(0, -1).join("/")
      }"); open("${leaves}", "a").close()`,
      leaves: `fresh/${leaves}`,
    })),
  move("leaves .mcp.json where none was", `open(".mcp.json", "a").close()`, {
    directory: "fresh",
    leaves: "fresh/.mcp.json",
  }),
  move(
    "leaves a link to a repository of its own",
    `os.makedirs("own/hooks"); os.symlink("own", ".git")`,
    { directory: "fresh", leaves: "fresh/.git/hooks" },
  ),
  move(
    "leaves a hook after the end of its call",
    `
if os.fork() == 0:
    os.setsid(); [os.close(fd) for fd in [0, 1, 2]]
    while True:
        try: os.makedirs(".git/hooks")
        except OSError: pass`,
    { directory: "fresh", leaves: "fresh/.git/hooks" },
  ),
];

const processes: readonly Move[] = [
  harmless(
    "reads the environment of the server",
    `"SECRET" in open("/proc/%d/environ" % A["server"]).read() and won()`,
  ),
  harmless(
    "looks through all environments",
    `
for file in glob.glob("/proc/[0-9]*/environ"):
    try: A["marker"] in open(file).read() and won()
    except OSError: pass`,
  ),
  move(
    "finds a variable that was not passed on",
    `
for file in glob.glob("/proc/[0-9]*/environ"):
    try: "SECRET" in open(file).read() and won()
    except OSError: pass`,
  ),
  harmless("signals the server", `os.kill(A["server"], 0); won()`),
  move("traces the server", `call("ptrace", 0x4206, A["server"], 0, 0)`),
  move("reads the memory of the server", `open("/proc/%d/mem" % A["server"], "rb"); won()`),
  move("finds inherited descriptors", `len(os.listdir("/proc/self/fd")) > 4 and won()`),
  move(
    "types into the terminal",
    `
for fd in [0, 1, 2]:
    try: fcntl.ioctl(fd, 0x5412, b"x"); won()
    except OSError: pass
os.open("/dev/tty", os.O_RDWR); won()`,
  ),
  harmless("finds shared memory", `call("shmget", A["shared"], 0, 0)`),
];

const network: readonly Move[] = [
  harmless("reaches Docker's socket", `reach(socket.AF_UNIX, A["docker"])`),
  harmless("reaches the ssh agent's socket", `reach(socket.AF_UNIX, A["agent"])`),
  harmless("reaches an abstract socket", `reach(socket.AF_UNIX, "\\0" + A["abstract"])`),
  harmless("connects over TCP", `reach(socket.AF_INET, ("127.0.0.1", A["tcp"]))`),
  harmless(
    "sends over UDP",
    `
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
s.sendto(b"ask", ("127.0.0.1", A["udp"])); s.recvfrom(100); won()`,
  ),
  move(
    "reaches the host of a virtual machine",
    `
for family in [socket.AF_VSOCK, socket.AF_ALG, socket.AF_PACKET, 43]:
    try: socket.socket(family, socket.SOCK_STREAM); won()
    except OSError as e: print(e)`,
  ),
  move("asks DNS", `socket.getaddrinfo("example.org", 80); won()`),
  move("finds an interface", `len(open("/proc/net/dev").readlines()) > 3 and won()`),
  move("finds sockets of services", `os.listdir("/run") and won()`),
];

const kernel: readonly Move[] = [
  move("makes a user namespace", `call("unshare", 0x10000000)`),
  move("makes a network namespace", `call("unshare", 0x40000000)`),
  move(
    "forks into a user namespace",
    `
number = {"x86_64": 56}.get(os.uname().machine, 220)
pid = libc.syscall(number, 0x10000000 | 17, 0, 0, 0, 0)
if pid == 0: os._exit(0)
pid > 0 and won()`,
  ),
  move(
    "forks into a user namespace by clone3",
    `
flags = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
pid = libc.syscall(435, ctypes.byref(flags), 88)
if pid == 0: os._exit(0)
pid > 0 and won()`,
  ),
  move("changes its root", `os.chroot("."); won()`),
  move("makes a device", `os.mknod("device", 0o600 | 0o060000, os.makedev(7, 0)); won()`),
  move("opens the memory of the machine", `os.open("/dev/mem", os.O_RDONLY); won()`),
  move("sets the clock", `time.clock_settime(time.CLOCK_REALTIME, time.time()); won()`),
  move("names the machine", `socket.sethostname(socket.gethostname()); won()`),
  move(
    "sets what the kernel runs for a core",
    `open("/proc/sys/kernel/core_pattern", "r+"); won()`,
  ),
  move("presses the keys of the kernel", `open("/proc/sysrq-trigger", "w"); won()`),
  move("writes in /sys", `open("/sys/kernel/uevent_helper", "r+"); won()`),
  move(
    "fills the memory by way of /tmp, /dev/shm and /dev",
    `
for place in ["/tmp/big", "/dev/shm/big", "/dev/big"]:
    try:
        f = os.open(place, os.O_CREAT | os.O_RDWR); os.posix_fallocate(f, 0, 1 << 29); won()
    except OSError as e: print(e)`,
  ),
  move("uses a keyring", `call("syscall", {"x86_64": 250}.get(os.uname().machine, 219), 0, -3, 0)`),
  move(
    "takes privileges",
    `
for line in open("/proc/self/status"):
    line.startswith("CapEff") and int(line.split()[1], 16) != 0 and won()
    line.startswith("NoNewPrivs") and line.split()[1] != "1" and won()`,
  ),
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

/** Makes the targets of the moves outside of the sandbox; prints them as JSON, and then what it received. */
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
