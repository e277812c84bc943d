/** Lists the paths that sandboxes hide or protect, unless the settings of a sandbox name them. */

import { join, sep } from "node:path";
import { leadingNames } from "../process/protected_paths.ts";
import { originalName } from "../text/original_name.ts";
import { personalPlaces, programPlaces } from "./search_path.ts";

/** Keys, credentials, histories and sockets of programs and agents, below the home folder. */
const inHome: readonly string[] = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".config", ".kube", ".docker", ".oci", ".vault-token"],
  ...[".netrc", "_netrc", ".authinfo", ".authinfo.gpg", ".git-credentials", ".databrickscfg"],
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".mylogin.cnf"],
  ...[".s3cfg", ".boto", ".passwd-s3fs", ".kaggle", ".mcp-auth", ".subversion/auth"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".bundle/config"],
  ...[".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties"],
  ...[".terraform.d", ".terraformrc", ".pulumi/credentials.json", ".composer/auth.json"],
  ...[".nuget/NuGet", ".cache/huggingface/token", ".cache/huggingface/stored_tokens"],
  ...[".huggingface", ".local/share/opencode", ".local/share/uv/credentials"],
  // `.cache/git` has a socket by which any program gets the passwords that git remembers
  ...[".cache/git", ".ivy2/.credentials", ".sbt/.credentials", ".android/adbkey"],
  ...[".local/share/python_keyring", ".local/share/com.vercel.cli", ".local/state/climax"],
  ...[".local/share/keyrings", ".local/share/kwalletd", ".password-store", ".pki"],
  ...[".mozilla", ".thunderbird", ".var/app", ".Xauthority", ".ICEauthority"],
  ...[".claude", ".claude.json", ".codex", ".gemini", ".cursor", ".copilot", ".codeium", ".cline"],
  ...[".junie", ".colima", ".lima", ".orbstack", ".rd", ".local/share/containers"],
  ...[".bash_history", ".zsh_history", ".zhistory", ".histfile", ".local/share/fish"],
  ...[".python_history", ".node_repl_history", ".irb_history", ".psql_history", ".sqlite_history"],
  ...[".mysql_history", ".rediscli_history", ".dbshell", ".lesshst", ".viminfo"],
  ...[".sentryclirc", ".vault_pass", ".condarc", ".Renviron", ".curlrc", ".wgetrc"],
  ...["id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"],
];

/** Paths below the home folder that sandboxes hide. {@linkcode inHome} has those that are private in any folder. */
export const privateInHome: readonly string[] = [
  ...inHome,
  "snap",
  // `.gitconfig` may contain passwords of mail servers, and addresses with tokens
  ".gitconfig",
  ...onMac("Library/Accounts", "Library/Application Support", "Library/Calendars"),
  ...onMac("Library/Containers", "Library/Cookies", "Library/Group Containers"),
  ...onMac("Library/HTTPStorages", "Library/Keychains"),
  ...onMac("Library/Mail", "Library/Messages", "Library/Safari", "Library/WebKit"),
];

/** Hidden names in the home folder that sandboxes show, because programs lie there or build with them. */
export const publicInHome: ReadonlySet<string> = new Set([
  ...personalPlaces,
  ...[".cache", ".m2", ".gradle", ".ivy2", ".sbt", ".coursier", ".gem", ".bundle", ".cabal"],
  ...[".stack", ".ghcup", ".opam", ".elan", ".hex", ".mix", ".nuget", ".dotnet", ".android"],
  ...[".conda", ".julia", ".yarn", ".pnpm-store", ".node-gyp", ".electron-gyp", ".composer"],
  ...[".platformio", ".arduino15", ".espressif", ".swiftpm", ".cocoapods", ".pub-cache"],
  ...[".luarocks", ".cpan", ".cpanm", ".perl5", ".virtualenvs", ".poetry", ".pixi"],
  ...[".linuxbrew", ".gvm", ".jbang", ".konan", ".vcpkg", ".conan", ".conan2", ".ccache"],
  ...[".terminfo", ".fonts", ".inputrc", ".editorconfig", ".jq", ".mvn", ".lein"],
  ...[".tool-versions", ".mise.toml", ".nvmrc", ".node-version", ".python-version"],
  ...[".ruby-version", ".gitignore", ".gitignore_global", ".gitattributes"],
]);

/** Names that `never: private` forbids anywhere in a path. `*` stands for any text at the end or the beginning. */
export const privateNames: readonly string[] = [
  ...new Set([
    ...[".git", ".climax", ".climax-logins", ".env*", ".htpasswd", "*.pem", "*.key", "*.p12"],
    // The bundled tools pack and unpack archives in a folder with this ending, which no tool may enter
    "*.climax-part",
    ...["*.pfx", "*.ppk", "*.kdbx", "*.tfstate", "terraform.tfstate*", "*.p8", "*.env"],
    ...[".gitconfig", "credentials.json", "service-account.json", "service_account.json"],
    ...["*.jks", "*.keystore", "*.keytab", "*.ovpn", "secring.gpg", ".dockercfg"],
    ...[".dockerconfigjson", "kubeconfig", "application_default_credentials.json"],
    ...["client_secret.json", "*-firebase-adminsdk.json"],
    ...["id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "#.env*"],
    ...[".netrc*", ".git-credentials*", ".pgpass*"],
    ...inHome.map((path) => path.split("/")[0]!),
  ]),
];

const privatePattern = patternOf(privateNames);

function patternOf(names: readonly string[]): RegExp {
  const words = names.map((name) => RegExp.escape(name).replaceAll("\\*", "[^\\\\/]*"));
  return new RegExp(`(?:^|[\\\\/])(?:${words.join("|")})[. ]*(?::[^\\\\/]*)?(?=[\\\\/]|$)`, "i");
}

const copyPattern =
  /[~#]|\.(?:bak|backup|old|orig|save|sw[a-p]|\d+)(?:[\\/]|$)|[-_](?:bak|backup|old|orig)(?:[\\/]|$)/i;

/** Returns `path` up to the first name of {@linkcode privateNames} in it; `undefined` if there is none. */
export function privatePart(path: string): string | undefined {
  const found = privatePattern.exec(path);
  if (found !== null) return path.slice(0, found.index + found[0].length);
  // A quick look comes first: an index of git has many names, and few of them look like a copy
  if (!copyPattern.test(path)) return undefined;
  const parts = path.split("/");
  const at = parts.findIndex((part) => privatePattern.test(originalName(part)));
  return at === -1 ? undefined : parts.slice(0, at + 1).join("/");
}

/** Folders with files that have no end, which `never: private` forbids. */
export const privateFolders: readonly string[] = ["/proc", "/dev", "/sys"];

/** Paths that every sandbox hides: sockets of services, folders of other people, and files that only root reads. */
export const privateOnMachine: readonly string[] = [
  ...["/run", "/var/run", "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"],
  ...["/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private", "/etc/docker", "/etc/kubernetes"],
  ...["/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/mnt/wslg", "/var/lib/sss"],
  // `/private/var/folders` has the temporary files and caches of each person
  ...onMac("/private/var/folders", "/private/var/root"),
];

/** Folders in `/run` that sandboxes show, because they are a part of the system and have no sockets. */
export const publicInRun: readonly string[] = ["/run/current-system", "/run/opengl-driver"];

/** The files that `/etc/resolv.conf` may lead to, which sandboxes show to programs with a network only. */
export const resolverInRun: readonly string[] = [
  ...["/run/systemd/resolve", "/run/NetworkManager/resolv.conf", "/run/resolvconf/resolv.conf"],
];

export const socketVariables: readonly string[] = [
  ...["SSH_AUTH_SOCK", "SSH_AGENT_SOCK", "DOCKER_HOST", "CONTAINER_HOST", "PODMAN_SOCK"],
  ...["DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "XDG_RUNTIME_DIR", "TMUX"],
  ...["GPG_AGENT_INFO", "GNOME_KEYRING_CONTROL", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE"],
  ...["WAYLAND_DISPLAY", "SWAYSOCK", "I3SOCK", "PULSE_SERVER", "BUILDKIT_HOST"],
];

/** Files of MCP clients in a project, which name the servers that the clients start. */
export const projectFiles = {
  "claude-code": [".mcp.json"],
  cursor: [join(".cursor", "mcp.json")],
  vscode: [join(".vscode", "mcp.json")],
  codex: [join(".codex", "config.toml")],
  gemini: [join(".gemini", "settings.json")],
  zed: [join(".zed", "settings.json")],
  jetbrains: [join(".junie", "mcp", "mcp.json")],
  opencode: ["opencode.json", "opencode.jsonc"],
} as const;

/** Names of files that list MCP servers, and of the folder with what a person has accepted of such servers. */
export const serverFiles: readonly string[] = [
  ...["climax.json", "tamamo-x.config.json", ".tamamo-x", ...projectFiles["claude-code"]],
];

/** Names in a writable folder that other programs of the person, or climax at its start, later run or trust. */
export const protectedNames: readonly string[] = [
  ...new Set([
    ...[".git", ".climax", ...serverFiles, ".climax-logins", "climax.examples.yaml"],
    ...Object.values(projectFiles).flat().map((path) => path.split(sep)[0]!),
    ...[".envrc", ".idea", ".claude", ".cline", ".roo", ".windsurf", ".opencode", ".kiro"],
    ...[".devcontainer", ".husky", ".gitmodules", ".gitconfig", ".pythonrc"],
    ...[".hg", ".jj", ".svn", ".helix", ".exrc", ".nvim.lua", ".pre-commit-config.yaml"],
    ...[".cursorrules", ".qwen", ".continue", ".amazonq", ".trae", ".factory", "crush.json"],
    ...[".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile"],
    ...leadingNames,
  ]),
];

let obeyedPattern: RegExp | undefined;

export function isObeyed(path: string): boolean {
  obeyedPattern ??= patternOf([...protectedNames, ...programPlaces]);
  return obeyedPattern.test(path);
}

/** Names in a `.git` folder that a sandbox protects, since git runs these files or obeys what they say. */
export const protectedInGit: readonly string[] = [
  ...["hooks", "config", "config.worktree", "commondir", "gitdir", "modules", "worktrees", "info"],
  ...["rebase-merge", "rebase-apply", "remotes", "branches", "objects/info/alternates"],
];

/** Folders of the system that every program needs, and sees even if `read` does not name them. */
export const systemFolders: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["/etc", "/opt", "/nix", "/gnu"],
  ...onMac("/System", "/Library", "/var/select", "/var/db/dyld", "/var/db/timezone"),
];

function onMac(...paths: string[]): string[] {
  return Deno.build.os === "darwin" ? paths : [];
}
