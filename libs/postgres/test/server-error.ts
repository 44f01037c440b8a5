/** As PostgreSQL reports one. @param code SQLSTATE */
export function serverError(code: string): Error {
  return Object.assign(new Error(code), { code, severity: 'ERROR' });
}
