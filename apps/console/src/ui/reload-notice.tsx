import { Button, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';

/** Offers to load the page anew once its session is over: a draft is not lost unasked. @param title what has become of the session */
export function offerReload(title: string, onReload: () => void): void {
  notifications.show({
    id: 'session-replaced',
    title,
    message: (
      <Stack gap="xs" align="flex-start">
        Copy what you have not sent yet, then reload this page. Until then it reads and changes nothing.
        <Button size="xs" onClick={onReload}>
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
