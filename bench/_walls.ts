/**
 * Outputs of programs that need what is not here, a cluster and a container engine, made after the
 * documentation of their APIs: Kubernetes v1 `PodList` as `kubectl get pods -o json` writes it, and
 * `ContainerInspect` of the Docker Engine API v1.47 as `docker inspect` does.
 */

const day = "2026-07-01T08:00:00Z";

/** `kubectl get pods -o json` of `count` pods of five deployments. */
export function podList(count: number): string {
  const items = Array.from({ length: count }, (_, at) => pod(at));
  return JSON.stringify(
    { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } },
    null,
    4,
  );
}

function pod(at: number) {
  const app = ["web", "api", "worker", "mailer", "cache"][at % 5]!;
  const hash = `7d4b9c6f${(at % 5) + 1}`;
  const name = `${app}-${hash}-${suffix(at)}`;
  const node = `node-${at % 4}.example.internal`;
  const image = `registry.example.com/shop/${app}:1.${at % 7}.2`;
  const account = `kube-api-access-${suffix(at + 77)}`;
  const condition = (type: string) => ({
    lastProbeTime: null,
    lastTransitionTime: day,
    status: "True",
    type,
  });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      annotations: { "prometheus.io/port": "8080", "prometheus.io/scrape": "true" },
      creationTimestamp: day,
      generateName: `${app}-${hash}-`,
      labels: { app, "pod-template-hash": hash, tier: "backend" },
      name,
      namespace: "shop",
      ownerReferences: [{
        apiVersion: "apps/v1",
        blockOwnerDeletion: true,
        controller: true,
        kind: "ReplicaSet",
        name: `${app}-${hash}`,
        uid: uid(at % 5),
      }],
      resourceVersion: String(481_200 + at),
      uid: uid(at + 100),
    },
    spec: {
      containers: [{
        env: [
          { name: "LOG_LEVEL", value: "info" },
          {
            name: "DATABASE_URL",
            valueFrom: { secretKeyRef: { key: "url", name: `${app}-database` } },
          },
        ],
        image,
        imagePullPolicy: "IfNotPresent",
        livenessProbe: {
          failureThreshold: 3,
          httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" },
          periodSeconds: 10,
          successThreshold: 1,
          timeoutSeconds: 1,
        },
        name: app,
        ports: [{ containerPort: 8080, name: "http", protocol: "TCP" }],
        resources: {
          limits: { cpu: "500m", memory: "512Mi" },
          requests: { cpu: "100m", memory: "128Mi" },
        },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        volumeMounts: [{
          mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
          name: account,
          readOnly: true,
        }],
      }],
      dnsPolicy: "ClusterFirst",
      enableServiceLinks: true,
      nodeName: node,
      preemptionPolicy: "PreemptLowerPriority",
      priority: 0,
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      serviceAccount: "default",
      serviceAccountName: "default",
      terminationGracePeriodSeconds: 30,
      tolerations: ["not-ready", "unreachable"].map((key) => ({
        effect: "NoExecute",
        key: `node.kubernetes.io/${key}`,
        operator: "Exists",
        tolerationSeconds: 300,
      })),
      volumes: [{
        name: account,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            {
              configMap: {
                items: [{ key: "ca.crt", path: "ca.crt" }],
                name: "kube-root-ca.crt",
              },
            },
          ],
        },
      }],
    },
    status: {
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
      containerStatuses: [{
        containerID: `containerd://${digest(at)}`,
        image,
        imageID: `registry.example.com/shop/${app}@sha256:${digest(at % 5)}`,
        lastState: {},
        name: app,
        ready: true,
        restartCount: at % 3,
        started: true,
        state: { running: { startedAt: day } },
      }],
      hostIP: `10.0.0.${10 + at % 4}`,
      hostIPs: [{ ip: `10.0.0.${10 + at % 4}` }],
      phase: "Running",
      podIP: `10.1.${at % 4}.${at}`,
      podIPs: [{ ip: `10.1.${at % 4}.${at}` }],
      qosClass: "Burstable",
      startTime: day,
    },
  };
}

/** `docker inspect` of `count` containers. */
export function containerList(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, at) => container(at)), null, 4);
}

function container(at: number) {
  const id = digest(at);
  const nothing = Object.fromEntries(
    [
      "BlkioWeight",
      "CpuPercent",
      "CpuPeriod",
      "CpuQuota",
      "CpuRealtimePeriod",
      "CpuRealtimeRuntime",
      "CpuShares",
      "IOMaximumBandwidth",
      "IOMaximumIOps",
      "KernelMemory",
      "Memory",
      "MemoryReservation",
      "MemorySwap",
      "NanoCpus",
      "OomScoreAdj",
      "ShmSize",
    ].map((key) => [key, 0]),
  );
  return {
    Id: id,
    Created: day,
    Path: "docker-entrypoint.sh",
    Args: ["postgres"],
    State: {
      Status: at % 4 === 3 ? "exited" : "running",
      Running: at % 4 !== 3,
      Paused: false,
      Restarting: false,
      OOMKilled: false,
      Dead: false,
      Pid: at % 4 === 3 ? 0 : 4000 + at,
      ExitCode: at % 4 === 3 ? 137 : 0,
      Error: "",
      StartedAt: day,
      FinishedAt: "0001-01-01T00:00:00Z",
    },
    Image: `sha256:${digest(at % 3)}`,
    ResolvConfPath: `/var/lib/docker/containers/${id}/resolv.conf`,
    HostnamePath: `/var/lib/docker/containers/${id}/hostname`,
    HostsPath: `/var/lib/docker/containers/${id}/hosts`,
    LogPath: `/var/lib/docker/containers/${id}/${id}-json.log`,
    Name: `/shop-db-${at}`,
    RestartCount: at % 2,
    Driver: "overlay2",
    Platform: "linux",
    MountLabel: "",
    ProcessLabel: "",
    AppArmorProfile: "docker-default",
    ExecIDs: null,
    HostConfig: {
      Binds: null,
      ContainerIDFile: "",
      LogConfig: { Type: "json-file", Config: {} },
      NetworkMode: "shop_default",
      PortBindings: { "5432/tcp": [{ HostIp: "127.0.0.1", HostPort: String(5432 + at) }] },
      RestartPolicy: { Name: "unless-stopped", MaximumRetryCount: 0 },
      AutoRemove: false,
      CapAdd: null,
      CapDrop: null,
      CgroupnsMode: "private",
      Dns: [],
      DnsOptions: [],
      DnsSearch: [],
      IpcMode: "private",
      Privileged: false,
      PublishAllPorts: false,
      ReadonlyRootfs: false,
      SecurityOpt: null,
      Runtime: "runc",
      ...nothing,
      MaskedPaths: ["/proc/asound", "/proc/acpi", "/proc/kcore", "/proc/keys", "/sys/firmware"],
      ReadonlyPaths: ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
    },
    GraphDriver: {
      Data: {
        LowerDir: `/var/lib/docker/overlay2/${digest(at + 9)}/diff`,
        MergedDir: `/var/lib/docker/overlay2/${id}/merged`,
        UpperDir: `/var/lib/docker/overlay2/${id}/diff`,
        WorkDir: `/var/lib/docker/overlay2/${id}/work`,
      },
      Name: "overlay2",
    },
    Mounts: [{
      Type: "volume",
      Name: `shop_db_${at}`,
      Source: `/var/lib/docker/volumes/shop_db_${at}/_data`,
      Destination: "/var/lib/postgresql/data",
      Driver: "local",
      Mode: "z",
      RW: true,
      Propagation: "",
    }],
    Config: {
      Hostname: id.slice(0, 12),
      Domainname: "",
      User: "",
      AttachStdin: false,
      AttachStdout: true,
      AttachStderr: true,
      ExposedPorts: { "5432/tcp": {} },
      Tty: false,
      OpenStdin: false,
      StdinOnce: false,
      Env: ["PATH=/usr/local/bin:/usr/bin:/bin", "PG_MAJOR=18", "PGDATA=/var/lib/postgresql/data"],
      Cmd: ["postgres"],
      Image: "postgres:18",
      Volumes: { "/var/lib/postgresql/data": {} },
      WorkingDir: "",
      Entrypoint: ["docker-entrypoint.sh"],
      Labels: { "com.docker.compose.project": "shop", "com.docker.compose.service": `db-${at}` },
    },
    NetworkSettings: {
      Bridge: "",
      SandboxID: digest(at + 3),
      Ports: { "5432/tcp": [{ HostIp: "127.0.0.1", HostPort: String(5432 + at) }] },
      Networks: {
        shop_default: {
          Aliases: [`db-${at}`],
          NetworkID: digest(1),
          EndpointID: digest(at + 5),
          Gateway: "172.18.0.1",
          IPAddress: `172.18.0.${at + 2}`,
          IPPrefixLen: 16,
          MacAddress: `02:42:ac:12:00:${(at + 2).toString(16).padStart(2, "0")}`,
        },
      },
    },
  };
}

/** 64 digits that look as if they were of a hash. */
function digest(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 8 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state.toString(16).padStart(8, "0");
  }).join("");
}

function uid(seed: number): string {
  const digits = digest(seed);
  return [8, 12, 16, 20, 32].map((end, at, ends) => digits.slice(ends[at - 1] ?? 0, end)).join("-");
}

function suffix(seed: number): string {
  return digest(seed).slice(0, 5);
}
