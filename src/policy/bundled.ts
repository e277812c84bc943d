/** The policies that come with the program, by name, embedded as text. Imported only when one of them is named. */

import ask from "../../configs/policies/ask.yaml" with { type: "text" };
import archives from "../../configs/policies/archives-readonly.yaml" with { type: "text" };
import aws from "../../configs/policies/aws-readonly.yaml" with { type: "text" };
import cargo from "../../configs/policies/cargo-readonly.yaml" with { type: "text" };
import claude from "../../configs/policies/claude-readonly.yaml" with { type: "text" };
import codex from "../../configs/policies/codex-readonly.yaml" with { type: "text" };
import coreutils from "../../configs/policies/coreutils-readonly.yaml" with { type: "text" };
import curl from "../../configs/policies/curl-readonly.yaml" with { type: "text" };
import deno from "../../configs/policies/deno-readonly.yaml" with { type: "text" };
import dockerCompose from "../../configs/policies/docker-compose-readonly.yaml" with {
  type: "text",
};
import docker from "../../configs/policies/docker-readonly.yaml" with { type: "text" };
import fd from "../../configs/policies/fd-readonly.yaml" with { type: "text" };
import ffmpeg from "../../configs/policies/ffmpeg-readonly.yaml" with { type: "text" };
import ffprobe from "../../configs/policies/ffprobe-readonly.yaml" with { type: "text" };
import files from "../../configs/policies/files-readonly.yaml" with { type: "text" };
import gcloud from "../../configs/policies/gcloud-readonly.yaml" with { type: "text" };
import gemini from "../../configs/policies/gemini-readonly.yaml" with { type: "text" };
import gh from "../../configs/policies/gh-readonly.yaml" with { type: "text" };
import git from "../../configs/policies/git-readonly.yaml" with { type: "text" };
import journalctl from "../../configs/policies/journalctl-readonly.yaml" with { type: "text" };
import jq from "../../configs/policies/jq-readonly.yaml" with { type: "text" };
import kubectl from "../../configs/policies/kubectl-readonly.yaml" with { type: "text" };
import npm from "../../configs/policies/npm-readonly.yaml" with { type: "text" };
import obsidian from "../../configs/policies/obsidian-readonly.yaml" with { type: "text" };
import open from "../../configs/policies/open.yaml" with { type: "text" };
import pandoc from "../../configs/policies/pandoc-readonly.yaml" with { type: "text" };
import pip from "../../configs/policies/pip-readonly.yaml" with { type: "text" };
import processes from "../../configs/policies/processes-readonly.yaml" with { type: "text" };
import psql from "../../configs/policies/psql-readonly.yaml" with { type: "text" };
import readonly from "../../configs/policies/readonly.yaml" with { type: "text" };
import ripgrep from "../../configs/policies/ripgrep-readonly.yaml" with { type: "text" };
import sqlite3 from "../../configs/policies/sqlite3-readonly.yaml" with { type: "text" };
import systemctl from "../../configs/policies/systemctl-readonly.yaml" with { type: "text" };
import terraform from "../../configs/policies/terraform-readonly.yaml" with { type: "text" };
import uv from "../../configs/policies/uv-readonly.yaml" with { type: "text" };
import work from "../../configs/policies/work.yaml" with { type: "text" };
import yq from "../../configs/policies/yq-readonly.yaml" with { type: "text" };

const ofConfigs = {
  ...{ archives, aws, cargo, claude, codex, coreutils, curl, deno, docker, fd, ffmpeg, ffprobe },
  ...{ "docker-compose": dockerCompose, files, gcloud, gemini, gh, git, journalctl, jq, kubectl },
  ...{ npm, obsidian, pandoc, pip, processes, psql, ripgrep, sqlite3, systemctl, terraform },
  ...{ uv, yq },
};

export const bundledPolicies: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ofConfigs).map(([name, text]) => [`${name}-readonly`, text] as const),
  ["readonly", readonly],
  ["ask", ask],
  ["open", open],
  ["work", work],
]);
