/** A button that copies a link to this page with all choices. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { BisectProposalOut } from '../../../../api';
import { choicesUrl } from './start-link';
import type { StartChoice } from './start-request';

type Props = { offer: BisectProposalOut; choice: StartChoice };

export function CopyLink({ offer, choice }: Props) {
  const [copied, setCopied] = useState('');
  const url = choicesUrl(window.location.href, offer, choice);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url);
      setCopied(url);
    } catch {
      window.location.hash = new URL(url).hash; // forbidden: the URL of the page becomes the link
    }
  };
  return (
    <Button aria-live="polite" onClick={() => void copy()}>
      {copied === url ? 'Copied' : 'Copy link'}
    </Button>
  );
}
