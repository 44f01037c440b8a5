import type { ReactElement } from 'react';
import type { SendTemplateBody } from '../../api/api.generated.js';
import type { Problem } from '../../api/problem.js';
import { ProblemAlert, type Doubt } from '../../ui/problem-alert.js';
import { isSendInDoubt } from './send-in-bulk.js';

const doubt: Doubt = {
  title: 'The bulk send may have been accepted',
  advice:
    'Sent again unchanged it starts no second one. Look at the list of bulk sends before you change anything or load this page anew.',
};

/** Why a bulk send failed. @param props.body what was sent */
export function SendProblem({
  problem,
  body,
}: {
  readonly problem: Problem;
  readonly body: SendTemplateBody | null;
}): ReactElement {
  return (
    <ProblemAlert
      title="Nothing was sent"
      doubt={doubt}
      isInDoubt={isSendInDoubt(body ?? undefined)}
      problem={problem}
    />
  );
}
