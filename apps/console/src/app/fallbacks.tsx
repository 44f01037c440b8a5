import { Button, Container, Skeleton, Stack } from '@mantine/core';
import { IconError404 } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useEffect, type ReactElement } from 'react';
import { problemOf } from '../api/problem.js';
import { EmptyState } from '../ui/empty-state.js';
import { LinkTo } from '../ui/link-to.js';
import { ProblemAlert } from '../ui/problem-alert.js';

/** While a page's code is on its way. */
export function PageFallback(): ReactElement {
  return (
    <Stack gap="lg" maw={1080} mx="auto" aria-busy aria-label="Loading">
      <Skeleton h={28} w={220} />
      <Skeleton h={16} w={420} maw="100%" />
      <Skeleton h={220} radius="md" />
    </Stack>
  );
}

/** When a page failed: by a refusal that it does not expect, or by a mistake of its own. */
export function PageFault({ error }: { readonly error: unknown }): ReactElement {
  const router = useRouter();
  return (
    <Container size="sm" py="xl">
      <ProblemAlert
        title="This page could not be shown"
        problem={problemOf(error)}
        onRetry={() => void router.invalidate()}
      />
    </Container>
  );
}

/** An address that leads nowhere. */
export function UnknownPage(): ReactElement {
  useEffect(() => {
    document.title = 'No such page · Switchboard';
  }, []);
  return (
    <Container component="main" size="sm" py="xl">
      <EmptyState
        icon={IconError404}
        isWholePage
        title="There is no such page"
        action={
          <Button component={LinkTo} to="/">
            Go to Home
          </Button>
        }
      >
        The address may be mistyped, or the page is not for your role.
      </EmptyState>
    </Container>
  );
}
