import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './metrics-page.js';

/** A rule of deploy/prometheus/alerts.yml. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** As `5m`; undefined: it fires at once. */
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

/** What an expression asks for: a metric with label matchers. */
export interface Selector {
  readonly name: string;
  /** The values are the alternatives of the matcher. */
  readonly matchers: readonly { readonly label: string; readonly values: readonly string[] }[];
}

/** Words of the language that stand like a metric. */
const WORDS = new Set(['by', 'on', 'or', 'and', 'unless', 'ignoring', 'without', 'bool', 'offset']);

/** All rules, in the order of the file. */
export function readAlertRules(): readonly AlertRule[] {
  const file: unknown = parse(readFileSync(join(root, 'deploy', 'prometheus', 'alerts.yml'), 'utf8'));
  // The file is ours: what is wrong in its shape shows in the tests that look for it.
  return (file as { groups: { rules: AlertRule[] }[] }).groups.flatMap(({ rules }) => rules);
}

/** Every metric that an expression names; functions are followed by a parenthesis, labels of `by` stand within one, ranges in brackets. */
export function selectorsOf(expr: string): Selector[] {
  const plain = expr.replace(/\b(by|on|without|ignoring)\s*\([^)]*\)|\[[\dsmhd:]+\]/g, ' ');
  return [...plain.matchAll(/\b([a-zA-Z_:][\w:]*)\s*(\{[^}]*\})?(?!\w|\s*\()/g)]
    .filter(([, name = '']) => !WORDS.has(name) && !new RegExp(`\\b${name}\\s*\\(`).test(plain))
    .map(([, name = '', braces = '']) => ({
      name,
      matchers: [...braces.matchAll(/(\w+)\s*(?:=~|=|!=|!~)\s*"([^"]*)"/g)].map(([, label = '', values = '']) => ({
        label,
        values: values.split('|'),
      })),
    }));
}
