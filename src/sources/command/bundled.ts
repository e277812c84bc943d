/** The configs that come with the program, embedded so that source, bundle and binary read the same bytes. */

import { kebabCase } from "../../text/kebab_case.ts";
import archives from "../../../configs/archives.yaml" with { type: "text" };
import aws from "../../../configs/aws.yaml" with { type: "text" };
import cargo from "../../../configs/cargo.yaml" with { type: "text" };
import claude from "../../../configs/claude.yaml" with { type: "text" };
import codex from "../../../configs/codex.yaml" with { type: "text" };
import coreutils from "../../../configs/coreutils.yaml" with { type: "text" };
import curl from "../../../configs/curl.yaml" with { type: "text" };
import deno from "../../../configs/deno.yaml" with { type: "text" };
import docker from "../../../configs/docker.yaml" with { type: "text" };
import dockerCompose from "../../../configs/docker-compose.yaml" with { type: "text" };
import fd from "../../../configs/fd.yaml" with { type: "text" };
import ffmpeg from "../../../configs/ffmpeg.yaml" with { type: "text" };
import ffprobe from "../../../configs/ffprobe.yaml" with { type: "text" };
import files from "../../../configs/files.yaml" with { type: "text" };
import filesWrite from "../../../configs/files-write.yaml" with { type: "text" };
import gcloud from "../../../configs/gcloud.yaml" with { type: "text" };
import gemini from "../../../configs/gemini.yaml" with { type: "text" };
import gh from "../../../configs/gh.yaml" with { type: "text" };
import git from "../../../configs/git.yaml" with { type: "text" };
import go from "../../../configs/go.yaml" with { type: "text" };
import journalctl from "../../../configs/journalctl.yaml" with { type: "text" };
import jq from "../../../configs/jq.yaml" with { type: "text" };
import just from "../../../configs/just.yaml" with { type: "text" };
import kubectl from "../../../configs/kubectl.yaml" with { type: "text" };
import make from "../../../configs/make.yaml" with { type: "text" };
import npm from "../../../configs/npm.yaml" with { type: "text" };
import obsidian from "../../../configs/obsidian.yaml" with { type: "text" };
import pandoc from "../../../configs/pandoc.yaml" with { type: "text" };
import pip from "../../../configs/pip.yaml" with { type: "text" };
import processes from "../../../configs/processes.yaml" with { type: "text" };
import psql from "../../../configs/psql.yaml" with { type: "text" };
import python from "../../../configs/python.yaml" with { type: "text" };
import ripgrep from "../../../configs/ripgrep.yaml" with { type: "text" };
import sqlite3 from "../../../configs/sqlite3.yaml" with { type: "text" };
import systemctl from "../../../configs/systemctl.yaml" with { type: "text" };
import terraform from "../../../configs/terraform.yaml" with { type: "text" };
import uv from "../../../configs/uv.yaml" with { type: "text" };
import yq from "../../../configs/yq.yaml" with { type: "text" };

const texts = {
  ...{ archives, aws, cargo, claude, codex, coreutils, curl, deno, docker, dockerCompose, fd },
  ...{ ffmpeg, ffprobe, files, filesWrite, gcloud, gemini, gh, git, go, journalctl, jq, just },
  ...{ kubectl, make, npm, obsidian, pandoc, pip, processes, psql, python, ripgrep, sqlite3 },
  ...{ systemctl, terraform, uv, yq },
};

/** Functions that return the YAML text, by config name in alphabetical order: in a bundle each reads a file. */
export const bundledConfigs: ReadonlyMap<string, () => string> = new Map(
  Object.entries(texts).map(([name, text]) => [kebabCase(name), () => text]),
);
