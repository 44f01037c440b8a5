/** An address for email as it is stored and compared: one person, however it is typed. */
export function emailKey(email: string): string {
  return email.toLowerCase();
}
