import { isDeepStrictEqual } from 'node:util';
import type { UpstreamTemplate } from '@switchboard/contracts/messaging/template-rpc';
import type { ParameterFormat, TemplateStatus } from '@switchboard/contracts/templates/http';
import { statusOfUpstream } from '../template/upstream-status.policy.js';

/** A stored template, as far as the list may change it. */
export interface StoredTemplate {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  /** Of the newest fact about the status, by the upstream's clock. */
  readonly statusAt: Date;
  readonly upstreamTemplateId: string;
  readonly category: string;
  readonly parameterFormat: ParameterFormat;
  /** JSON text. */
  readonly components: string;
}

/** What a listed template is stored as; its status is another matter. */
export interface TemplateContent extends Omit<StoredTemplate, 'id' | 'status' | 'statusAt'> {}

/** What a page of the list changes. */
export interface PagePlan {
  readonly added: readonly (TemplateContent & { readonly status: TemplateStatus })[];
  readonly edited: readonly (TemplateContent & { readonly id: string })[];
  readonly statuses: readonly {
    readonly templateId: string;
    readonly from: TemplateStatus;
    readonly to: TemplateStatus;
  }[];
  /** A status differs from one that is newer than the page: the next list has to decide. */
  readonly isInDoubt: boolean;
}

/** Of a template that is new to us and whose word means no status. */
const UNCLEAR: TemplateStatus = 'PENDING';

/** The key of a template within its account. */
export function templateKey({ name, language }: { readonly name: string; readonly language: string }): string {
  return `${language} ${name}`;
}

/**
 * Compares a page of the upstream's list with what is stored of its templates.
 *
 * Content is taken as listed. A status is taken unless a newer fact is known; a template that was deleted and made again
 * under its name has another id, and nothing known of the former one is newer.
 *
 * @param asOf when the page was, by the upstream's clock
 */
export function planPage(stored: readonly StoredTemplate[], listed: readonly UpstreamTemplate[], asOf: Date): PagePlan {
  const known = new Map(stored.map((template) => [templateKey(template), template]));
  const plan = { added: [], edited: [], statuses: [], isInDoubt: false } as Mutable<PagePlan>;
  for (const template of new Map(listed.map((one) => [templateKey(one), one])).values()) {
    const content = contentOf(template);
    const listedStatus = statusOfUpstream(template.status);
    const before = known.get(templateKey(template));
    if (!before) {
      plan.added.push({ ...content, status: listedStatus ?? UNCLEAR });
      continue;
    }
    if (!isDeepStrictEqual(content, contentOfStored(before))) plan.edited.push({ ...content, id: before.id });
    if (listedStatus === null || listedStatus === before.status) continue;
    const isAnother = content.upstreamTemplateId !== before.upstreamTemplateId;
    if (isAnother || asOf >= before.statusAt) {
      plan.statuses.push({ templateId: before.id, from: before.status, to: listedStatus });
    } else {
      plan.isInDoubt = true;
    }
  }
  return plan;
}

type Mutable<Plan> = {
  -readonly [Key in keyof Plan]: Plan[Key] extends readonly (infer Item)[] ? Item[] : Plan[Key];
};

function contentOf({ id, name, language, category, parameterFormat, components }: UpstreamTemplate): TemplateContent {
  const text = JSON.stringify(components);
  return { name, language, upstreamTemplateId: id, category, parameterFormat, components: text };
}

function contentOfStored({
  id: _id,
  status: _status,
  statusAt: _statusAt,
  ...content
}: StoredTemplate): TemplateContent {
  return content;
}
