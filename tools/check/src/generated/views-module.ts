import type { JsonSchema } from '../catalogue/json-schema.js';

/** The module by which the gateway describes its answers: what TypeScript knows of them, kept for the time when it runs. */
export function viewsModule(views: Readonly<Record<string, JsonSchema>>): string {
  return [
    '// Generated from libs/contracts/src/*/http.ts: npm run check -- --write',
    "import type { JsonSchema } from '@switchboard/openapi';",
    '',
    '/** Every shape that HTTP shows, in JSON Schema by its public name; references lead to components. */',
    `export const views = ${JSON.stringify(views)} as const satisfies Readonly<Record<string, JsonSchema>>;`,
    '',
    '/** The public name of a shape. */',
    'export type ViewName = keyof typeof views;',
    '',
  ].join('\n');
}
