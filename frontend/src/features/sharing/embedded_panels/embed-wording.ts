/** Texts of embedded panels, and the HTML that embeds one. */
import type { EmbeddedPanel } from '../../../api';
import { lengthText } from '../../../engine/dashboard/dashboard-time';

export const PANELS = [
  { value: 'latency', label: 'Latency' },
  { value: 'requests', label: 'Requests per second' },
] as const;

export const EXPIRIES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
];

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Returns the HTML that shows a panel in a frame. */
export const frameLine = (panel: EmbeddedPanel, name: string): string =>
  `<iframe src="${attribute(panel.page_url)}" title="${attribute(name)}" width="720" height="260" style="border:0" loading="lazy"></iframe>`;

export const panelText = (panel: EmbeddedPanel): string => {
  const what = panel.panel === 'requests' ? 'Requests per second' : 'Latency';
  const split = panel.split_label ? ` by ${panel.split_label}` : '';
  const length = lengthText(panel.length_s * 1000);
  return `${what}${split}, ${panel.until_ms === null ? `last ${length}` : length}`;
};
