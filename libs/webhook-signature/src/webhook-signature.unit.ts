import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { newSigningSecret, signatureHeaders, verifyServiceSignature } from './index.js';

const body = Buffer.from('{"event":"webhook.test","text":"Grüße 👋\\u0000","n":1}');
const current = newSigningSecret();
const previous = newSigningSecret();
const attempt = { id: 'cmi0example000000000000001', atMs: Date.now() };

describe('X-Service-Signature', () => {
  it('is the hex HMAC-SHA256 of the raw bytes, keyed with the bytes of the whole secret', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const headers = signatureHeaders(body, { current: secret, previous: null }, attempt);
    expect(headers['x-service-signature']).toBe(createHmac('sha256', secret).update(body).digest('hex'));
    expect(headers).not.toHaveProperty('x-service-signature-previous');
  });

  it('is verified with the secret that made it, over exactly its bytes', () => {
    const header = signatureHeaders(body, { current, previous: null }, attempt)['x-service-signature'];
    expect(verifyServiceSignature(body, header, current)).toBe(true);
    expect(verifyServiceSignature(body, header, previous)).toBe(false);
    expect(verifyServiceSignature(Buffer.concat([body, Buffer.from(' ')]), header, current)).toBe(false);
  });

  it('is refused when it is absent, cut, in upper case or no hex', () => {
    const header = signatureHeaders(body, { current, previous: null }, attempt)['x-service-signature'] ?? '';
    const forms = [
      undefined,
      '',
      header.slice(1),
      header.toUpperCase().replace(/^[0-9]*$/, 'A'),
      `${header}00`,
      'g'.repeat(64),
    ];
    expect(forms.filter((form) => verifyServiceSignature(body, form, current))).toEqual([]);
  });

  it('is made with the previous secret too while that overlaps', () => {
    const headers = signatureHeaders(body, { current, previous }, attempt);
    expect(verifyServiceSignature(body, headers['x-service-signature'], current)).toBe(true);
    expect(verifyServiceSignature(body, headers['x-service-signature-previous'], previous)).toBe(true);
  });
});

describe('the headers of Standard Webhooks', () => {
  it("pass the public library's verifier", () => {
    const headers = signatureHeaders(body, { current, previous: null }, attempt);
    expect(new Webhook(current).verify(body, headers)).toEqual(JSON.parse(body.toString()));
  });

  it("pass the public library's verifier with either secret while the previous one overlaps", () => {
    const headers = signatureHeaders(body, { current, previous }, attempt);
    for (const secret of [current, previous]) {
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body.toString()));
    }
  });

  it('are refused by it for other bytes, another secret, another id and an old time', () => {
    const headers = signatureHeaders(body, { current, previous: null }, attempt);
    const old = signatureHeaders(body, { current, previous: null }, { ...attempt, atMs: attempt.atMs - 3_600_000 });
    const refused: readonly (() => unknown)[] = [
      () => new Webhook(current).verify(`${body.toString()} `, headers),
      () => new Webhook(previous).verify(body, headers),
      () => new Webhook(current).verify(body, { ...headers, 'webhook-id': 'other' }),
      () => new Webhook(current).verify(body, old),
    ];
    for (const verify of refused) expect(verify).toThrow(WebhookVerificationError);
  });
});

describe('a new signing secret', () => {
  it('is whsec_ and the base 64 of 32 bytes, never the same twice', () => {
    const secrets = Array.from({ length: 100 }, newSigningSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });
});
