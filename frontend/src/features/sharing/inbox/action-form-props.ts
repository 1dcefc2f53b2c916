import type { InboxAction, InboxItem, InboxItemRef } from '../../../api';

/** Props of the form of an action. */
export type ActionFormProps = {
  targets: InboxItem[];
  /** Applies the action to the given items, or to all targets if none are given. */
  onAct: (action: InboxAction, items?: readonly InboxItemRef[]) => void;
  isPending: boolean;
  error: Error | null;
  onCancel: () => void;
};
