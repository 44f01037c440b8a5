import { ipAddressOf } from '../address/ip-address.policy.js';
import type { ActSource } from '../signed-in.contract.js';

/** Code points of a browser's name of itself that are kept. */
const USER_AGENT_MAX = 256;

/** By which a person recognizes a device of theirs, the first that fits. Others' browsers say that they are Chrome, too. */
const browsers = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chromium', /\bChromium\//],
  ['Chrome', /\b(Headless)?(Chrome|CriOS)\//],
  // All others call themselves Safari as well, only Safari gives its version apart.
  ['Safari', /\bVersion\/\S+ (Mobile\/\S+ )?Safari\//],
] as const;
const systems = [
  ['iOS', /\b(iPhone|iPad|iPod)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** What is kept of where a session is used: text that is no address is not. */
export function deviceFields({ address, browser }: ActSource): {
  readonly address: string | null;
  readonly userAgent: string | null;
} {
  const userAgent = browser?.userAgent?.replace(/[^\x20-\x7e]/g, '') ?? null;
  return { address: ipAddressOf(address), userAgent: userAgent === null ? null : userAgent.slice(0, USER_AGENT_MAX) };
}

/** A device in a few words: `Firefox on Linux`, `Browser on iOS`, else the program's name of itself up to its first space. */
export function deviceName(userAgent: string | null): string | null {
  if (userAgent === null || userAgent === '') return null;
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  if (system !== undefined) return `Browser on ${system}`;
  return userAgent.split(' ', 1)[0] ?? null;
}
