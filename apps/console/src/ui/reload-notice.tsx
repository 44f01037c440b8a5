import { Button, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';

/** Offers to load the page anew for the session that another tab has begun: a draft is not lost unasked. */
export function offerReload(): void {
  notifications.show({
    id: 'session-replaced',
    title: 'Your session has changed in another tab',
    message: (
      <Stack gap="xs" align="flex-start">
        Copy what you have not sent yet, then reload this page. Until then it reads and changes nothing.
        <Button size="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      </Stack>
    ),
    color: 'yellow',
    autoClose: false,
    withCloseButton: false,
    withBorder: true,
  });
}
