/** Converts an SVG of the page to a file: colors are inline, attributes of the page removed. */
import { imageOfSvg, pngOfCanvas } from '../picture/raster';

const PAGE_ATTRIBUTES = [
  'class',
  'tabindex',
  'role',
  'aria-label',
  'aria-pressed',
  'aria-hidden',
  'data-node',
];
const COLORS = ['fill', 'stroke'];

export function standaloneSvg(drawn: SVGSVGElement): string {
  const page = getComputedStyle(drawn);
  const colorOf = (value: string): string | null => {
    const variable = /^var\((--[\w-]+)\)$/u.exec(value.trim())?.[1];
    return variable === undefined ? null : page.getPropertyValue(variable).trim() || '#888888';
  };
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  for (const element of [copy, ...copy.querySelectorAll<SVGElement>('*')]) {
    for (const name of PAGE_ATTRIBUTES) element.removeAttribute(name);
    for (const name of COLORS) {
      const attribute = colorOf(element.getAttribute(name) ?? '');
      if (attribute !== null) element.setAttribute(name, attribute);
      const styled = colorOf(element.style.getPropertyValue(name));
      if (styled !== null) element.style.setProperty(name, styled);
    }
  }
  const [, , width = '0', height = '0'] = (drawn.getAttribute('viewBox') ?? '').split(' ');
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  return new XMLSerializer().serializeToString(copy);
}

/** Some browsers limit the sides of a canvas to 16,384 pixels. */
const PNG_MOST_PX = 16_000;

/** Draws a file of {@link standaloneSvg} as PNG, with two pixels per CSS pixel if that fits. */
export async function pngOfSvg(svg: string): Promise<Blob> {
  const image = await imageOfSvg(svg);
  const ratio = Math.min(2, PNG_MOST_PX / Math.max(image.width, image.height, 1));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.width * ratio);
  canvas.height = Math.round(image.height * ratio);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return pngOfCanvas(canvas);
}
