import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** What a TLS server of the simulator shows, and what a client must trust to believe it. */
export interface TestAuthority {
  /** PEM of the server's certificate, for `localhost` and `127.0.0.1`. */
  readonly certificate: string;
  /** PEM (PKCS #8) of the server's key. */
  readonly key: string;
  /** File that holds the PEM of the authority's certificate. */
  readonly authorityFile: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const VALID_YEARS = 10;

/**
 * The authority of this data folder, made at the first start and kept, so that clients which trust it outlive a restart.
 *
 * Its own key is not kept: no further certificate of it can exist.
 */
export async function openTestAuthority(dataDir: string): Promise<TestAuthority> {
  const [authorityFile, certificateFile, keyFile] = ['authority.pem', 'server.pem', 'server-key.pem'].map((name) =>
    resolve(dataDir, name),
  ) as [string, string, string];
  if (![authorityFile, certificateFile, keyFile].every((path) => existsSync(path))) {
    const made = await makeCertificates();
    writeFileSync(keyFile, made.key, { mode: 0o600 });
    writeFileSync(certificateFile, made.certificate);
    writeFileSync(authorityFile, made.authority);
  }
  return { certificate: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8'), authorityFile };
}

async function makeCertificates(): Promise<{ authority: string; certificate: string; key: string }> {
  const notBefore = new Date(Date.now() - 86_400_000);
  const notAfter = new Date(notBefore);
  notAfter.setFullYear(notAfter.getFullYear() + VALID_YEARS);
  const validity = { notBefore, notAfter, signingAlgorithm: ALGORITHM };
  const [authorityKeys, serverKeys] = await Promise.all([makeKeys(), makeKeys()]);
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=Upstream simulator test authority',
    keys: authorityKeys,
    extensions: [new BasicConstraintsExtension(true, 0, true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
  });
  const certificate = await X509CertificateGenerator.create({
    ...validity,
    subject: 'CN=Upstream simulator',
    issuer: authority.subject,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey)).toString('base64');
  const lines = pkcs8.match(/.{1,64}/g) ?? [];
  return {
    authority: `${authority.toString('pem')}\n`,
    certificate: `${certificate.toString('pem')}\n`,
    key: ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n'),
  };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
