import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { MasterKeys } from '@switchboard/secrets';
import { MASTER_KEYS } from '../master-keys.contract.js';

const NONCE_BYTES = 16;
const MAC_BYTES = 32;
/** Accounts that one browser is remembered for; the one that signed in last is the first. */
const DEVICES_MAX = 5;
const TOKEN = new RegExp(`^[\\w-]{${((NONCE_BYTES + MAC_BYTES) / 3) * 4}}$`);

/**
 * Signed marks of browsers in which the password of an account was right: their failures are counted apart from those of
 * strangers, so that no stranger can use up the attempts of a person in their own browser.
 *
 * A cookie holds a mark for each of a few accounts: a random nonce and an HMAC over account and nonce under a key that
 * follows from the master key. It says nothing of the account and opens nothing: the password is checked all the same.
 * Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
@Injectable()
export class DeviceCookies {
  /** The current one first; one that signs with the previous master key is still known. */
  private readonly keys: readonly Buffer[];

  constructor(@Inject(MASTER_KEYS) { current, previous }: MasterKeys) {
    this.keys = [current, ...(previous === null ? [] : [previous])].map((key) =>
      Buffer.from(hkdfSync('sha256', key, '', 'switchboard device cookie', 32)),
    );
  }

  /**
   * The device that a cookie shows for an account: hexadecimal digits; null for a stranger.
   *
   * @param email in small letters
   */
  deviceOf(cookie: string | null, email: string): string | null {
    const mark = marksIn(cookie).find((one) => this.isOf(one, email));
    return mark === undefined ? null : mark.subarray(0, NONCE_BYTES).toString('hex');
  }

  /** The cookie after the password of an account was right: the device keeps its mark, or gets one. */
  renewed(cookie: string | null, email: string): string {
    const marks = marksIn(cookie);
    const nonce = marks.find((mark) => this.isOf(mark, email))?.subarray(0, NONCE_BYTES) ?? randomBytes(NONCE_BYTES);
    const [key] = this.keys;
    if (!key) throw new Error('there is no master key');
    const own = Buffer.concat([nonce, macOf(key, email, nonce)]);
    const others = marks.filter((mark) => !this.isOf(mark, email));
    return [own, ...others]
      .slice(0, DEVICES_MAX)
      .map((mark) => mark.toString('base64url'))
      .join('.');
  }

  private isOf(mark: Buffer, email: string): boolean {
    const [nonce, mac] = [mark.subarray(0, NONCE_BYTES), mark.subarray(NONCE_BYTES)];
    return this.keys.some((key) => timingSafeEqual(macOf(key, email, nonce), mac));
  }
}

function marksIn(cookie: string | null): readonly Buffer[] {
  const tokens = (cookie ?? '').split('.', DEVICES_MAX).filter((token) => TOKEN.test(token));
  return tokens.map((token) => Buffer.from(token, 'base64url'));
}

function macOf(key: Buffer, email: string, nonce: Buffer): Buffer {
  return createHmac('sha256', key).update(nonce).update(email).digest();
}
