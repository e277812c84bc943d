/** The policies that come with the program, by name, embedded as text. Loaded when one is named. */

import ask from "../../configs/policies/ask.yaml" with { type: "text" };
import awsReadonly from "../../configs/policies/aws-readonly.yaml" with { type: "text" };
import cargoReadonly from "../../configs/policies/cargo-readonly.yaml" with { type: "text" };
import claudeReadonly from "../../configs/policies/claude-readonly.yaml" with { type: "text" };
import codexReadonly from "../../configs/policies/codex-readonly.yaml" with { type: "text" };
import coreutilsReadonly from "../../configs/policies/coreutils-readonly.yaml" with {
  type: "text",
};
import curlReadonly from "../../configs/policies/curl-readonly.yaml" with { type: "text" };
import denoReadonly from "../../configs/policies/deno-readonly.yaml" with { type: "text" };
import dockerComposeReadonly from "../../configs/policies/docker-compose-readonly.yaml" with {
  type: "text",
};
import dockerReadonly from "../../configs/policies/docker-readonly.yaml" with { type: "text" };
import fdReadonly from "../../configs/policies/fd-readonly.yaml" with { type: "text" };
import ffmpegReadonly from "../../configs/policies/ffmpeg-readonly.yaml" with { type: "text" };
import ffprobeReadonly from "../../configs/policies/ffprobe-readonly.yaml" with { type: "text" };
import filesReadonly from "../../configs/policies/files-readonly.yaml" with { type: "text" };
import gcloudReadonly from "../../configs/policies/gcloud-readonly.yaml" with { type: "text" };
import geminiReadonly from "../../configs/policies/gemini-readonly.yaml" with { type: "text" };
import ghReadonly from "../../configs/policies/gh-readonly.yaml" with { type: "text" };
import gitReadonly from "../../configs/policies/git-readonly.yaml" with { type: "text" };
import journalctlReadonly from "../../configs/policies/journalctl-readonly.yaml" with {
  type: "text",
};
import jqReadonly from "../../configs/policies/jq-readonly.yaml" with { type: "text" };
import kubectlReadonly from "../../configs/policies/kubectl-readonly.yaml" with { type: "text" };
import npmReadonly from "../../configs/policies/npm-readonly.yaml" with { type: "text" };
import obsidianReadonly from "../../configs/policies/obsidian-readonly.yaml" with { type: "text" };
import pandocReadonly from "../../configs/policies/pandoc-readonly.yaml" with { type: "text" };
import pipReadonly from "../../configs/policies/pip-readonly.yaml" with { type: "text" };
import psqlReadonly from "../../configs/policies/psql-readonly.yaml" with { type: "text" };
import readonly from "../../configs/policies/readonly.yaml" with { type: "text" };
import ripgrepReadonly from "../../configs/policies/ripgrep-readonly.yaml" with { type: "text" };
import sqlite3Readonly from "../../configs/policies/sqlite3-readonly.yaml" with { type: "text" };
import systemctlReadonly from "../../configs/policies/systemctl-readonly.yaml" with {
  type: "text",
};
import terraformReadonly from "../../configs/policies/terraform-readonly.yaml" with {
  type: "text",
};
import uvReadonly from "../../configs/policies/uv-readonly.yaml" with { type: "text" };

/** YAML text by name: `readonly`, `ask`, and `NAME-readonly` for each bundled config. */
export const bundledPolicies: ReadonlyMap<string, string> = new Map([
  ["ask", ask],
  ["aws-readonly", awsReadonly],
  ["cargo-readonly", cargoReadonly],
  ["claude-readonly", claudeReadonly],
  ["codex-readonly", codexReadonly],
  ["coreutils-readonly", coreutilsReadonly],
  ["curl-readonly", curlReadonly],
  ["deno-readonly", denoReadonly],
  ["docker-compose-readonly", dockerComposeReadonly],
  ["docker-readonly", dockerReadonly],
  ["fd-readonly", fdReadonly],
  ["ffmpeg-readonly", ffmpegReadonly],
  ["ffprobe-readonly", ffprobeReadonly],
  ["files-readonly", filesReadonly],
  ["gcloud-readonly", gcloudReadonly],
  ["gemini-readonly", geminiReadonly],
  ["gh-readonly", ghReadonly],
  ["git-readonly", gitReadonly],
  ["journalctl-readonly", journalctlReadonly],
  ["jq-readonly", jqReadonly],
  ["kubectl-readonly", kubectlReadonly],
  ["npm-readonly", npmReadonly],
  ["obsidian-readonly", obsidianReadonly],
  ["pandoc-readonly", pandocReadonly],
  ["pip-readonly", pipReadonly],
  ["psql-readonly", psqlReadonly],
  ["readonly", readonly],
  ["ripgrep-readonly", ripgrepReadonly],
  ["sqlite3-readonly", sqlite3Readonly],
  ["systemctl-readonly", systemctlReadonly],
  ["terraform-readonly", terraformReadonly],
  ["uv-readonly", uvReadonly],
]);
