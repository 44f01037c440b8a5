/**
 * Verification of `X-Service-Signature`, or `X-Service-Signature-Previous`, in four languages.
 * Source: docs/api-behaviour.md#webhooks-signature.
 */
export const verificationCode: readonly { readonly language: string; readonly code: string }[] = [
  {
    language: 'Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the raw bytes (express.raw({ type: '*/*' }))
function isSigned(body, headers) {
  const expected = Buffer.from(createHmac('sha256', process.env.WEBHOOK_SECRET).update(body).digest('hex'));
  // For 24 hours after a rotation the former secret signs too
  return ['x-service-signature', 'x-service-signature-previous'].some((name) => {
    const signature = Buffer.from(headers[name] ?? '');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

// isSigned(request.body, request.headers)`,
  },
  {
    language: 'Python',
    code: `import hashlib
import hmac
import os

SECRET = os.environ["WEBHOOK_SECRET"].encode()


def is_signed(body: bytes, headers) -> bool:
    expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest().encode()
    # For 24 hours after a rotation the former secret signs too
    names = ("X-Service-Signature", "X-Service-Signature-Previous")
    return any(hmac.compare_digest(expected, headers.get(name, "").encode()) for name in names)

# is_signed(request.get_data(), request.headers)`,
  },
  {
    language: 'Go',
    code: `package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
)

func IsSigned(body []byte, header http.Header) bool {
	mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
	mac.Write(body)
	expected := mac.Sum(nil)
	// For 24 hours after a rotation the former secret signs too
	for _, name := range []string{"X-Service-Signature", "X-Service-Signature-Previous"} {
		if got, err := hex.DecodeString(header.Get(name)); err == nil && hmac.Equal(expected, got) {
			return true
		}
	}
	return false
}

// IsSigned(body, r.Header)`,
  },
  {
    language: 'PHP',
    code: `<?php
function is_signed(string $body, array $server): bool
{
    $expected = hash_hmac('sha256', $body, getenv('WEBHOOK_SECRET'));
    // For 24 hours after a rotation the former secret signs too
    foreach (['HTTP_X_SERVICE_SIGNATURE', 'HTTP_X_SERVICE_SIGNATURE_PREVIOUS'] as $name) {
        if (hash_equals($expected, $server[$name] ?? '')) {
            return true;
        }
    }
    return false;
}

// is_signed(file_get_contents('php://input'), $_SERVER)`,
  },
];
