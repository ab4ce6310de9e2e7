import { Anchor } from '@mantine/core';
import { Icon } from '../parts/icons.tsx';
import { Card } from '../parts/page.tsx';

/** The host's live view page, in a frame. It handles keyboard, clipboard and connection states itself. */
export function LiveView({ url }: { url: string }) {
  return (
    <Card
      title="Live view"
      about="Click the picture to control the browser. Connected programs see the same session."
      actions={
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm" className="with-icon">
          Open in new tab <Icon name="external" size={15} />
        </Anchor>
      }
    >
      <iframe
        className="live-view"
        src={url}
        title="Live view of the session"
        allow="clipboard-read; clipboard-write; fullscreen"
        referrerPolicy="no-referrer"
      />
    </Card>
  );
}
