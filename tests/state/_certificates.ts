/** A certificate authority for a test, and the certificates that it signs. Tests that make one need `openssl`. */

import assert from "node:assert/strict";
import { join } from "node:path";

const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"] as const;

/** Files of a certificate and its key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a certificate authority, whose certificate is in the file `cert`. */
export async function makeAuthority(folder: string, name: string): Promise<Certificate> {
  const files = filesOf(folder, name);
  const extension = ["-addext", "basicConstraints=critical,CA:TRUE"] as const;
  const subject = ["-days", "2", "-subj", `/CN=${name}`] as const;
  const out = ["-keyout", files.key, "-out", files.cert] as const;
  await openssl("req", "-x509", ...curve, ...subject, ...extension, ...out);
  return files;
}

/** Makes a certificate for `names`, such as `IP:127.0.0.1,DNS:localhost`, that `authority` signs. */
export async function makeCertificate(
  folder: string,
  names: string,
  authority: Certificate,
): Promise<Certificate> {
  const files = filesOf(folder, names.replace(/\W+/g, "-"));
  const [request, extensions] = [`${files.cert}.request`, `${files.cert}.extensions`] as const;
  await Deno.writeTextFile(
    extensions,
    `basicConstraints=critical,CA:FALSE\nsubjectAltName=${names}\n`,
  );
  await openssl("req", ...curve, "-subj", "/CN=store", "-keyout", files.key, "-out", request);
  const signer = ["-CA", authority.cert, "-CAkey", authority.key, "-CAcreateserial"] as const;
  const out = ["-days", "2", "-extfile", extensions, "-out", files.cert] as const;
  await openssl("x509", "-req", "-in", request, ...signer, ...out);
  return files;
}

function filesOf(folder: string, name: string): Certificate {
  return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
}

async function openssl(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args, stdin: "null" }).output();
  assert.equal(success, true, new TextDecoder().decode(stderr));
}
