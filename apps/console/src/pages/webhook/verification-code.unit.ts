import { execFile, execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { verificationCode } from './verification-code.js';

const secret = 'whsec_c2VjcmV0';
const body = '{"event":"webhook.test"}';
const signature = createHmac('sha256', secret).update(body).digest('hex');
const other = createHmac('sha256', 'whsec_b3RoZXI=').update(body).digest('hex');

/** Requests, and whether each is signed. */
const cases: readonly (readonly [Readonly<Record<string, string>>, boolean])[] = [
  [{ 'X-Service-Signature': signature }, true],
  [{ 'X-Service-Signature': other, 'X-Service-Signature-Previous': signature }, true],
  [{ 'X-Service-Signature': other, 'X-Service-Signature-Previous': other }, false],
  [{ 'X-Service-Signature': signature.slice(1) }, false],
  [{}, false],
];

function codeIn(language: string): string {
  return verificationCode.find((one) => one.language === language)?.code ?? '';
}

async function printed(program: string, args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)('env', [`WEBHOOK_SECRET=${secret}`, program, ...args]);
  return JSON.parse(stdout);
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version']);
    return true;
  } catch {
    process.stderr.write('There is no python3: its verification is not run.\n');
    return false;
  }
}

describe('the code that verifies a signature', () => {
  const requests = JSON.stringify(cases.map(([headers]) => headers));
  const isSigned = cases.map(([, signed]) => signed);

  const inNode = `${codeIn('Node.js')}
    console.log(JSON.stringify(${requests.toLowerCase()}.map((headers) => isSigned(Buffer.from(${JSON.stringify(body)}), headers))));`;
  const inPython = `${codeIn('Python')}
import json
print(json.dumps([is_signed(${JSON.stringify(body)}.encode(), headers) for headers in ${requests}]))`;

  it.each([
    { language: 'Node.js', program: process.execPath, args: ['--input-type=module', '--eval', inNode] },
    ...(hasPython() ? [{ language: 'Python', program: 'python3', args: ['-c', inPython] }] : []),
  ])('takes the signature of either secret in $language, and no other', async ({ program, args }) => {
    expect(await printed(program, args)).toEqual(isSigned);
  });

  it('reads the header of the former secret in Go and PHP', () => {
    expect(codeIn('Go')).toContain('X-Service-Signature-Previous');
    expect(codeIn('PHP')).toContain('HTTP_X_SERVICE_SIGNATURE_PREVIOUS');
  });
});
