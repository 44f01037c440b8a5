const NOT_UTF_8 =
  'The file is not in UTF-8: letters such as é would be lost. In Excel, save it as “CSV UTF-8 (Comma delimited)” and choose it again.';

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte order mark. Another encoding cannot be known from the bytes, and a wrong guess
 * would be read by every recipient: it is refused.
 *
 * @throws Error that says what to do
 */
export function textOfFile(bytes: ArrayBuffer): string {
  const text = decoded(bytes);
  // UTF-16 without a mark is well-formed UTF-8 as long as it holds English alone.
  if (text.includes('\0')) throw new Error(NOT_UTF_8);
  return text;
}

function decoded(bytes: ArrayBuffer): string {
  // By the byte order mark, which the decoder leaves out.
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const decoder = new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8', { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new Error(NOT_UTF_8, { cause });
  }
}
