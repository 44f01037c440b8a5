import { setNonce } from 'get-nonce';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.nonce ?? '';
// The lock of scrolling behind dialogs writes a style element of its own.
setNonce(nonce);

/** The nonce that this page's policy allows style elements by; Mantine asks for it. */
export function styleNonce(): string {
  return nonce;
}
