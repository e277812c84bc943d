# The portable form on Deno, without a shell and without root:
#
#   docker build -t climax .
#   docker run --init -i -v "$PWD:$PWD" -w "$PWD" climax CONFIG.yaml
#
# `--init`: what a program leaves behind is the child of process 1, which must wait for it. The programs
# that configs run are not in this image, nor is `kill`, which ends all that a program has started:
# build on it (COPY --from=climax), or copy statically linked ones into it.
# For several systems: docker buildx build --platform linux/amd64,linux/arm64 -t climax .

# The portable form is the same on every system
FROM --platform=$BUILDPLATFORM denoland/deno:2.9.6 AS build
WORKDIR /climax
COPY . .
RUN deno task bundle

FROM denoland/deno:bin-2.9.6 AS deno

FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
COPY --from=deno /deno /usr/local/bin/deno
COPY --from=build /climax/dist/climax.mjs /usr/local/lib/climax/climax.mjs
# The number of nonroot: Kubernetes cannot tell whether a name is root
USER 65532:65532
# The program starts; over HTTP, ask /healthz and /readyz as well
HEALTHCHECK --interval=1m --timeout=10s CMD ["/usr/local/bin/deno", "run", "--no-config", "--no-prompt", "--no-remote", "--no-npm", "--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-net", "/usr/local/lib/climax/climax.mjs", "version"]
ENTRYPOINT ["/usr/local/bin/deno", "run", "--no-config", "--no-prompt", "--no-remote", "--no-npm", "--v8-flags=--min-semi-space-size=16,--invocation-count-for-maglev=200,--minimum-invocations-after-ic-update=200", "--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-net", "/usr/local/lib/climax/climax.mjs"]
