import { StaticContent } from '../http/static-content.js';

/**
 * Nothing from elsewhere, nothing inline but styles, which the reference writes at run time. Requests go to this site alone:
 * only the API of the same host can be tried out.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of everything under /docs; `nosniff` comes with every answer. */
export const referenceHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_POLICY,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The page. @param version of the script: its address changes with it, so that browsers may keep it for good */
export function referencePage(version: string): StaticContent {
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Switchboard API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="reference"></div>
    <noscript>The reference needs JavaScript; the description is at <a href="/v1/openapi.json">/v1/openapi.json</a>.</noscript>
    <script src="/docs/reference.js?v=${version}"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;
  return new StaticContent(html, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
}

/** The settings of the reference: the description of the same host, and no other host. */
const settings = {
  url: '/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  // A key that was typed in is gone with the page.
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

/**
 * Starts the reference; a file of its own, as the policy allows no script within the page. The description names the canonical
 * base; the page's policy lets it ask the host that it came from alone.
 */
export const startScript = new StaticContent(
  `Scalar.createApiReference('#reference', {
  ...${JSON.stringify(settings)},
  servers: [{ url: location.origin }],
});
`,
  {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
  },
);
