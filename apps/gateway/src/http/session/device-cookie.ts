import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEVICE_KNOWN_MS } from '../../identity/signed-in.contract.js';

/** With the prefix, browsers take it over https alone, and from no other host. Source: RFC 6265bis, 4.1. */
const names = { plain: 'switchboard_device', secure: '__Host-switchboard_device' } as const;

/**
 * The cookie by which the accounts that signed in here know the browser again, in a request; null without one.
 *
 * Either name is read: the value is signed, and opens nothing. See `DeviceCookies`.
 */
export function readDeviceCookie({ headers: { cookie } }: FastifyRequest): string | null {
  if (cookie === undefined) return null;
  const cookies = parseCookie(cookie);
  return cookies[names.secure] ?? cookies[names.plain] ?? null;
}

/** Hands the cookie to the browser, in addition to that of the session. */
export function setDeviceCookie(reply: FastifyReply, value: string, secure: boolean): void {
  const name = secure ? names.secure : names.plain;
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: DEVICE_KNOWN_MS / 1_000 } as const;
  reply.header('set-cookie', stringifySetCookie({ name, value, ...attributes }));
}
