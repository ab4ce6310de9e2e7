import { Anchor, Button } from '@mantine/core';
import { useRef } from 'react';
import { Icon } from '../parts/icons.tsx';
import { Card } from '../parts/page.tsx';
import { PauseClients } from './pause-clients.tsx';

/** The host's live view page, in a frame. It handles keyboard, clipboard and connection states itself. */
export function LiveView({ id, url }: { id: string; url: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  return (
    <Card
      title="Live view"
      about="Click the picture to control the browser. Connected programs see the same session."
      actions={
        <>
          <PauseClients id={id} />
          {document.fullscreenEnabled && (
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => void frame.current?.requestFullscreen().catch(() => undefined)}
            >
              Full screen
            </Button>
          )}
          <Anchor href={url} target="_blank" rel="noreferrer" size="sm" className="with-icon">
            Open in new tab <Icon name="external" size={15} />
          </Anchor>
        </>
      }
    >
      <iframe
        ref={frame}
        className="live-view"
        src={url}
        title="Live view of the session"
        allow="clipboard-read; clipboard-write; fullscreen"
        referrerPolicy="no-referrer"
      />
    </Card>
  );
}
