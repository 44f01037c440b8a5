/** Verification of `X-Service-Signature` in four languages. Source: docs/api-behaviour.md#webhooks-signature. */
export const verificationCode: readonly { readonly language: string; readonly code: string }[] = [
  {
    language: 'Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the raw bytes (express.raw({ type: '*/*' }))
function isSigned(body, signature) {
  const expected = createHmac('sha256', process.env.WEBHOOK_SECRET).update(body).digest('hex');
  const a = Buffer.from(expected);
  const b = Buffer.from(signature ?? '');
  return a.length === b.length && timingSafeEqual(a, b);
}

// isSigned(request.body, request.headers['x-service-signature'])`,
  },
  {
    language: 'Python',
    code: `import hashlib
import hmac
import os

SECRET = os.environ["WEBHOOK_SECRET"].encode()


def is_signed(body: bytes, signature: str | None) -> bool:
    expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode())

# is_signed(request.get_data(), request.headers.get("X-Service-Signature"))`,
  },
  {
    language: 'Go',
    code: `package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
)

func IsSigned(body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
	mac.Write(body)
	got, err := hex.DecodeString(signature)
	return err == nil && hmac.Equal(mac.Sum(nil), got)
}

// IsSigned(body, r.Header.Get("X-Service-Signature"))`,
  },
  {
    language: 'PHP',
    code: `<?php
function is_signed(string $body, ?string $signature): bool
{
    $expected = hash_hmac('sha256', $body, getenv('WEBHOOK_SECRET'));
    return hash_equals($expected, $signature ?? '');
}

// is_signed(file_get_contents('php://input'), $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null);`,
  },
];
