/** The characters of a URL at most. */
export const URL_LENGTH_MAX = 2_048;

/** Why a URL is refused at registration. */
export type UrlRefusal = 'form' | 'name' | 'address';

/** What is said of a URL at registration. */
export type UrlVerdict =
  | { readonly isAllowed: true; /** As it was given. */ readonly url: string }
  | {
      readonly isAllowed: false;
      readonly refusal: UrlRefusal;
      /** Names the field: the message of a 400. */
      readonly message: string;
    };

/**
 * The message of a refused URL, of what is asked of it where private addresses are allowed too. None says what is at an address: that
 * would answer questions about our network. So names that only our network knows look like those that do not exist.
 *
 * @param allowPrivate as of the guard that refused it
 */
export function urlMessage(refusal: UrlRefusal, allowPrivate: boolean): string {
  if (refusal === 'form') {
    const scheme = allowPrivate ? 'http:// or https://' : 'https://';
    return `\`url\` must be an ${scheme} URL of at most ${URL_LENGTH_MAX} characters, without white space, control characters, backslashes, user information and a dot at the end of its name`;
  }
  return allowPrivate
    ? '`url` must name a host that resolves, and neither this service nor one of cloud metadata'
    : '`url` must name a host that resolves to public addresses only, and not this service';
}

/** White space, control characters, backslashes and invisible ones: the parser would drop or replace some of them silently. */
const unwanted = /[\s\\\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]/u;
/** The parser drops these from a name. */
const ignoredInName = /\p{Default_Ignorable_Code_Point}/u;

/**
 * The URL when its form is right; else null.
 *
 * Forms of an IPv4 address (`0x7f.1`, `2130706433`, full-width digits) are read by the parser: `hostname` is the address in
 * its usual form, and is judged like any other.
 *
 * @param allowHttp allows http:// too.
 * Source: docs/api-behaviour.md#webhooks-url; WHATWG, "URL Standard", 4.4.
 */
export function parseOutboundUrl(text: string, allowHttp: boolean): URL | null {
  if ([...text].length > URL_LENGTH_MAX || unwanted.test(text)) return null;
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  // An empty user name is dropped by the parser, and is user information all the same.
  if (authority === undefined || authority.includes('@')) return null;
  const written = hostWritten(authority);
  if (written === null || written.endsWith('.') || unwanted.test(written) || ignoredInName.test(written)) return null;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return null;
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return null;
  if (url.hostname === '' || url.hostname.endsWith('.') || url.port === '0') return null;
  return url;
}

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

/** The port that a request to the URL connects to. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The host as it was written, in which the parser has not dropped the dot of `127.0.0.1.` yet; null: its percent-encoding is none. */
function hostWritten(authority: string): string | null {
  try {
    return decodeURIComponent(authority.replace(/:\d*$/, '')).replaceAll(/[。．｡]/g, '.');
  } catch {
    return null;
  }
}
