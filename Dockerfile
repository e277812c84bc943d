# The portable form on Deno, without a shell and without root:
#
#   deno task bundle && docker build -t climax .
#   docker run --init -i -v "$PWD:$PWD" -w "$PWD" climax CONFIG.yaml
#
# `--init`: what a program leaves behind is the child of process 1, which must wait for it. The programs
# that configs run are not in this image, nor is `kill`, which ends all that a program has started:
# build on it (COPY --from=climax), or copy statically linked ones into it.
FROM denoland/deno:bin-2.9.6 AS deno

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=deno /deno /usr/local/bin/deno
COPY dist/climax.mjs /usr/local/lib/climax.mjs
USER nonroot
ENTRYPOINT ["/usr/local/bin/deno", "run", "--no-config", "--no-prompt", "--no-remote", "--no-npm", "--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-net", "/usr/local/lib/climax.mjs"]
