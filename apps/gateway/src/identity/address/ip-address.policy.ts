import { isIP } from 'node:net';

/** Without the zone of a link-local address, which PostgreSQL's `inet` refuses; null for what is no address. */
export function ipAddressOf(text: string): string | null {
  const [bare = ''] = text.split('%');
  return isIP(bare) === 0 ? null : bare;
}
